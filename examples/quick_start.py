"""The quick start of the documentation as a script: a machine, its equations, a check of them, a simulation."""

from __future__ import annotations

import dalembert as da

payload = da.Parameter("payload", 0.5)

arm = da.Machine(
    "arm",
    bodies=[
        da.rod("upper", mass=2.0, length=0.5, com=(0.25, 0, 0)),
        da.rod("lower", mass=1.0, length=0.4, com=(0.20, 0, 0)),
        da.point_mass("load", payload),
    ],
    joints=[
        da.Joint("q1", "revolute", "world", "upper", axis=(0, -1, 0)),
        da.Joint("q2", "revolute", "upper", "lower", da.Transform((0.5, 0, 0)), axis=(0, -1, 0)),
        da.Joint("grip", "fixed", "lower", "load", da.Transform((0.4, 0, 0))),
    ],
    motors=[da.Motor("u1", "q1", effort=40.0), da.Motor("u2", "q2", effort=15.0)],
)
print(arm)

eom = da.equations(arm)
print("mass matrix:\n", eom.mass_matrix([0.5, -0.8]))
print("torques of gravity for three payloads:\n", eom.gravity([0.5, -0.8], p={"payload": [0.0, 0.5, 1.0]}))

print("in closed form:")
print(da.closed_form(arm).text("gravity"))
print(da.verify(arm))

move = da.Quintic([-1.4, 0.3], [0.6, 1.2], duration=1.0)
run = da.simulate(arm, duration=2.0, q0=[-1.4, 0.3], control=da.ComputedTorque(kp=100.0, kd=20.0, reference=move))
print(run)
run.plot(path="quick_start.png")
print("written: quick_start.png")
