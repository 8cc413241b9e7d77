"""Statics and kinematics of cable robots."""
