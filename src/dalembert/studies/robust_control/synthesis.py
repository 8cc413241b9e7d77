"""Synthesis on the chaser (SPACE 8.2): acceleration sensitivities of arm and base, gains no larger than printed.

The weight ``W = (s^2 + 2 xi w s + w^2) / s^2`` of (8.11) cancels the double integrator of the acceleration sensitivity:
``W S`` is the transfer from a disturbing acceleration to ``a + 2 xi w v + w^2 x``, which is an output of the plant.
At infinite frequency it is one whatever the controller (errata), so that a norm below one exists over a band only:
here up to ten times the rate of the debris, which is the bandwidth of the arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from dalembert.analysis.linearize import linearize
from dalembert.control.structured import Gain, Structure, Tunable, TuneResult, beside, fixed_controller, gains, tune
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine
from dalembert.studies.robust_control.chaser import DAMPING, RATE, driven
from dalembert.systems.space_robots import space_chaser

__all__ = [
    "BAND",
    "CONFIGURATIONS",
    "FLEXIBLE",
    "RIGID",
    "centralised",
    "mass_matrix",
    "plant",
    "soft_index",
    "synthesis",
]

BAND = (0.0, 10.0 * RATE)
# SPACE (8.12): angles of the joints [rad].
CONFIGURATIONS = {"q1": (0.0,) * 6, "q2": (2.21, 0.81, 1.27, 1.64, 2.83, 1.25)}
Gains = tuple[tuple[float, ...], tuple[float, ...]]
# SPACE Tables 8.2 and 8.4: proportional and derivative gains of the joints.
RIGID: dict[str, Gains] = {
    "mono1": ((2821, 3735, 3876, 5872, 1242, 0.002), (2215, 571, 594, 445, 338, 0.03)),
    "mono2": ((1025, 2103, 1634, 266, 2018, 0.008), (371, 1335, 1090, 415, 289, 0.03)),
    "multi": ((3803, 7246, 5575, 373, 3967, 0.006), (1973, 2507, 1822, 1222, 898, 0.03)),
}
FLEXIBLE: dict[str, Gains] = {
    "mono1": ((9197, 4827, 3560, 1360, 3138, 1), (720, 720, 720, 720, 720, 165)),
    "mono2": ((4111, 4384, 3762, 989, 26060, 48496), (794, 794, 794, 794, 794, 19)),
    "multi": ((7419, 3556, 3420, 1440, 3648, 1), (1040, 1040, 1040, 1020, 1040, 196)),
}
_MODELS = {"mono1": ("q1",), "mono2": ("q2",), "multi": ("q1", "q2")}
_BASE_LIMIT = 10.0  # of the gains of the base, which are not printed, in multiples of w^2 D_ii and 2 xi w D_ii


# The soft index of Table 8.4 is the largest derivative gain over this one (720 / 103, 794 / 114 and 1040 / 149).
_SOFT_GAIN = 100.0 * RATE


@cache
def chaser(arm: str) -> Machine:
    """The chaser without arrays and rotors: the gains of joint 6 in Tables 8.2 and 8.4 are those of its hand alone.

    ``"printed"`` has the inertias of Table D.3, ``"rigid"`` the corrected ones (errata: 0.0049 kg m2 of the hand).
    """
    return space_chaser(arm, arrays=None, rotors=False)


def _weights() -> tuple[Array, Array]:
    """``w^2`` and ``2 xi w`` of the base and of the arm."""
    w = RATE * np.array([1.0] * 6 + [10.0] * 6)
    return w**2, 2 * DAMPING * w


def _configured(arm: str, configuration: Sequence[float]) -> Array:
    machine = chaser(arm)
    q = machine.q_neutral
    for k, angle in enumerate(configuration):
        q[machine.q_names.index(f"theta{k + 1}")] = angle
    return q


def mass_matrix(configuration: Sequence[float], arm: str = "rigid") -> Array:
    """Mass matrix at angles of the joints."""
    return np.asarray(derive(chaser(arm)).mass_matrix(_configured(arm, configuration)))


@cache
def plant(name: str, arm: str = "rigid") -> Any:
    """SPACE (8.9), (8.10) at a configuration: from accelerations ``w`` and forces ``f`` to ``z``, ``x`` and ``v``."""
    import control

    machine, q = chaser(arm), _configured(arm, CONFIGURATIONS[name])
    A = np.array(linearize(machine, at=q).A)
    n = len(A) // 2
    rows = [list(machine.v_names).index(v) for v in driven(machine)]
    one = np.eye(n)
    drive = np.hstack([one, np.linalg.inv(mass_matrix(CONFIGURATIONS[name], arm))])[:, [*rows, *(n + i for i in rows)]]
    stiff, damped = _weights()
    z = A[n:][rows] + np.hstack([stiff[:, None] * one[rows], damped[:, None] * one[rows]])
    return control.ss(
        A,
        np.vstack([np.zeros((n, 24)), drive]),
        np.vstack([z, np.kron(np.eye(2), one[rows])]),
        np.vstack([drive[rows], np.zeros((24, 24))]),
        inputs=[f"{s}{k}" for s in "wf" for k in range(12)],
        outputs=[f"{s}{k}" for s in "zxv" for k in range(12)],
    )


def _base(size: Array) -> Structure:
    """SPACE (8.1): free blocks of translation and rotation of the base."""

    def free(i: int, j: int, term: int) -> Tunable:
        most = _BASE_LIMIT * size[term, i]
        return Tunable(f"K{'pd'[term]}[{i},{j}]", size[term, i] * (i == j), -most, most, size[term, i])

    blocks = {
        f"f{i}": {f"{'xv'[term]}{j}": free(i, j, term) for term in (0, 1) for j in range(i - i % 3, i - i % 3 + 3)}
        for i in range(6)
    }
    return gains(blocks)


def _per_joint(limits: Gains, drives: str, first: int) -> Structure:
    """Own gains of each joint up to limits; they drive signals of a letter, numbered from the first."""

    def gain(i: int, term: int) -> Tunable:
        most = limits[term][i]
        return Tunable(f"K{'pd'[term]}{i + 1}", most / 2, 0.0, most, most / 4)

    return gains({f"{drives}{first + i}": {f"{'xv'[term]}{6 + i}": gain(i, term) for term in (0, 1)} for i in range(6)})


def _structure(inertia: Array, limits: Gains) -> Structure:
    """SPACE (8.1) and (8.3): free blocks of the base, own gains of each joint."""
    return beside(_base(np.array(_weights()) * inertia), _per_joint(limits, "f", 6))


def _requirements() -> list[Gain]:
    blocks = {"base": range(6), "arm": range(6, 12)}
    return [
        Gain([f"w{k}" for k in block], [f"z{k}" for k in block], band=BAND, name=name) for name, block in blocks.items()
    ]


@cache
def synthesis(case: str, arm: str = "rigid", starts: int = 2, evaluations: int = 3000) -> TuneResult:
    """Least weighted norm of the blocks of base and arm with gains no larger than printed."""
    limits = (FLEXIBLE if arm == "flexible" else RIGID)[case]
    models = {name: plant(name, arm) for name in _MODELS[case]}
    structure = _structure(_inertia(tuple(models), arm), limits)
    return tune(models, structure, soft=_requirements(), starts=starts, evaluations=evaluations)


@cache
def centralised(case: str, arm: str = "flexible", index: float = 10.0, evaluations: int = 3000) -> TuneResult:
    """The same with the centralised law (8.2), ``D(q0)`` times own gains of the joints.

    They are at most ``index`` times ``w^2`` and ``2 xi w``, which is how the document limits them; ``q0`` is the first
    configuration of the case.
    """
    models = {name: plant(name, arm) for name in _MODELS[case]}
    rows = [list(chaser(arm).v_names).index(v) for v in driven(chaser(arm))][6:]
    D0 = mass_matrix(CONFIGURATIONS[_MODELS[case][0]], arm)[np.ix_(rows, rows)]
    stiff, damped = (tuple(index * w[6:]) for w in _weights())
    through = fixed_controller(D0, [f"f{k}" for k in range(6, 12)], [f"a{k}" for k in range(6)])
    size = np.array(_weights()) * _inertia(tuple(models), arm)
    structure = beside(_base(size), through * _per_joint((stiff, damped), "a", 0))
    return tune(models, structure, soft=_requirements(), starts=1, evaluations=evaluations)


def soft_index(result: TuneResult) -> float:
    """Soft index of Table 8.4: the largest derivative gain of the joints, relative."""
    return max(result.values[f"Kd{i}"] for i in range(1, 7)) / _SOFT_GAIN


def _inertia(names: Sequence[str], arm: str) -> Array:
    """Largest diagonal of the mass matrix over configurations."""
    rows = [list(chaser(arm).v_names).index(v) for v in driven(chaser(arm))]
    return np.asarray(np.max([np.diag(mass_matrix(CONFIGURATIONS[name], arm))[rows] for name in names], axis=0))
