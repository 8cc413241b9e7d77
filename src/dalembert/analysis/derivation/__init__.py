"""Derivation sheets: the steps of a textbook for one machine."""
