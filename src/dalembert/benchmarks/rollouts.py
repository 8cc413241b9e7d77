"""Many simulations at once: single runs, SIMD lanes, threads and a GPU, and MuJoCo's ``rollout`` on the same machine.

``dalembert bench rollouts`` prints the table. All integrate by the classical Runge-Kutta method with the same step,
from the same initial states; machines with contacts step through them (MuJoCo with soft contacts by ``implicitfast``,
which end elsewhere). Before anything is timed, the end states are compared.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np

from dalembert.api import simulate
from dalembert.benchmarks.contact_cases import (
    FEET,
    Gains,
    bouncing_balls,
    driven_quadruped,
    on_colliders,
    pile,
    pile_start,
    standing,
)
from dalembert.benchmarks.measure import Record, interleave
from dalembert.benchmarks.peers.mjx import mjx_rollout
from dalembert.benchmarks.peers.mujoco_contact import contact_xml
from dalembert.benchmarks.peers.mujoco_model import mujoco_xml
from dalembert.benchmarks.robots import ROBOTS, robot_file
from dalembert.benchmarks.rows import describe
from dalembert.compile.build import available_cores
from dalembert.control.laws import PD
from dalembert.core.errors import DalembertError, InputError, UnknownNameError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.io.conventions import from_mujoco, to_mujoco
from dalembert.io.urdf import load_urdf
from dalembert.loop.experiment import values_by_name
from dalembert.loop.members import member_values
from dalembert.loop.rollout import rollout
from dalembert.model.machine import Machine
from dalembert.model.ropes import SheaveLoss
from dalembert.simulation.rollout.result import Rollout
from dalembert.systems.cable_robots import pulley_robot
from dalembert.systems.cranes import planar_crane, uniform_cable
from dalembert.systems.flexible_arms import canadarm
from dalembert.systems.hoists import reeved_hoist
from dalembert.systems.scenes import heap

__all__ = ["ROLLOUTS", "RolloutCase", "run_rollouts"]

_SAME = 1e-12
"""Difference of end states after a second, relative to their largest number, up to which they are the same."""
_SAME_CONTACT = 1e-9
_SOFT = ("mujoco", "mujoco-threads", "mjx")
"""Contenders with another model of contact, which need not agree."""
_STEP = 1e-3
_ON_GPU = 1 << 16
"""Members that fill a large GPU."""


@dataclass(frozen=True)
class RolloutCase:
    """A machine in its loop, and where its members start.

    Parameters
    ----------
    title
        Description.
    equations
        Derives its equations of motion.
    spread
        Standard deviations of initial coordinates and velocities, by name; the others start as ``rest`` says.
    rest
        Initial coordinates and velocities by name.
    control
        Law; None if there is none.
    members
        How many in lanes.
    gains
        ``(kp, kd)`` of the law, where MuJoCo can have it too.
    contact
        How contacts are dealt with, if there are any.
    """

    title: str
    equations: Callable[[], EquationsOfMotion]
    spread: dict[str, float]
    rest: dict[str, float]
    control: Any = None
    members: int = 1024
    gains: Gains | None = None
    contact: TimeStepping | None = None

    @property
    def same(self) -> float:
        """Difference of end states up to which they are the same; impacts carry rounding on, further than laws do."""
        return _SAME if self.contact is None else _SAME_CONTACT

    def states(self, eom: EquationsOfMotion, members: int, seed: int = 0) -> Record:
        """Initial states of members, as arguments of `dalembert.rollout`: the first ones whatever their number."""
        drawn = np.random.default_rng(seed).normal(size=(members, len(self.spread))).T
        values = {name: np.full(members, value) for name, value in self.rest.items()}
        for (name, sigma), normal in zip(self.spread.items(), drawn, strict=True):
            values[name] = values.get(name, np.zeros(members)) + sigma * normal
        machine = eom.machine
        return {key: {n: values[n] for n in names if n in values} for key, names, _ in _sides(machine)}


def _sides(machine: Machine) -> tuple[tuple[str, tuple[str, ...], Array], ...]:
    """Names of coordinates and velocities, and their default values."""
    return ("q0", machine.q_names, machine.q_neutral), ("v0", machine.v_names, np.zeros(machine.nv))


def _arm(name: str, title: str, kp: tuple[float, ...], kd: tuple[float, ...]) -> RolloutCase:
    machine = load_urdf(robot_file(name), lock=dict.fromkeys(ROBOTS[name].lock, 0.0) or None)
    joints = [motor.joint for motor in machine.motors]
    spread = dict.fromkeys(joints, 0.3) | {f"{joint}_dot": 0.1 for joint in joints}
    law = PD(kp=kp, kd=kd, reference=np.zeros(len(kp)))
    return RolloutCase(title, lambda: derive(machine), spread, {}, law, gains=(kp, kd))


def _quadruped() -> RolloutCase:
    machine, law, gains = driven_quadruped(0.7)
    spread = {"root_joint.vx": 0.3, "root_joint.vy": 0.3, "root_joint.wz": 0.3}
    return RolloutCase(
        "ANYmal dropped on its feet, under PD",
        lambda: derive(machine),
        spread,
        standing(machine, 0.02),
        law,
        256,
        gains,
        TimeStepping(tolerance=1e-6, max_sweeps=10),
    )


def _colliding_quadruped() -> RolloutCase:
    declared = _quadruped()
    machine = on_colliders(driven_quadruped(0.7)[0], *FEET)
    title = "ANYmal dropped on its feet, under PD, with colliders"
    return replace(declared, title=title, equations=lambda: derive(machine))


def _pile() -> RolloutCase:
    balls = [f"ball{i:02d}.v{axis}" for i in range(20) for axis in "xyz"]
    return RolloutCase(
        "pile of 20 balls between walls, with colliders",
        lambda: derive(on_colliders(pile())),
        dict.fromkeys(balls, 0.3),
        pile_start(),
        members=64,
        contact=TimeStepping(tolerance=1e-4, max_sweeps=50),
    )


def _boxes() -> RolloutCase:
    experiment = heap(10)
    start = values_by_name(experiment)
    return RolloutCase(
        "heap of 10 boxes, with colliders",
        lambda: derive(experiment.machine),
        dict.fromkeys(experiment.machine.v_names, 0.3),
        {**start["q0"], **start["v0"]},
        members=64,
        contact=TimeStepping(tolerance=1e-4, max_sweeps=50),
    )


def _balls() -> RolloutCase:
    rest = {f"ball{i:02d}.{axis}": place for i in range(4) for axis, place in zip("xyz", _corner(i), strict=True)}
    spread = {f"ball{i:02d}.v{axis}": 0.5 for i in range(4) for axis in "xy"}
    return RolloutCase(
        "four balls that bounce between walls",
        lambda: derive(bouncing_balls(4)),
        spread,
        rest,
        members=256,
        contact=TimeStepping(tolerance=1e-6, max_sweeps=10),
    )


def _hoist(contact: TimeStepping | None, stiffness: float | None = None) -> RolloutCase:
    """A hoist that lifts its load by four parts of rope over four sheaves with losses, while its trolley travels."""
    loss = SheaveLoss(bearing=0.1, pin=0.03, bending=0.005)
    machine = reeved_hoist(4, payload=1000.0, loss=loss, stiffness=stiffness)
    rope = "rope" if stiffness is None else "elastic rope"
    law = PD(kp=(2e3, 8e3), kd=(4e3, 4e3), reference=np.array([1.0, -4.0]))
    return RolloutCase(
        f"hoist with four parts of {rope} under PD" + ("" if contact is None else ", by time-stepping"),
        lambda: derive(machine),
        {"swing_dot": 0.05, "drum_dot": 0.02},
        {},
        law,
        256,
        contact=contact,
    )


def _corner(i: int) -> tuple[float, float, float]:
    return (0.1 if i % 2 else -0.1), (0.1 if i // 2 else -0.1), 0.08 + 0.05 * i


ROLLOUTS: dict[str, Callable[[], RolloutCase]] = {
    "crane": lambda: RolloutCase(
        "crane of two links under PD",
        lambda: derive(planar_crane(uniform_cable(2, 3.0, payload=100.0, mass=2.0))),
        {"theta1": 0.1, "theta2": 0.1},
        {},
        PD(kp=(2e3,), kd=(3e3,), reference=np.array([1.0])),
        4096,
    ),
    "pulleys": lambda: RolloutCase(
        "platform on four cables with pulleys",
        lambda: derive(pulley_robot(2)),
        {"platform.vx": 0.02},
        {"platform.y": 0.25, "platform.z": 0.37, "platform.vx": 0.08},
    ),
    "canadarm": lambda: RolloutCase(
        "Canadarm, flexible", lambda: derive(canadarm()), {"theta1_dot": 0.01, "theta2_dot": 0.01}, {}, None, 256
    ),
    "ur5": lambda: _arm("ur5", "UR5 under PD", (120.0, 120.0, 120.0, 20.0, 10.0, 2.0), (8.0, 8.0, 8.0, 1.0, 0.5, 0.05)),
    "panda": lambda: _arm(
        "panda",
        "Panda under PD",
        (120.0, 120.0, 120.0, 120.0, 20.0, 10.0, 2.0),
        (8.0, 8.0, 8.0, 8.0, 1.0, 0.5, 0.05),
    ),
    "quadruped": _quadruped,
    "balls": _balls,
    "colliders": _colliding_quadruped,
    "pile": _pile,
    "boxes": _boxes,
    "hoist": lambda: _hoist(None),
    "hoist-steps": lambda: _hoist(TimeStepping(tolerance=1e-6, max_sweeps=10)),
    "hoist-elastic": lambda: _hoist(TimeStepping(tolerance=1e-6, max_sweeps=10), stiffness=5e6),
}
"""Measured rollouts, by name."""


def run_rollouts(
    *, quick: bool = False, announce: Callable[[str], None] | None = None, names: Sequence[str] | None = None
) -> Record:
    """Measure steps per second of many members.

    Parameters
    ----------
    quick
        The crane and the UR5, few members and steps.
    announce
        Called with progress messages.
    names
        Names in `ROLLOUTS`; all if not given.

    Examples
    --------
    >>> from dalembert.benchmarks import run_rollouts
    >>> figures = run_rollouts(quick=True, names=["crane"])  # doctest: +SKIP
    >>> figures["results"][0]["name"]  # doctest: +SKIP
    'dalembert, single runs'
    """
    chosen = names or (("crane", "ur5") if quick else tuple(ROLLOUTS))
    settings = {"steps": 100 if quick else 1000, "step_s": _STEP, "repetitions": 2 if quick else 7, "quick": quick}
    rows: list[Record] = []
    skipped: list[dict[str, str]] = []
    for name in chosen:
        if name not in ROLLOUTS:
            raise UnknownNameError("machine", name, ROLLOUTS, "the benchmark of rollouts")
        if announce is not None:
            announce(f"{name} ...")
        measured, left_out = _measure(name, ROLLOUTS[name](), settings)
        rows += measured
        skipped += left_out
    command = "dalembert bench rollouts" + (" --quick" if quick else "")
    return {"topic": "rollouts", **describe(command, settings), "results": rows, "skipped": skipped}


@dataclass(frozen=True)
class _Runner:
    """A simulator of members: ``run(members)`` returns their end states (members, n)."""

    key: str
    title: str
    members: int
    run: Callable[[int], Array]


def _measure(name: str, case: RolloutCase, settings: dict[str, Any]) -> tuple[list[Record], list[dict[str, str]]]:
    eom, steps = case.equations(), int(settings["steps"])
    members = max(64, case.members // 16) if settings["quick"] else case.members
    duration = steps * _STEP
    common: dict[str, Any] = {"duration": duration, "step": _STEP, "record": duration, "control": case.control}
    common |= {"contact": case.contact}
    n = eom.nq + eom.nv
    skipped: list[dict[str, str]] = []

    def single(count: int) -> Array:
        start, ends = case.states(eom, members), []
        for i in range(count):
            one: dict[str, Any] = {side: {k: float(v[i]) for k, v in values.items()} for side, values in start.items()}
            ends.append(simulate(eom, limits="ignore", **one, **common).x[-1, :n])
        return np.array(ends)

    def many(threads: int, most: int = members, device: str = "cpu") -> Callable[[int], Array]:
        start = case.states(eom, most)

        def run(count: int) -> Array:
            starts: dict[str, Any] = {side: {k: v[:count] for k, v in values.items()} for side, values in start.items()}
            return np.asarray(rollout(eom, threads=threads, device=device, **starts, **common).final[:, :n])

        return run

    taking_part = [_Runner("single", "dalembert, single runs", 2, single)]
    taking_part.append(_Runner("lanes", "dalembert, lanes, one thread", members, many(1)))
    taking_part.append(_Runner("threads", f"dalembert, lanes, {available_cores()} threads", members, many(0)))
    if importlib.util.find_spec("cupy") is not None:
        most = max(members, _ON_GPU)
        taking_part.append(_Runner("cuda", "dalembert, GPU", most, many(0, most, "cuda")))
    else:
        skipped.append({"case": name, "contender": "cuda", "reason": "CuPy is not installed"})
    if case.gains is not None or eom.machine.colliders:
        taking_part += _mujoco(name, case, eom, members, steps, skipped)
    rows: list[Record] = []
    reference: Array | None = None
    for runner in list(taking_part):
        try:
            ends = runner.run(2)
        except DalembertError as error:
            skipped.append({"case": name, "contender": runner.key, "reason": str(error).splitlines()[0]})
            taking_part.remove(runner)
            continue
        reference = ends if reference is None else reference
        scale = np.abs(reference[:, : eom.nq]).max()
        off = float(np.abs(ends - reference)[:, : eom.nq].max() / scale)
        rows.append({"contender": runner.key, "name": runner.title, "members": runner.members, "difference": off})
    runs = {r.key: (partial(r.run, r.members), r.members * steps) for r in taking_part}
    timings = interleave(runs, repetitions=int(settings["repetitions"]), duration=0.0)
    title = case.title + _contacts(partial(rollout, eom, **case.states(eom, members), **common), eom)
    for row in rows:
        timing = timings[row["contender"]]
        row |= {
            "case": name,
            "title": title,
            "steps_per_second": 1.0 / timing.least,
            "speed": timings["single"].relative_to(timing),
            "agrees": row["difference"] <= case.same * max(1.0, duration),
        }
        if case.contact is not None and row["contender"] in _SOFT:
            row["agrees"] = None
    return rows, skipped


def _contacts(run: Callable[[], Rollout], eom: EquationsOfMotion) -> str:
    """Say how many contacts members have in their last step, where they are found in every step."""
    if not eom.machine.colliders:
        return ""
    count = run()["contact.count"][:, -1]
    return f" ({count.mean():.0f} contacts at the end, at most {int(count.max())})"


def _mujoco(
    name: str, case: RolloutCase, eom: EquationsOfMotion, members: int, steps: int, skipped: list[dict[str, str]]
) -> list[_Runner]:
    """MuJoCo's own rollouts with the same gains: arms by its Runge-Kutta method, through contacts by its own."""
    if importlib.util.find_spec("mujoco") is None:
        skipped.append({"case": name, "contender": "mujoco", "reason": "mujoco is not installed"})
        return []
    import mujoco
    from mujoco import rollout as mujoco_rollout

    model = mujoco.MjModel.from_xml_string(_with_law(eom, case))
    machine, kind = eom.machine, mujoco.mjtState.mjSTATE_FULLPHYSICS

    def starts(count: int) -> tuple[Array, Array]:
        start = case.states(eom, max(count, members))
        sides = [member_values(start[side], names, rest, side)[:count] for side, names, rest in _sides(machine)]
        state = to_mujoco(machine, *sides)
        assert state.v is not None
        return state.q, state.v

    def ended(x: Array) -> Array:
        state = from_mujoco(machine, x[:, : model.nq], x[:, model.nq : model.nq + model.nv])
        assert state.v is not None
        return np.hstack([state.q, state.v])

    few = max(2, members // 16)
    states = np.zeros((few, mujoco.mj_stateSize(model, kind)))
    data = mujoco.MjData(model)
    for i, (q, v) in enumerate(zip(*starts(few), strict=True)):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_getState(model, data, states[i], kind)

    def of(threads: int) -> Callable[[int], Array]:
        copies = [mujoco.MjData(model) for _ in range(threads)]
        # without threads of its own MuJoCo works in ours
        pool = mujoco_rollout.Rollout(nthread=0 if threads == 1 else threads)

        def run(count: int) -> Array:
            trajectory, _ = pool.rollout(model, copies, states[:count], nstep=steps)
            return ended(np.asarray(trajectory[:, -1, 1:]))

        return run

    cores = available_cores()
    runners = [
        _Runner("mujoco", "MuJoCo rollout, one thread", few, of(1)),
        _Runner("mujoco-threads", f"MuJoCo rollout, {cores} threads", few, of(cores)),
    ]
    try:
        batch, where = mjx_rollout(model, steps)
    except InputError as reason:
        skipped.append({"case": name, "contender": "mjx", "reason": str(reason)})
        return runners
    together = _ON_GPU if where == "gpu" else few  # without a GPU it is slower than MuJoCo itself
    first = starts(together)
    runners.append(
        _Runner("mjx", f"MJX, JAX on {where}, double", together, lambda n: ended(batch(first[0][:n], first[1][:n])))
    )
    return runners


def _with_law(eom: EquationsOfMotion, case: RolloutCase) -> str:
    """MuJoCo's XML of a robot with viscous losses and the gains of its law, if there is one."""
    if case.contact is not None:
        root = ElementTree.fromstring(contact_xml(eom.machine, _STEP, case.contact.tolerance))
    else:
        root = ElementTree.fromstring(mujoco_xml(eom.machine))
        option = root.find("option")
        assert option is not None
        option.set("timestep", repr(_STEP))
        option.set("integrator", "RK4")
        damping = {f"{joint.name}.0": nominal(joint.damping) for joint in eom.machine.joints}
        for joint in root.iter("joint"):
            joint.set("damping", repr(float(damping[joint.get("name", "")])))
    if case.gains is None:
        return ElementTree.tostring(root, encoding="unicode")
    actuators = ElementTree.SubElement(root, "actuator")
    reference = np.broadcast_to(np.asarray(case.control.reference, dtype=float), len(case.gains[0]))
    for motor, kp, kd, target in zip(eom.machine.motors, *case.gains, reference, strict=True):
        ElementTree.SubElement(
            actuators,
            "general",
            _range(motor.effort),
            joint=f"{motor.joint}.0",
            gaintype="fixed",
            gainprm="0",
            biastype="affine",
            biasprm=f"{float(kp * target)!r} {-kp!r} {-kd!r}",
        )
    return ElementTree.tostring(root, encoding="unicode")


def _range(effort: Scalar) -> dict[str, str]:
    """Limits of an actuator, if it has any."""
    most = float(nominal(effort))
    return {"forcelimited": "true", "forcerange": f"{-most!r} {most!r}"} if np.isfinite(most) else {}
