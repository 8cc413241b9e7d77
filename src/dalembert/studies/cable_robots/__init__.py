"""CDPR: joining of two bodies, three models of guiding pulleys, overturning with a moving exit point, Jacobians."""
