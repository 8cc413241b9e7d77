"""Equations that a person can read: a pendulum on a cart, from numbers to LaTeX to a NumPy function."""

import casadi as ca
import numpy as np

import dalembert as da

cart_pendulum = da.Machine(
    "cart-pendulum",
    bodies=[
        da.Body("cart", mass=2.0),
        da.Body("pole", mass=0.5, com=(0, 0, -0.4), inertia=(0.02, 0.02, 0.001)),
    ],
    joints=[
        da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), damping=0.1),
        da.Joint("theta", "revolute", "cart", "pole", axis=(0, -1, 0)),
    ],
    motors=[da.Motor("F", "x")],
)

form = da.closed_form(cart_pendulum)

print("Every number of the machine has become a symbol:")
print(form.text("equations"))
print("\nIts mass matrix:")
print(form.text("mass_matrix"))
print("\nThe same as LaTeX:")
print(form.latex("equations"))

print("\nNumbers may stay numbers:")
print(da.closed_form(cart_pendulum, symbols="parameters").text("equations"))

print("\nIn the position x_p = x + d_pole sin(theta) of the pole's centre of mass instead of the cart's:")
at_the_pole = da.CoordinateMap(["x_p", "theta"], lambda y, p: [y[0] - p["d_pole"] * ca.sin(y[1]), y[1]])
print(da.closed_form(cart_pendulum, coordinates=at_the_pole).text("equations"))

source = form.python("mass_matrix")
print("\nAs a function of NumPy arrays:")
print(source)
functions: dict = {}
exec(source, functions)
q = np.random.default_rng(0).normal(size=(5, 2))
difference = functions["mass_matrix"](q) - da.equations(cart_pendulum).mass_matrix(q)
print(f"largest difference from the compiled function at 5 states: {np.abs(difference).max():.1e}")
