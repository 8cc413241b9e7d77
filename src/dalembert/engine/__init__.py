"""The engine: time loop, events, constraints and contacts in C that knows no machine, and what calls it."""
