"""A box that is thrown on the ground and tumbles: corners strike, stick, slip and rattle in any order."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da

__all__ = ["thrown_box"]


def thrown_box(seed: int) -> tuple[da.Machine, dict[str, Any]]:
    """Return the machine and the arguments of `dalembert.simulate` with a random start."""
    rng = np.random.default_rng(seed)
    contact = da.Contact("g", "box", da.Box((0.3, 0.2, 0.1)), friction=0.4, restitution=0.3)
    machine = da.Machine(
        "box", [da.box("box", 2.0, (0.3, 0.2, 0.1))], [da.Joint("b", "free", "world", "box")], contacts=[contact]
    )
    q0 = np.array([0.0, 0.0, 0.4, *rng.normal(size=4)])
    q0[3:] /= np.linalg.norm(q0[3:])
    v0 = np.concatenate([rng.normal(size=3), 3.0 * rng.normal(size=3)])
    return machine, {"q0": q0, "v0": v0, "method": "dopri5", "record": 0.1}
