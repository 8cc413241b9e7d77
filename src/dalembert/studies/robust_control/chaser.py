"""The chaser of SPACE under proportional and derivative gains: its uncertain model, and proofs about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from dalembert.analysis.linearize import linearize, state_space_names
from dalembert.control.hinf import hinf_norm
from dalembert.control.mu import Guarantee, Robustness, iterative_ranges, robust_performance, robust_stability
from dalembert.control.uncertain import LFT, UncertainMachine, uncertain
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine
from dalembert.systems.space_robots import space_chaser

__all__ = [
    "DAMPING",
    "GAINS",
    "LEVELS",
    "LIMITS",
    "PERFORMANCE_RANGES",
    "PRINTED_RANGES",
    "RATE",
    "SMALLER",
    "as_complex",
    "chaser",
    "closed_loop",
    "driven",
    "mass_matrix_error",
    "model",
    "one_by_one",
    "performance_loop",
    "printed_box",
    "printed_gains",
    "printed_inside",
    "proof",
    "random_peak",
    "ranges_at",
    "rule_error",
]

# SPACE Table 8.2, "Multi": proportional and derivative gains of the joints.
GAINS = ((3803.0, 7246.0, 5575.0, 373.0, 3967.0, 0.006), (1973.0, 2507.0, 1822.0, 1222.0, 898.0, 0.03))
# SPACE Table 8.5, limits of the joints [deg]; 180 degrees is the end of the half tangent, so that 175 stands for it.
LIMITS = {"theta1": (-90, 90), "theta2": (-45, 180), "theta3": (0, 180), "theta4": (-180, 45), "theta5": (-90, 180)}
# SPACE Table 8.5 [deg]: stability, by tangent, all joints at once, and added one by one from the first or the fifth.
PRINTED_RANGES = {
    ("half", "at once"): ((-72, 72), (141, 174), (145, 174), (-174, -141), (134, 174)),
    ("half", "1 to 5"): ((-53, 53), (159, 173), (156, 174), (-174, -140), (89, 175)),
    ("half", "5 to 1"): ((-88, 88), (132, 174), (148, 174), (-174, -154), (150, 174)),
    ("quarter", "at once"): ((-24, 24), (56, 115), (82, 127), (-115, -56), (27, 100)),
    ("quarter", "1 to 5"): ((-9, 9), (65, 108), (88, 124), (-146, -14), (-40, 150)),
    ("quarter", "5 to 1"): ((-60, 60), (56, 115), (94, 118), (-101, -72), (47, 83)),
}
# SPACE Table 8.6 [deg]: performance.
PERFORMANCE_RANGES = {
    ("half", "at once"): ((-49, 49), (161, 173), (162, 173), (-173, -161), (160, 173)),
    ("half", "5 to 1"): ((-82, 82), (138, 174), (154, 174), (-174, -146), (164, 172)),
    ("quarter", "at once"): ((-22, 22), (58, 114), (84, 127), (-114, -58), (29, 99)),
    ("quarter", "5 to 1"): ((-58, 58), (56, 116), (92, 119), (-100, -74), (58, 72)),
}
# Upper bounds of mu that both tables print, real parameters.
LEVELS = {"half": (1.39, 2.22), "quarter": (3.97, 4.23)}
# Smaller levels that can be proven: stability by tangent, and performance in the half tangent.
SMALLER = {"half": 1.13, "quarter": 1.33, "performance": 1.9}
Printed = tuple[tuple[int, int], ...]
RATE, DAMPING = np.radians(4.0), 0.707  # of the debris, and of the closed loops


@cache
def chaser(arm: str = "printed") -> Machine:
    """The chaser without arrays; ``"printed"`` is the rigid one of twelve coordinates, ``"booms"`` has no rotors."""
    return space_chaser("flexible" if arm == "booms" else arm, arrays=None, rotors=arm == "flexible")


def ranges(tangent: str) -> dict[str, tuple[float, float]]:
    """Limits of the joints [rad]."""
    end = 175 if tangent == "half" else 180
    return {n: (float(np.radians(max(lo, -end))), float(np.radians(min(hi, end)))) for n, (lo, hi) in LIMITS.items()}


@cache
def model(tangent: str, arm: str = "printed") -> UncertainMachine:
    """Uncertain model with a generalised force at every rigid velocity."""
    machine = chaser(arm)
    names = driven(machine)
    states = [n for n in _states(machine) if n.removesuffix("_dot").removesuffix(".int") in _rigid(names)]
    return uncertain(machine, ranges(tangent), inputs=names, outputs=states, tangent=tangent)


def driven(machine: Machine) -> list[str]:
    """Velocities of the base and of the joints."""
    return [n for n in machine.v_names if "delta" not in n]


def _rigid(names: list[str]) -> set[str]:
    return {n.removesuffix("_dot") for n in names}


def _states(machine: Machine) -> list[str]:
    return list(state_space_names(derive(machine)))


def feedback_gains(inertia: Array, scale: float = 1.0) -> Array:
    """Gains ``[Kp Kd]``: those of the table for the joints, ``w^2 D_ii`` and ``2 xi w D_ii`` for the base."""
    base = np.diag(inertia)[:6]
    kp = np.concatenate([RATE**2 * base, GAINS[0]])
    kd = np.concatenate([2 * DAMPING * RATE * base, GAINS[1]])
    return scale * np.hstack([np.diag(kp), np.diag(kd)])


def printed_gains(tangent: str, arm: str = "printed") -> Array:
    """The printed gains; those of the base belong to the configuration in the middle of the ranges."""
    u = model(tangent, arm)
    middle = u.values(**dict.fromkeys(u.ranges, 0.0))
    rows = [chaser(arm).v_names.index(n) for n in driven(chaser(arm))]
    inertia = u.mass_matrix(**middle)[np.ix_(rows, rows)]
    return feedback_gains(inertia)


def closed_loop(tangent: str, arm: str = "printed") -> LFT:
    """The loop with the printed gains."""
    u = model(tangent, arm)
    return u.lft.feedback(printed_gains(tangent, arm), u.lft.outputs, u.lft.inputs)


def performance_loop(tangent: str, arm: str = "printed") -> LFT:
    """The loop from disturbing accelerations ``w`` to ``z = a + 2 xi w v + w^2 x`` of base and joints (Fig. 8.17).

    The integrators are a block of the map: their inputs are the accelerations, and a disturbance adds there.
    """
    loop, machine = closed_loop(tangent, arm), chaser(arm)
    n = machine.nv
    rows = [n + list(machine.v_names).index(v) for v in driven(machine)]
    into = np.zeros((loop.M11.shape[0], 12))
    into[rows, range(12)] = 1.0
    w = RATE * np.array([1.0] * 6 + [10.0] * 6)
    shown = loop.M11[rows].copy()
    shown[range(12), rows] += 2 * DAMPING * w
    shown[range(12), [k - n for k in rows]] += w**2
    names = tuple(f"w{k}" for k in range(12)), tuple(f"z{k}" for k in range(12))
    return LFT(loop.M11, into, shown, np.eye(12), loop.blocks, *names)


def as_complex(loop: LFT) -> LFT:
    """The same loop with complex blocks in the place of real ones."""
    blocks = tuple(replace(b, kind="complex") if b.kind == "real" else b for b in loop.blocks)
    return replace(loop, blocks=blocks)


def proof(tangent: str, level: float, arm: str = "printed", seconds: float = 240.0) -> Robustness:
    """Proofs about the loop."""
    return robust_stability(closed_loop(tangent, arm), level=level, seconds=seconds)


def mass_matrix_error(tangent: str, arm: str = "printed", count: int = 10) -> float:
    """Largest difference between the uncertain model's mass matrix and that of the equations, relative."""
    machine, u, rng = chaser(arm), model(tangent, arm), np.random.default_rng(1)
    eom, worst = derive(machine), 0.0
    for _ in range(count):
        values = {n: float(rng.uniform(*span)) for n, span in u.ranges.items()}
        q = machine.q_neutral
        for name, angle in values.items():
            q[machine.q_names.index(name)] = angle
        M = eom.mass_matrix(q)
        worst = max(worst, float(np.abs(u.mass_matrix(**values) - M).max() / np.abs(M).max()))
    return worst


def ranges_at(level: float, tangent: str = "half") -> dict[str, tuple[float, float]]:
    """Ranges of the joints [rad] that a proof at a level guarantees: centre +- half-width / level of the tangents."""
    u = model(tangent)
    low = u.values(**dict.fromkeys(u.ranges, -1.0 / level))
    high = u.values(**dict.fromkeys(u.ranges, 1.0 / level))
    return {n: (low[n], high[n]) for n in u.ranges}


def rule_error() -> float:
    """Largest distance [deg] of the printed ranges of all joints at once from `ranges_at` the printed levels."""
    worst = 0.0
    for tangent, levels in LEVELS.items():
        for level, table in zip(levels, (PRINTED_RANGES, PERFORMANCE_RANGES), strict=True):
            degrees = np.degrees(list(ranges_at(level, tangent).values()))
            worst = max(worst, float(np.abs(degrees - np.array(table[tangent, "at once"])).max()))
    return worst


def one_by_one(order: str, tangent: str = "half", *, gain: float | None = None, seconds: float = 300.0) -> Guarantee:
    """Ranges of joints added in an order such as ``"5 to 1"``; ``seconds`` limits the processor time of a step.

    With a ``gain`` the weighted sensitivity (Fig. 8.17) is proven to stay below it; without one, stability alone.
    """
    first, last = (int(x) for x in order.split(" to "))
    names = [f"theta{k}" for k in (range(first, last + 1) if first < last else range(first, last - 1, -1))]
    if gain is None:
        return iterative_ranges(model(tangent), printed_gains(tangent), names, seconds=seconds)
    loop = performance_loop(tangent)
    return iterative_ranges(
        model(tangent), loop, names, inputs=loop.inputs, outputs=loop.outputs, bound=gain, seconds=seconds
    )


def printed_box(tangent: str, printed: Printed, *, gain: float | None = None, seconds: float = 200.0) -> Robustness:
    """Proofs over printed ranges [deg], all joints together: stability, or a gain of the sensitivity too."""
    u, loop = model(tangent), closed_loop(tangent) if gain is None else performance_loop(tangent)
    spans = {n: np.radians(span) for n, span in zip(LIMITS, printed, strict=True)}
    low, high = (u.normalised(**{n: float(span[k]) for n, span in spans.items()}) for k in (0, 1))
    box = loop.normalised({n: (low[n], high[n]) for n in spans})
    if gain is None:
        return robust_stability(box, level=1.0, seconds=seconds)
    return robust_performance(box, box.inputs, box.outputs, bound=gain, level=1.0, seconds=seconds)


def printed_inside(ranges: Mapping[str, tuple[float, float]], printed: Printed) -> int:
    """How many printed ranges lie within guaranteed ones [rad]: to the printed degree, and one more for mu's digits."""
    return sum(
        np.degrees(ranges[n][0]) <= lo + 0.5 + 1.0 and hi - 0.5 - 1.0 <= np.degrees(ranges[n][1])
        for n, (lo, hi) in zip(LIMITS, printed, strict=True)
        if n in ranges
    )


def random_peak(count: int, seed: int = 0) -> float:
    """Largest weighted gain [dB] of the flexible chaser at random configurations within the limits (Fig. 8.19).

    Without rotors: with their inertia the gain of joint 6, which is that of its hand alone, gives 78 dB everywhere.
    """
    import control

    machine = chaser("booms")
    eom, n = derive(machine), machine.nv
    rows = [machine.v_names.index(v) for v in driven(machine)]
    spans = {name: np.tan(np.array(span) / 2.0) for name, span in ranges("half").items()}

    def inertia(numbers: Mapping[str, float]) -> Array:
        """Mass matrix at numbers between -1 and 1, of the tangents of half the angles."""
        q = machine.q_neutral
        for name, (low, high) in spans.items():
            tangent = (low + high) / 2.0 + (high - low) / 2.0 * numbers[name]
            q[machine.q_names.index(name)] = 2.0 * np.arctan(tangent)
        return np.asarray(eom.mass_matrix(q))

    # Without gravity the strain and its losses do not depend on the angles.
    strain = np.asarray(eom.mass_matrix(machine.q_neutral)) @ linearize(machine).A[n:]
    gains = feedback_gains(inertia(dict.fromkeys(spans, 0.0))[np.ix_(rows, rows)])
    both = [*rows, *(n + k for k in rows)]
    strain[np.ix_(rows, both)] -= gains
    rng, worst, one = np.random.default_rng(seed), 0.0, np.eye(n)
    w = RATE * np.array([1.0] * 6 + [10.0] * 6)
    weight = np.hstack([w[:, None] ** 2 * one[rows], 2 * DAMPING * w[:, None] * one[rows]])
    B = np.vstack([np.zeros((n, 12)), one[:, rows]])
    for _ in range(count):
        motion = np.linalg.solve(inertia({name: float(rng.uniform(-1.0, 1.0)) for name in spans}), strain)
        A = np.vstack([np.hstack([np.zeros((n, n)), one]), motion])
        worst = max(worst, hinf_norm(control.ss(A, B, motion[rows] + weight, np.eye(12))).value)
    return float(20.0 * np.log10(worst))


def _degrees(ranges: Mapping[str, tuple[float, float]]) -> str:
    return ", ".join(f"{n} {np.degrees(low):.0f} to {np.degrees(high):.0f}" for n, (low, high) in ranges.items())


if __name__ == "__main__":  # the tables of ranges of docs/robust_chaser.md; the quarter tangent takes many minutes
    for way, steps in PRINTED_RANGES:
        if steps != "at once":
            print(way, steps, _degrees(one_by_one(steps, way).ranges), flush=True)
    for way, (_, printed_gain) in LEVELS.items():
        print(way, printed_gain, _degrees(one_by_one("5 to 1", way, gain=printed_gain).ranges), flush=True)
