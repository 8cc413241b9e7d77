"""ROBOTICS: actuated pendulum, inertia formulas, PR robot, structural property, conservation of energy."""
