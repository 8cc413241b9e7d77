"""Machines as FMUs: C sources, their description in XML, and a binary."""
