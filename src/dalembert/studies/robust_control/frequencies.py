"""Frequencies of the arm's booms in SPACE Table 8.3, with a payload of 150.8 kg instead of the tool of 15.8 kg.

The table prints twelve frequencies. The loads' masses follow from the payload; their inertias, which are not printed,
from the second bending frequencies and the torsion. The table must then print the other six.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dalembert.core.types import Array
from dalembert.model.beam import Beam
from dalembert.systems.flexible_arms import mda_arm

__all__ = ["boom_frequencies"]

_MORE = 135.0  # kg of the payload beyond that of D.1.3
# Table 8.3 [rad/s]: second bending in y and in z, torsion.
_PRINTED = {"segment2": (10.01, 10.05, 15.21), "segment3": (45.72, 24.35, 14.83)}


def boom_frequencies() -> Iterator[tuple[str, float]]:
    """Frequencies [rad/s] along the booms and of first bending, by number of the segment and direction."""
    for beam in mda_arm().bodies:
        if isinstance(beam, Beam) and beam.load is not None:
            frequencies = _loaded(beam, _fitted(beam))
            for direction, mode in (("x", 0), ("y", 1), ("z", 3)):
                yield f"{beam.name[-1]}.{direction}", float(frequencies[mode])


def _loaded(beam: Beam, inertia: Array) -> Array:
    """Frequencies with the payload, in the order x, y, y, z, z, torsion."""
    assert beam.load is not None
    load = replace(beam.load, mass=float(beam.load.mass) + _MORE, inertia=tuple(inertia))
    return np.asarray(replace(beam, load=load).omega)


def _fitted(beam: Beam) -> Array:
    """Inertia of the load that gives the printed second bending frequencies and torsion."""
    from scipy.optimize import brentq

    assert beam.load is not None
    inertia = np.array(beam.load.inertia, dtype=float)

    def missed(J: float, axis: int, mode: int, printed: float) -> float:
        trial = inertia.copy()
        trial[axis] = J
        return float(_loaded(beam, trial)[mode]) - printed

    for axis, mode, printed in zip(
        (2, 1, 0), (2, 4, 5), _PRINTED[beam.name], strict=True
    ):  # bending in y turns about z
        first, last = 1e-3 * inertia[axis], 1e2 * inertia[axis]
        inertia[axis] = brentq(missed, first, last, args=(axis, mode, printed), xtol=1e-8)
    return inertia
