"""A machine file, a controller in Python, and a sweep of a parameter.

The motor is too weak to lift the pendulum at once. The controller pumps energy into the swing until it is enough to
reach the top, and catches the pendulum there (K. J. Åström, K. Furuta, "Swinging up a pendulum by energy control",
Automatica 36, 2000).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da

pendulum = da.load_machine(Path(__file__).with_name("pendulum.yaml"))
eom = da.equations(pendulum)
top = float(eom.energy([np.pi], [0.0]).potential)


def swing_up(t: float, q: Any, v: Any) -> list[float]:
    """Push along the motion while energy is missing; near the top, a PD law."""
    kinetic, potential = eom.energy(q, v)
    offset = q[0] % (2 * np.pi) - np.pi  # from the top
    if abs(offset) < 0.35 and abs(v[0]) < 3.0:
        return [float(eom.gravity(q)[0]) - 12.0 * offset - 1.5 * v[0]]
    return [np.sign(v[0] or 1.0) * np.clip(2.0 * (top - kinetic - potential), -1.0, 1.0)]


law = da.SampledController(swing_up, period=0.005, name="swing-up")
run = da.simulate(pendulum, duration=12.0, q0={"theta": 0.2}, control=law, method="dopri5")
print(run)
print(f"gravity asks for up to {eom.gravity([np.pi / 2])[0]:.2f} N m, the motor gives {pendulum.motors[0].effort} N m")
print(f"distance from the top at the end: {abs(run['theta'][-1] % (2 * np.pi) - np.pi):.1e} rad")

lengths = np.linspace(0.3, 1.2, 4)
stiffness = eom.inverse_dynamics_derivatives([0.0], [0.0], [0.0], p={"l": lengths}).q[..., 0, 0]
inertia = eom.mass_matrix([0.0], p={"l": lengths})[..., 0, 0]
for length, period in zip(lengths, 2 * np.pi * np.sqrt(inertia / stiffness), strict=True):
    print(f"length {length:.1f} m: small swings take {period:.3f} s")
