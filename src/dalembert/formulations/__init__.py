"""Formulations that turn a machine into equations of motion, and the contract they all fulfil."""
