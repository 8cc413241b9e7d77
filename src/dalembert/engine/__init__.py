"""The engine: time loop, events, constraints and contacts in C that is independent of the machine, and its callers."""
