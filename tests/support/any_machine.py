"""Random machines with everything at once: joints of every kind, beams, cables, gears, loops, parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dalembert as da
from support.random_machines import random_machine

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AnyMachine:
    """A machine and a state at rest that its constraints admit, whatever the parameters of its beams."""

    machine: da.Machine
    q: Array

    @property
    def parts(self) -> set[str]:
        """What the machine has, in words: so that a test can say that all of it occurred."""
        m = self.machine
        beams = [b for b in m.bodies if isinstance(b, da.Beam)]
        found = {joint.kind for joint in m.joints} | {type(c).__name__ for c in m.constraints}
        found |= {"beam"} if beams else set()
        found |= {"stiffened beam"} if any(b.stiffening for b in beams) else set()
        found |= {"elastic cable" if c.elastic else "rigid cable" for c in m.cables}
        found |= {"coupling"} if m.couplings else set()
        found |= {"parameters"} if m.parameters else set()
        found |= {"thruster"} if m.thrusters else set()
        return found | ({"motor"} if m.motors else set())


ANCHOR = (0.7, -0.4, 0.9)


def any_machine(seed: int) -> AnyMachine:
    """A random machine; constraints and cables are made to fit a random configuration of its tree."""
    rng = np.random.default_rng(seed)
    parameters = bool(rng.random() < 0.5)
    tree = random_machine(
        rng,
        int(rng.integers(2, 5)),
        max_nv=8,
        parameters=parameters,
        couplings=int(rng.random() < 0.3),
        wrenches=bool(rng.random() < 0.5),
    )
    if rng.random() < 0.5:
        tree = _with_beam(tree, rng, parameters)
    tree = tree.with_(frames=(*tree.frames, da.Frame("anchor", "world", da.Transform(ANCHOR))))
    eom = da.equations(tree, backend="vm")
    q = eom.random_configuration(rng, 0.3)
    constraints, frames = _constraints(eom, q, rng)
    whole = tree.with_(frames=(*tree.frames, *frames), constraints=constraints, cables=_cables(eom, q, rng))
    if whole.constrained and not _can_be_obeyed(whole, q):
        whole = whole.with_(constraints=[c for c in constraints if not isinstance(c, da.MotionConstraint)])
    more = np.random.default_rng([seed, 1])
    if more.random() < 0.5 and tree.tree.frames["frame 1"][0] >= 0:
        force, torque = map(tuple, more.normal(size=(2, 3)))
        whole = whole.with_(thrusters=[da.Thruster("thruster", "frame 1", force, torque, one_sided=True)])
    return AnyMachine(whole, q)


def _with_beam(tree: da.Machine, rng: np.random.Generator, parameters: bool) -> da.Machine:
    """Hang a beam with a payload on one of the bodies."""
    length = float(rng.uniform(0.5, 1.5))
    # Polynomials of low degree: few points, and small expressions where energies are integrated from positions.
    shapes = [da.Shape.polynomial(length, c) for c in ([0, 0, 1.5, -0.5], [0, 0, 3.0, -4.0, 1.2], [0, 0, 1.0, 0, 0.3])]
    wave = (da.Shape.polynomial(length, [0, 1.0, -0.3]),)
    modes = {"y": tuple(shapes[: int(rng.integers(1, 3))])}
    modes |= {d: s for d, s in (("x", wave), ("z", (shapes[2],)), ("torsion", wave)) if rng.random() < 0.4}

    def number(name: str, value: float) -> Any:
        return da.Parameter(name, value) if parameters and rng.random() < 0.6 else value

    beam = da.Beam(
        "boom",
        length,
        da.Section(2e-3, 2e-6, 3e-6, I_yz=float(rng.choice([0.0, 1e-6]))),
        E=number("E", 2e7),
        G=number("G", 8e6),
        density=number("rho", 1500.0),
        modes=modes,
        damping=number("zeta", 0.02),
        offset=tuple(rng.normal(size=3) * 0.1),
        rotary_inertia="torsion" in modes or bool(rng.random() < 0.7),
        stiffening=bool(rng.random() < 0.5),
        stations={"middle": 0.6 * length},
    )
    payload = da.Body("payload", 0.5, (0.1, 0.02, 0.03), inertia=(0.01, 0.012, 0.015))
    root = da.Joint(
        "root",
        str(rng.choice(["fixed", "revolute", "prismatic"])),
        str(rng.choice([b.name for b in tree.bodies])),
        "boom",
        da.Transform.quaternion(rng.normal(size=4), tuple(rng.normal(size=3) * 0.3)),
    )
    hold = da.Joint("hold", str(rng.choice(["fixed", "revolute"])), f"boom.{rng.choice(['tip', 'middle'])}", "payload")
    return tree.with_(bodies=(*tree.bodies, beam, payload), joints=(*tree.joints, root, hold))


def _moving(eom: da.EquationsOfMotion) -> list[str]:
    """Bodies whose origins move, so that a row on them can be met."""
    bodies = [b.name for b in eom.machine.bodies if eom.machine.tree.frames[b.name][0] >= 0]
    rng = np.random.default_rng(0)
    states = [eom.random_configuration(rng) for _ in range(2)]
    return [b for b in bodies if all(np.linalg.norm(eom.jacobian(b, q)[:3]) > 0.05 for q in states)]


def _constraints(eom: da.EquationsOfMotion, q: Array, rng: np.random.Generator) -> tuple[list[Any], list[da.Frame]]:
    """A rod to the world, a gear or a joint that follows a function of time, a loop; no more than can be obeyed."""
    made: list[Any] = []
    frames: list[da.Frame] = []
    bodies = _moving(eom)
    followers = {c.joint for c in eom.machine.couplings}
    single = [j.name for j in eom.machine.joints if j.info.nv == 1 and j.name not in followers]
    if bodies and eom.nv > 2 and rng.random() < 0.5:
        body = str(rng.choice(bodies))
        made.append(da.DistanceConstraint("rod", body, "anchor", length=_distance(eom, body, q)))
    if len(single) > 1 and eom.nv > 3 and rng.random() < 0.4:
        terms = {str(name): float(rng.uniform(0.5, 2.0)) for name in rng.choice(single, size=2, replace=False)}
        value = sum(ratio * q[eom.q_names.index(name)] for name, ratio in terms.items())
        made.append(da.GearConstraint("gear", terms=terms, value=float(value)))
    elif single and eom.nv > 3 and rng.random() < 0.3:
        name = str(rng.choice(single))
        start = float(q[eom.q_names.index(name)])
        made.append(da.MotionConstraint("drive", name, value=start + 0.05 * (1.0 - da.cos(3.0 * da.TIME))))
    if not made and eom.nv > 6 and len(bodies) > 1:
        one, two = (str(x) for x in rng.choice(bodies, size=2, replace=False))
        X, Y = eom.pose(one, q), eom.pose(two, q)
        arm = X[:3, 3] - Y[:3, 3]
        J, K = X[:3, :3] @ eom.jacobian(one, q)[:3], Y[:3, :3] @ eom.jacobian(two, q).reshape(2, 3, eom.nv)
        if np.linalg.svd(J - K[0] - np.cross(K[1], arm, axisa=0, axisc=0))[1][2] > 0.05:
            frames.append(da.Frame("pin", two, da.Transform(tuple(Y[:3, :3].T @ arm))))
            made.append(da.BallConstraint("loop", one, "pin"))
    return made, frames


def _can_be_obeyed(machine: da.Machine, q: Array) -> bool:
    """Whether no two rows ask something of the same motion: a joint that is driven cannot also be held by a rod."""
    J = da.equations(machine, backend="vm").constraint_jacobian(q)
    return bool(np.linalg.matrix_rank(J, tol=1e-6) == len(J))


def _cables(eom: da.EquationsOfMotion, q: Array, rng: np.random.Generator) -> list[da.Cable]:
    """An elastic cable that is taut or slack, or one that cannot stretch."""
    bodies = _moving(eom)
    if not bodies or eom.nv < 4 or rng.random() < 0.5:
        return []
    body = str(rng.choice(bodies))
    distance = _distance(eom, body, q)
    if rng.random() < 0.6:
        length = distance * float(rng.choice([0.9, 1.2]))
        return [da.Cable("rope", body, "anchor", length=length, stiffness=200.0, damping=float(rng.choice([0.0, 5.0])))]
    return [da.Cable("rope", body, "anchor", length=distance, bilateral=bool(rng.random() < 0.5))]


def _distance(eom: da.EquationsOfMotion, body: str, q: Array) -> float:
    return float(np.linalg.norm(eom.pose(body, q)[:3, 3] - ANCHOR))
