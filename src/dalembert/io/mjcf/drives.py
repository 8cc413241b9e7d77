"""Actuators, equalities and tendons of a compiled model as motors, thrusters, constraints and cables of a machine."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.io.mjcf.compiled import Compiled, pose, unique
from dalembert.io.mjcf.tree import Placed
from dalembert.model.cables import Cable
from dalembert.model.constraints import BallConstraint, Constraint, GearConstraint, WeldConstraint
from dalembert.model.parts import Frame, Motor, Thruster
from dalembert.model.transform import Transform

__all__ = ["Servo", "read_actuators", "read_equalities", "read_tendons"]


@dataclass(frozen=True)
class Servo:
    """A servo of MuJoCo on a joint, as gains of the joint: ``tau = kp (reference - q) - kd q'``."""

    motor: str
    kp: float
    kd: float
    reference: float


def read_actuators(source: Compiled, tree: Placed) -> tuple[list[Motor], list[Thruster], list[Servo]]:
    """Motors of joints, thrusters at sites, servos; inertia and loss of any actuator on a joint go to the joint."""
    m, mujoco = source.model, source.mujoco
    on_joint = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    motors: list[dict[str, Any]] = []
    thrusters: list[dict[str, Any]] = []
    servos: dict[int, tuple[float, float, float]] = {}
    faults: dict[str, list[str]] = {}
    for k in range(len(m.actuator_trntype)):
        name, kind = source.name("actuator", k), int(m.actuator_trntype[k])
        target = int(m.actuator_trnid[k, 0])
        gear = [float(x) for x in m.actuator_gear[k]]
        single = kind in on_joint and int(m.jnt_type[target]) in (2, 3)
        if single:
            _add_rotor(source, tree, k, tree.joint_names[target], gear[0])
        fault = _unlike_a_motor(source, k)
        gain = float(m.actuator_gainprm[k, 0])
        if fault is None and single and gear[0] * gain != 0.0:
            effort, _ = _effort(source, k, name, gain)
            joint = tree.joint_names[target]
            named = name if _has_name(source, k) else joint
            motors.append({"name": named, "joint": joint, "ratio": gear[0] * gain, "effort": effort})
        elif single and gear[0] != 0.0 and (gains := _servo(source, k)) is not None:
            joint = tree.joint_names[target]
            kp, kd = (gear[0] ** 2 * x for x in gains)
            servos[len(motors)] = (kp, kd, _command(source, k) / gear[0])
            named = name if _has_name(source, k) else joint
            motors.append({"name": named, "joint": joint, "ratio": gear[0], "effort": _force_limit(source, k, name)})
        elif fault is None and kind == int(mujoco.mjtTrn.mjTRN_SITE) and int(m.actuator_trnid[k, 1]) < 0:
            effort, one_sided = _effort(source, k, name, gain)
            force, torque = ([x * gain for x in gear[i : i + 3]] for i in (0, 3))
            settings = {"name": name, "frame": tree.sites[target], "force": force, "torque": torque, "effort": effort}
            thrusters.append(settings | {"one_sided": one_sided})
        else:
            faults.setdefault(fault or "on a tendon, body or joint of several coordinates", []).append(f"'{name}'")
    for fault, left in faults.items():
        source.leave_out(f"actuator{'s' * (len(left) > 1)} {', '.join(left)} ({fault})")
    names = unique([str(x["name"]) for x in (*motors, *thrusters)])
    for settings, name in zip((*motors, *thrusters), names, strict=True):
        settings["name"] = name
    held = [Servo(str(motors[i]["name"]), *numbers) for i, numbers in servos.items()]
    return [Motor(**x) for x in motors], [Thruster(**x) for x in thrusters], held


def _servo(source: Compiled, k: int) -> tuple[float, float] | None:
    """Gains of a servo of position or velocity: its force is ``kp (u - length) - kd velocity``; None: it is none."""
    m, mujoco = source.model, source.mujoco
    plain = int(m.actuator_dyntype[k]) == int(mujoco.mjtDyn.mjDYN_NONE)
    fixed = int(m.actuator_gaintype[k]) == int(mujoco.mjtGain.mjGAIN_FIXED)
    affine = int(m.actuator_biastype[k]) == int(mujoco.mjtBias.mjBIAS_AFFINE)
    if not (plain and fixed and affine) or source.array("actuator_delay", len(m.actuator_trntype))[k]:
        return None
    gain, (b0, b1, b2) = float(m.actuator_gainprm[k, 0]), (float(x) for x in m.actuator_biasprm[k, :3])
    position = b1 != 0.0 and b1 == -gain
    velocity = b1 == 0.0 and b2 != 0.0 and b2 == -gain
    if b0 != 0.0 or b2 > 0.0 or gain <= 0.0 or not (position or velocity):
        return None
    return (gain, -b2) if position else (0.0, -b2)


def _command(source: Compiled, k: int) -> float:
    """Position that a servo holds: that of the first keyframe, else zero."""
    m = source.model
    position = float(m.actuator_biasprm[k, 1]) != 0.0
    return float(m.key_ctrl[0, k]) if m.nkey and position else 0.0


def _force_limit(source: Compiled, k: int, name: str) -> float:
    """Largest force of a servo; limits that are not symmetric are widened and noted."""
    m = source.model
    if not m.actuator_forcelimited[k]:
        return math.inf
    low, high = (float(x) for x in m.actuator_forcerange[k])
    if low != -high:
        source.leave_out(f"force limits [{low:g}, {high:g}] of servo '{name}': symmetric here")
    return max(-low, high, 0.0)


def _has_name(source: Compiled, k: int) -> bool:
    return bool(source.mujoco.mj_id2name(source.model, source.mujoco.mjtObj.mjOBJ_ACTUATOR, k))


def _unlike_a_motor(source: Compiled, k: int) -> str | None:
    """Say why an actuator is more than a force in proportion to its input."""
    m, mujoco = source.model, source.mujoco
    if int(m.actuator_dyntype[k]) != int(mujoco.mjtDyn.mjDYN_NONE):
        return "with an internal state"
    if int(m.actuator_gaintype[k]) != int(mujoco.mjtGain.mjGAIN_FIXED):
        return "muscle, damper or user-defined gain"
    if int(m.actuator_biastype[k]) != int(mujoco.mjtBias.mjBIAS_NONE):
        return "servo that is not linear in position and velocity; laws such as da.PD do that"
    if source.array("actuator_delay", len(m.actuator_trntype))[k]:
        return "with a delay"
    return None


def _add_rotor(source: Compiled, tree: Placed, k: int, joint: str, gear: float) -> None:
    """Reflect inertia and damping of an actuator to its joint."""
    n = len(source.model.actuator_trntype)
    inertia, damping = (float(source.array(f"actuator_{x}", n)[k]) for x in ("armature", "damping"))
    if inertia or damping:
        i = next(i for i, j in enumerate(tree.joints) if j.name == joint)
        old = tree.joints[i]
        tree.joints[i] = replace(
            old,
            armature=old.armature + gear**2 * inertia,
            damping=old.damping + (0.0 if source.disabled("DAMPER") else gear**2 * damping),
        )
    if np.any(source.array("actuator_dampingpoly", n)[k]):
        source.leave_out(f"damping of actuator '{source.name('actuator', k)}' that is not linear")


def _effort(source: Compiled, k: int, name: str, gain: float) -> tuple[float, bool]:
    """Largest input and whether it only pushes; limits that are not symmetric are widened and noted."""
    m = source.model
    low, high = -math.inf, math.inf
    if m.actuator_ctrllimited[k] and not source.disabled("CLAMPCTRL"):
        low, high = (float(x) for x in m.actuator_ctrlrange[k])
    if m.actuator_forcelimited[k] and gain:
        least, most = sorted(float(x) / gain for x in m.actuator_forcerange[k])
        low, high = max(low, least), min(high, most)
    site = int(m.actuator_trntype[k]) == int(source.mujoco.mjtTrn.mjTRN_SITE)
    one_sided = site and low == 0.0
    if low != -high and not one_sided:
        widest = max(-low, high)
        source.leave_out(f"limits [{low:g}, {high:g}] of actuator '{name}': [{-widest:g}, {widest:g}] here")
    return max(-low, high, 0.0), one_sided


def read_equalities(source: Compiled, tree: Placed, *, hard: bool) -> list[Constraint]:
    """Equalities as hard constraints where requested and where they have a counterpart; the others are noted."""
    m = source.model
    if source.disabled("EQUALITY") or source.disabled("CONSTRAINT"):
        return []
    constraints: list[Constraint] = []
    names = unique([source.name("equality", k) for k in range(m.neq)])
    for k, name in enumerate(names):
        kind = str(source.mujoco.mjtEq(int(m.eq_type[k])).name).removeprefix("mjEQ_").lower()
        constraint = _equality(source, tree, k, name, kind) if hard else None
        if constraint is None:
            could = not hard and kind in ("connect", "weld", "joint")
            why = "; hard_equalities=True makes it a constraint" if could else ""
            source.leave_out(f"soft equality '{name}' ({kind}){why}")
        else:
            constraints.append(constraint)
    return constraints


def _equality(source: Compiled, tree: Placed, k: int, name: str, kind: str) -> Constraint | None:
    m, data = source.model, source.model.eq_data[k]
    one, other = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
    state: dict[str, Any] = {} if m.eq_active0[k] else {"active": False, "switchable": True}
    if kind == "joint":
        q1 = float(m.qpos0[m.jnt_qposadr[one]])
        if other < 0:
            return GearConstraint(name, ((tree.joint_names[one], 1.0),), q1 + float(data[0]), **state)
        if np.any(data[2:5]):
            return None
        q2, ratio = float(m.qpos0[m.jnt_qposadr[other]]), float(data[1])
        terms = ((tree.joint_names[one], 1.0), (tree.joint_names[other], -ratio))
        return GearConstraint(name, terms, q1 + float(data[0]) - ratio * q2, **state)
    if kind not in ("connect", "weld"):
        return None
    if int(m.eq_objtype[k]) == int(source.mujoco.mjtObj.mjOBJ_SITE):
        ends = tree.sites[one], tree.sites[other]
        if kind == "connect":
            return BallConstraint(name, *ends, **state)
        return WeldConstraint(name, *ends, Transform(), **state)
    if kind == "connect":
        frames = [
            _frame(tree, f"{name}.{end}", body, pose(data[3 * end : 3 * end + 3], (1.0, 0.0, 0.0, 0.0)))
            for end, body in enumerate((one, other))
        ]
        return BallConstraint(name, *frames, **state)
    # The pose of body 2 in body 1 is data[3:10]; the anchor says about which point torques are weighed.
    held = _frame(tree, f"{name}.0", one, pose(data[3:6], data[6:10]))
    return WeldConstraint(name, held, _frame(tree, f"{name}.1", other, Transform()), Transform(), **state)


def read_tendons(source: Compiled, tree: Placed) -> list[Cable]:
    """Springs between two sites as elastic cables, which push too where the spring has no slack; others are noted.

    A tendon of stiffness ``k`` and unstretched length ``b`` is a cable with ``EA = k b``.
    """
    m, cables = source.model, list[Cable]()
    names = unique([source.name("tendon", k) for k in range(m.ntendon)])
    for k, name in enumerate(names):
        start, count = int(m.tendon_adr[k]), int(m.tendon_num[k])
        site = int(source.mujoco.mjtWrap.mjWRAP_SITE)
        between = [int(m.wrap_objid[i]) for i in range(start, start + count) if int(m.wrap_type[i]) == site]
        least, rest = (float(x) for x in m.tendon_lengthspring[k])
        spring = 0.0 if source.disabled("SPRING") else float(m.tendon_stiffness[k])
        loss = 0.0 if source.disabled("DAMPER") else float(m.tendon_damping[k])
        plain = len(between) == count == 2 and spring > 0.0 and rest > 0.0 and least in (0.0, rest)
        if not plain or (loss and least == 0.0):
            source.leave_out(f"tendon '{name}' ({_tendon(source, k)})")
            continue
        more = {"limited": "range", "frictionloss": "friction", "armature": "armature", "stiffnesspoly": "stiffness"}
        for field, what in more.items():
            if np.any(source.array(f"tendon_{field}", m.ntendon)[k]):
                source.leave_out(f"{what} of tendon '{name}'" + " that is not linear" * field.endswith("poly"))
        ends = tree.sites[between[0]], tree.sites[between[1]]
        properties: dict[str, Any] = {"stiffness": spring * rest, "damping": loss * rest, "bilateral": least == rest}
        cables.append(Cable(name, *ends, length=rest, **properties))
    return cables


def _tendon(source: Compiled, k: int) -> str:
    """The path of a tendon and its effects, which decide whether the machine moves without it."""
    m = source.model
    fixed = int(m.wrap_type[m.tendon_adr[k]]) == int(source.mujoco.mjtWrap.mjWRAP_JOINT)
    acts = {
        "stiffness": "spring",
        "stiffnesspoly": "spring",
        "damping": "damping",
        "dampingpoly": "damping",
        "frictionloss": "friction",
        "armature": "inertia",
        "limited": "range",
    }
    has = dict.fromkeys(what for field, what in acts.items() if np.any(source.array(f"tendon_{field}", m.ntendon)[k]))
    with_ = f"with {', '.join(has)}" if has else "without forces"
    return f"{'over joints' if fixed else 'along sites'}, {with_}"


def _frame(tree: Placed, name: str, body: int, place: Transform) -> str:
    name = unique([name], {f.name for f in tree.frames} | set(tree.names))[0]
    tree.frames.append(Frame(name, tree.names[body], tree.placement(body, place)))
    return name
