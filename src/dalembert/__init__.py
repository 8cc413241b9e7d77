"""Equations of motion of machines: derived by several formulations, made to agree, compiled, simulated."""

__all__ = ["__version__"]

__version__ = "0.1.0"
