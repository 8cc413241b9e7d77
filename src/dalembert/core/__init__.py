"""Errors, validation and the ports (protocols) that the other rooms implement."""
