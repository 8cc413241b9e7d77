"""Changes of one operator, sign, constant or index at a time, and whether the tests notice them (``make mutants``)."""
