"""Transitions in native code: what happens at the events of a run, without Python."""
