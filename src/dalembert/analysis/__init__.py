"""What is asked of equations: do they agree, closed forms, linear models, equilibria, modes, inverse kinematics."""
