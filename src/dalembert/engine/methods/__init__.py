"""Choices: tableaus of Runge-Kutta methods, constraint methods and contact methods."""
