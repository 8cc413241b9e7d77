"""Random closed mechanisms of many sizes, and starts that name one or two of their coordinates.

``python -m tests.support.random_mechanisms docs/results/random/assembly-starts.json`` runs the study in full: 50
mechanisms with 100 starts each. It goes on where an earlier call was interrupted.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.formulations.constraints.assembly import assembled_start
from dalembert.formulations.constraints.conditions import sizes_of

_MARGIN = 1e-6  # part of a length that a closed form must be sure by
_HINGE = {"kind": "revolute", "axis": (0.0, 0.0, 1.0)}

Verdict = Callable[[dict[str, float]], bool | None]


@dataclass(frozen=True)
class Mechanism:
    """A machine, and a closed form that says whether named coordinates can be kept (None: it does not know)."""

    machine: da.Machine
    names: tuple[str, ...]
    size: float
    allows: Verdict


def _at(x: float, y: float = 0.0, z: float = 0.0) -> da.Transform:
    return da.Transform((float(x), float(y), float(z)))


def _rod(name: str, length: float) -> da.Body:
    return da.rod(name, 1.0, length, com=(length / 2, 0.0, 0.0))


def _between(low: float, value: float, high: float) -> bool | None:
    margin = min(value - low, high - value)
    return None if abs(margin) < _MARGIN * high else bool(margin > 0.0)


def four_bar(rng: np.random.Generator, size: float) -> Mechanism:
    """Crank ``a``, coupler ``b`` (relative to it), rocker ``c``: it closes if crank tip and pivot are apart rightly."""
    crank, coupler, rocker, ground = size * rng.uniform(0.3, 1.2, 4)
    machine = da.Machine(
        "four-bar",
        [_rod("A", crank), _rod("B", coupler), _rod("C", rocker)],
        [
            da.Joint("a", parent="world", child="A", **_HINGE),
            da.Joint("b", parent="A", child="B", origin=_at(crank), **_HINGE),
            da.Joint("c", parent="world", child="C", origin=_at(ground), **_HINGE),
        ],
        frames=[da.Frame("end", "B", _at(coupler)), da.Frame("tip", "C", _at(rocker))],
        constraints=[da.BallConstraint("loop", "end", "tip", components="xy")],
    )

    def allows(q: dict[str, float]) -> bool | None:
        if set(q) == {"a"}:
            apart = np.hypot(crank * np.cos(q["a"]) - ground, crank * np.sin(q["a"]))
            return _between(abs(coupler - rocker), apart, coupler + rocker)
        if set(q) == {"c"}:
            apart = np.hypot(ground + rocker * np.cos(q["c"]), rocker * np.sin(q["c"]))
            return _between(abs(crank - coupler), apart, crank + coupler)
        return None

    return Mechanism(machine, ("a", "b", "c"), size, allows)


def slider_crank(rng: np.random.Generator, size: float) -> Mechanism:
    """Crank ``a``, rod ``b``, slider ``x`` on a line beside the pivot."""
    crank, rod = size * np.sort(rng.uniform(0.3, 1.2, 2))
    offset = size * rng.uniform(-0.3, 0.3)
    machine = da.Machine(
        "slider-crank",
        [_rod("A", crank), _rod("B", rod), da.point_mass("S", 1.0)],
        [
            da.Joint("a", parent="world", child="A", **_HINGE),
            da.Joint("b", parent="A", child="B", origin=_at(crank), **_HINGE),
            da.Joint("x", "prismatic", "world", "S", origin=_at(0.0, offset), axis=(1.0, 0.0, 0.0)),
        ],
        frames=[da.Frame("end", "B", _at(rod))],
        constraints=[da.BallConstraint("loop", "end", "S", components="xy")],
    )

    def allows(q: dict[str, float]) -> bool | None:
        if set(q) == {"a"}:
            return _between(-rod, crank * np.sin(q["a"]) - offset, rod)
        if set(q) == {"x"}:
            return _between(rod - crank, np.hypot(q["x"], offset), rod + crank)
        return None

    return Mechanism(machine, ("a", "x"), size, allows)


def five_bar(rng: np.random.Generator, size: float) -> Mechanism:
    """Two cranks ``a`` and ``c`` with rods ``b`` and ``d`` to one point: two freedoms."""
    first, second, third, fourth, ground = size * rng.uniform(0.4, 1.2, 5)
    machine = da.Machine(
        "five-bar",
        [_rod("A", first), _rod("B", second), _rod("C", third), _rod("D", fourth)],
        [
            da.Joint("a", parent="world", child="A", **_HINGE),
            da.Joint("b", parent="A", child="B", origin=_at(first), **_HINGE),
            da.Joint("c", parent="world", child="C", origin=_at(ground), **_HINGE),
            da.Joint("d", parent="C", child="D", origin=_at(third), **_HINGE),
        ],
        frames=[da.Frame("end", "B", _at(second)), da.Frame("tip", "D", _at(fourth))],
        constraints=[da.BallConstraint("loop", "end", "tip", components="xy")],
    )

    def allows(q: dict[str, float]) -> bool | None:
        if set(q) != {"a", "c"}:
            return None
        x = ground + third * np.cos(q["c"]) - first * np.cos(q["a"])
        y = third * np.sin(q["c"]) - first * np.sin(q["a"])
        return _between(abs(second - fourth), float(np.hypot(x, y)), second + fourth)

    return Mechanism(machine, ("a", "c"), size, allows)


def spatial(rng: np.random.Generator, size: float) -> Mechanism:
    """Crank, rod on a ball joint (a quaternion) and a rocker about a skew axis: RSSR."""
    crank, rocker = size * rng.uniform(0.4, 1.2, 2)
    axis, ground, (a, c) = rng.normal(size=3), size * rng.uniform(0.2, 0.8, 3), rng.uniform(-3, 3, 2)
    turn = Rotation.from_rotvec(c * axis / np.linalg.norm(axis))
    tip = ground + turn.apply([rocker, 0.0, 0.0])
    rod = float(np.linalg.norm(tip - crank * np.array([np.cos(a), np.sin(a), 0.0])))  # it closes at a, c
    machine = da.Machine(
        "spatial-four-bar",
        [
            _rod("A", crank),
            da.box("B", 1.0, (rod, 0.1 * rod, 0.1 * rod), com=(rod / 2, 0.0, 0.0)),  # it turns about its length, too
            _rod("C", rocker),
        ],
        [
            da.Joint("a", parent="world", child="A", **_HINGE),
            da.Joint("ball", "spherical", "A", "B", origin=_at(crank)),
            da.Joint("c", "revolute", "world", "C", origin=_at(*ground), axis=tuple(axis)),
        ],
        frames=[da.Frame("end", "B", _at(rod)), da.Frame("tip", "C", _at(rocker))],
        constraints=[da.BallConstraint("loop", "end", "tip")],
    )
    return Mechanism(machine, ("a", "c"), size, lambda q: None)


KINDS = (four_bar, slider_crank, five_bar, spatial)
SIZES = (1e-3, 1.0, 100.0)


def mechanism(number: int) -> Mechanism:
    """The mechanism of a number; kinds and sizes take turns."""
    rng = np.random.default_rng([26, number])
    return KINDS[number % len(KINDS)](rng, SIZES[number % len(SIZES)])


def outcomes(number: int, starts: int, backend: str = "vm") -> dict[str, int]:
    """Start a mechanism at random named coordinates; count what became of it, and where a closed form knows better."""
    one, rng = mechanism(number), np.random.default_rng([27, number])
    eom = da.equations(one.machine, backend=backend)
    counts = dict.fromkeys(("kept", "refused", "judged", "wrongly kept", "wrongly refused", "not kept", "untold"), 0)
    for _ in range(starts):
        chosen = rng.choice(one.names, size=int(rng.integers(1, min(2, len(one.names)) + 1)), replace=False)
        q0 = {str(n): float(rng.uniform(-2, 2) * one.size if n == "x" else rng.uniform(-7, 7)) for n in chosen}
        known = one.allows(q0)
        counts["judged"] += known is not None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                q, moved = assembled_start(eom, q0, p=eom.parameter_values())
        except da.InputError as error:
            counts["refused"] += 1
            counts["wrongly refused"] += known is True
            counts["untold"] += "starts were tried; the nearest state that was found is" not in str(error)
            continue
        counts["kept"] += 1
        counts["wrongly kept"] += known is False
        by_name = dict(zip(one.machine.q_names, q, strict=True))
        closed = np.max(np.abs(eom.constraints(q)) / sizes_of(eom).rows) < 1e-9
        exact = all(by_name[name] == value for name, value in q0.items())
        # two names on one freedom contradict each other but for a tenth of a radian, which is told
        counts["not kept"] += not (closed and (exact or (moved > 0.0 and len(q0) > 1)))
    return counts


def main(path: str, mechanisms: int = 50, starts: int = 100) -> None:
    """Run the study, and write after each mechanism."""
    target = Path(path)
    done = json.loads(target.read_text()) if target.exists() else {}
    for number in range(mechanisms):
        if str(number) not in done:
            done[str(number)] = {
                "kind": mechanism(number).machine.name,
                "starts": starts,
                **outcomes(number, starts, "auto"),
            }
            target.write_text(json.dumps(done, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
