"""The studio: machines in the browser, changed, run and looked at, served by this computer to itself alone."""
