"""Machines as WebAssembly: the C that FMUs carry, for pages that simulate."""
