"""Readable equations of small machines."""
