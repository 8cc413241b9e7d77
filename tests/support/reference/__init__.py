"""References for tests that share nothing with the library: equations and laws written once more."""
