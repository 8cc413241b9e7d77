"""Machines of the benchmark that are generated."""

from __future__ import annotations

from dalembert.core.errors import InputError
from dalembert.model.body import Body
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform

__all__ = ["chain"]


def chain(n: int) -> Machine:
    """Chain of ``n`` links whose axes are z and y in turns; no entry of the links' inertia vanishes."""
    if n < 1:
        raise InputError(f"a chain has at least one link, got {n}")
    inertia = (2.0e-3, 9.0e-3, 1.0e-2, 2.0e-4, 1.0e-4, 1.0e-4)
    bodies = [Body(f"link{i}", 1.0, (0.15, 0.02, 0.01), inertia) for i in range(n)]  # type: ignore[arg-type]
    joints = [
        Joint(
            f"q{i:03d}",
            "revolute",
            f"link{i - 1}" if i else WORLD,
            f"link{i}",
            Transform((0.3, 0.0, 0.0)) if i else Transform(),
            axis=((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))[i % 2],
        )
        for i in range(n)
    ]
    return Machine(f"chain-{n}", bodies=tuple(bodies), joints=tuple(joints))
