"""Contact by time-stepping: impulses of all contacts, step by step."""
