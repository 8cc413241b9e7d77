"""Implicit steps of stiff machines without constraints."""
