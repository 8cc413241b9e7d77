"""Plots, animation and the browser application."""
