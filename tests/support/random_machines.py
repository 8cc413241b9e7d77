"""Random machines: trees with every kind of joint, arbitrary placements, possible inertias, motors, springs, losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import dalembert as da
from dalembert.core.parameter import nominal
from dalembert.model.joints import JOINT_KINDS

KINDS = tuple(kind for kind in JOINT_KINDS if kind != "fixed")
_WEIGHTS = {"revolute": 5.0, "prismatic": 2.0, "free": 0.7, "fixed": 1.5}  # the other kinds: 1
_NV = {kind: info.nv for kind, info in JOINT_KINDS.items()}


def random_machine(
    seed: int | np.random.Generator,
    joints: int | None = None,
    *,
    kinds: Sequence[str] = (*KINDS, "fixed"),
    base: str | None = None,
    max_nv: int = 24,
    springs: bool = True,
    losses: bool = True,
    motors: bool = True,
    wrenches: bool = False,
    parameters: bool = False,
    couplings: int = 0,
    gravity: bool = True,
    massless: bool = True,
) -> da.Machine:
    """Make a random machine; the same seed gives the same machine with and without parameters.

    Parameters
    ----------
    seed
        Seed or generator.
    joints
        Number of joints, fixed ones included; 1 to 8 if not given.
    kinds
        Kinds of joint to choose from.
    base
        Kind of the first joint.
    max_nv
        Bound of the degrees of freedom.
    couplings
        Number of joints that follow another one, as far as there are joints for it.
    massless
        Whether some bodies that carry others may have no mass.
    """
    rng = np.random.default_rng(seed)
    number = _Numbers(np.random.default_rng(rng.integers(2**32)), parameters)
    n = int(rng.integers(1, 9)) if joints is None else joints
    skeleton = _skeleton(rng, n, kinds, base, max_nv)
    bodies: list[da.Body] = []
    made: list[da.Joint] = []
    motor_list: list[da.Motor] = []
    for i, bone in enumerate(skeleton):
        bodies.append(_body(rng, number, bone.name, massless=massless and bone.massless))
        origin, axis = _transform(rng, number, f"o{i}"), _axis(rng, aligned=not bone.massless)
        info = JOINT_KINDS[bone.kind]
        one = info.nv == 1
        made.append(
            da.Joint(
                bone.joint,
                bone.kind,
                bone.parent,
                bone.name,
                origin=origin,
                axis=axis,
                stiffness=number(rng.uniform(0.1, 20.0), f"k{i}") if springs and one and rng.random() < 0.3 else 0.0,
                rest=number(rng.normal(), f"r{i}") if one and rng.random() < 0.5 else 0.0,
                damping=number(rng.uniform(0, 1), f"d{i}") if losses and bone.kind != "fixed" else 0.0,
                friction=number(rng.uniform(0, 1), f"c{i}") if losses and one and rng.random() < 0.3 else 0.0,
                friction_velocity=0.1,
                second_axis=_crossing(rng, axis) if "second_axis" in info.needs else None,
                pitch=number(rng.uniform(-0.3, 0.3), f"h{i}") if "pitch" in info.needs else None,
                armature=_armature(n, i, bone.kind) if motors else 0.0,
            )
        )
        if motors and one and rng.random() < 0.5:
            ratio = float(rng.choice([-1, 1]) * rng.uniform(1, 100))
            inertia = rng.uniform(0, 0.5) / ratio**2
            motor_list.append(
                da.Motor(
                    f"motor {i}",
                    bone.joint,
                    number(ratio, f"n{i}"),
                    number(inertia, f"j{i}"),
                    number(rng.uniform(0, 1e-4), f"b{i}") if losses else 0.0,
                )
            )
    frames = [
        da.Frame(f"frame {k}", str(rng.choice([b.name for b in bodies])), _transform(rng, number, f"f{k}"))
        for k in range(2)
    ]
    wrench_list = [
        da.Wrench(
            f"wrench {k}",
            f"frame {k}",
            tuple(number(x, f"w{k}{i}") for i, x in enumerate(rng.normal(size=3))),
            tuple(rng.normal(size=3)),
            axes=str(rng.choice(["world", "frame"])),
        )
        for k in range(2 if wrenches else 0)
    ]
    g = tuple(rng.normal(size=3) * 5) if gravity else (0.0, 0.0, 0.0)
    machine = da.Machine(
        "random",
        bodies=[bodies[i] for i in rng.permutation(n)],
        joints=[made[i] for i in rng.permutation(n)],
        frames=frames,
        motors=motor_list,
        couplings=_couplings(rng, number, made, motor_list, couplings),
        gravity=(g[0], g[1], number(g[2], "g") if gravity else 0.0),
    )
    return machine.with_(wrenches=[w for w in wrench_list if machine.tree.frames[w.frame][0] >= 0])  # of what moves


def floating_machine(seed: int, joints: int | None = None, **options: Any) -> da.Machine:
    """A random machine on one free joint, without gravity, springs and losses."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6)) if joints is None else joints
    options = {"base": "free", "gravity": False, "springs": False, "losses": False, "motors": False} | options
    return random_machine(rng, n, **options)


@st.composite
def machines(draw: st.DrawFn, max_joints: int = 6, **options: Any) -> da.Machine:
    """Strategy of random machines; it shrinks towards few joints."""
    joints = draw(st.integers(1, max_joints), label="joints")
    return random_machine(draw(st.integers(0, 2**20), label="seed"), joints, **options)


def with_armatures(machine: da.Machine) -> da.Machine:
    """The machine with its rotors as armatures, which is what Pinocchio and MuJoCo have."""
    inertia = {joint.name: nominal(joint.armature) for joint in machine.joints}
    for motor in machine.motors:
        inertia[motor.joint] += nominal(motor.ratio) ** 2 * nominal(motor.rotor_inertia)
    return machine.with_(
        joints=[replace(joint, armature=inertia[joint.name]) for joint in machine.joints],
        motors=[replace(motor, rotor_inertia=0.0) for motor in machine.motors],
    )


def random_state(
    eom: da.EquationsOfMotion, seed: int | np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Random configuration, velocity, acceleration and generalised force."""
    rng = np.random.default_rng(seed)
    q = eom.random_configuration(rng)
    return q, rng.normal(size=eom.nv), rng.normal(size=eom.nv), 5.0 * rng.normal(size=eom.nv)


@dataclass(frozen=True)
class _Bone:
    name: str
    joint: str
    kind: str
    parent: str
    massless: bool = False


def _skeleton(rng: np.random.Generator, n: int, kinds: Sequence[str], base: str | None, max_nv: int) -> list[_Bone]:
    # Joint names are shuffled, so that the order of the coordinates differs from the order of creation.
    labels = [f"{chr(97 + int(rng.integers(26)))}{i}" for i in range(n)]
    bones: list[_Bone] = []
    nv = 0
    for i in range(n):
        fitting = [k for k in kinds if nv + _NV[k] <= max_nv] or ["fixed"]
        weights = np.array([_WEIGHTS.get(k, 1.0) for k in fitting])
        kind = base if base and i == 0 else str(rng.choice(fitting, p=weights / weights.sum()))
        if i == 0 and kind == "fixed" and n == 1:
            kind = "revolute"
        depth = rng.random()
        if i == 0 or (depth < 0.1 and base is None):
            parent = "world"
        elif depth < 0.6:
            parent = bones[-1].name
        else:
            parent = bones[int(rng.integers(i))].name
        nv += _NV[kind]
        bones.append(_Bone(f"body {i}", f"{labels[i]} joint", kind, parent))
    if nv == 0:
        bones[-1] = replace(bones[-1], kind="revolute")
    return [replace(b, massless=rng.random() < 0.3 and _may_be_massless(b, bones)) for b in bones]


def _may_be_massless(bone: _Bone, bones: Sequence[_Bone]) -> bool:
    """Fixed bodies always; moving ones if revolute between massive revolute ones, where M stays regular."""
    if bone.kind == "fixed":
        return any(b.kind != "fixed" and b.parent != bone.name for b in bones if b.parent == bone.parent) or (
            bone.parent != "world" and next(b for b in bones if b.name == bone.parent).kind != "fixed"
        )
    children = [b for b in bones if b.parent == bone.name]
    index = bones.index(bone)
    even = index % 2 == 0  # never two massless neighbours
    return bool(
        even
        and bone.kind == "revolute"
        and children
        and all(c.kind == "revolute" and bones.index(c) % 2 == 1 for c in children)
    )


def _armature(n: int, i: int, kind: str) -> float:
    """Armature of every third joint; of a planar one Pinocchio would take it in moving axes."""
    has = (n + i) % 3 == 0 and kind not in ("fixed", "free", "planar")
    return 0.05 * (1 + n + i) if has else 0.0


class _Numbers:
    """Turns numbers into parameters, some into expressions of them, if asked to."""

    def __init__(self, rng: np.random.Generator, on: bool) -> None:
        self.rng, self.on = rng, on

    def __call__(self, value: float, name: str) -> Any:
        choice = self.rng.random()
        value = float(value)
        if not self.on or choice < 0.4:
            return value
        if choice < 0.8:
            return da.Parameter(name, value)
        return da.Parameter(name, value / 2) * 2.0


def _body(rng: np.random.Generator, number: _Numbers, name: str, *, massless: bool) -> da.Body:
    """A cloud of points: its inertia is possible by construction."""
    points = rng.normal(size=(6, 3)) * rng.uniform(0.05, 0.4) + rng.normal(size=3) * 0.2
    masses = rng.uniform(0.05, 1.0, size=6)
    if massless:
        return da.Body(name)
    mass = masses.sum()
    com = masses @ points / mass
    d = points - com
    I = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, d, strict=True))
    label = name.replace(" ", "")
    return da.Body(
        name,
        number(mass, f"m_{label}"),
        tuple(number(x, f"c_{label}_{i}") for i, x in enumerate(com)),
        I,
    )


def _transform(rng: np.random.Generator, number: _Numbers, label: str) -> da.Transform:
    choice = rng.random()
    translation = tuple(number(x, f"t_{label}_{i}") for i, x in enumerate(rng.normal(size=3) * 0.5))
    Q = rng.normal(size=4)
    quarter = rng.integers(-2, 3, size=3) * np.pi / 2
    if choice < 0.15:
        return da.Transform(translation)
    if choice < 0.4:
        return da.Transform.rpy(*quarter, translation)
    if choice < 0.5:
        return da.Transform.rpy(number(Q[0], f"a_{label}"), Q[1], Q[2], translation)
    return da.Transform.quaternion(Q, translation)


def _axis(rng: np.random.Generator, *, aligned: bool) -> tuple[float, ...]:
    free, k, sign, choice = rng.normal(size=3), int(rng.integers(3)), float(rng.choice([-1.0, 1.0])), rng.random()
    return tuple(sign * np.eye(3)[k]) if aligned and choice < 0.5 else tuple(free)


def _crossing(rng: np.random.Generator, axis: Sequence[float]) -> tuple[float, ...]:
    """An axis that is not parallel to another one; at right angles to it as often as not."""
    second = _axis(rng, aligned=True)
    return second if np.linalg.norm(np.cross(axis, second)) > 0.1 else tuple(np.roll(axis, 1))


def _couplings(
    rng: np.random.Generator, number: _Numbers, joints: Sequence[da.Joint], motors: Sequence[da.Motor], count: int
) -> list[da.Coupling]:
    driven = {m.joint for m in motors}
    single = [j.name for j in joints if j.info.nv == 1]
    followers = [name for name in single if name not in driven][:count]
    leaders = [name for name in single if name not in followers]
    if not leaders:
        return []
    return [
        da.Coupling(name, str(rng.choice(leaders)), number(rng.uniform(-2, 2), f"x{k}"), number(rng.normal(), f"y{k}"))
        for k, name in enumerate(followers)
    ]
