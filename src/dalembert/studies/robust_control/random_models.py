"""Random machines in random units: their LFTs beside their linear models, and their guarantees beside samples.

    python -m dalembert.studies.robust_control.random_models results.json --machines 1000 --samples 10000

Machines are spring chains, cranes with several pendulums, arms without gravity and flexible arms with up to six bending
modes, in units of mass, length and time that are scaled by powers of ten. Each has uncertain parameters, angles or
positions. Its LFT is compared with the derivatives of its own forward dynamics; then a loop with a lag is closed,
guaranteed ranges are computed, and samples of the machine itself inside of them must be stable. Results are written
after every machine, and an interrupted run resumes where it stopped.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from dalembert.control.mu import guaranteed_ranges
from dalembert.control.uncertain import UncertainMachine, uncertain
from dalembert.control.uncertain.reduction import relative
from dalembert.core.errors import InputError
from dalembert.core.parameter import Parameter
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.beam import Beam
from dalembert.model.body import Body, point_mass
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Motor
from dalembert.model.section import Section
from dalembert.model.transform import Transform

__all__ = ["ModelVerdict", "RandomModel", "judge", "main", "random_model"]

AGREE = 1e-9


@dataclass(frozen=True, eq=False)
class RandomModel:
    """A random machine, the ranges of its uncertain quantities, and its unit of time [s]."""

    kind: str
    machine: Machine
    ranges: dict[str, tuple[float, float]]
    time: float


@dataclass(frozen=True)
class ModelVerdict:
    """Findings about one machine.

    Parameters
    ----------
    seed, kind, states
        The machine.
    status
        ``"refused"`` (with the reason), ``"agrees"`` or ``"differs"``.
    difference
        Largest relative difference between LFT and derivatives at the points.
    bound
        Relative bound of the error that the model brings; None if it has none.
    guarantee
        Part of the half-width of the ranges that is guaranteed; zero if nothing is.
    broken
        Number of samples inside of the guaranteed ranges at which the machine's loop is not stable.
    outside
        Number of samples of the whole ranges at which it is not stable.
    message
        The reason of a refusal, or of the proof.
    """

    seed: int
    kind: str
    states: int
    status: str
    difference: float = 0.0
    bound: float | None = None
    guarantee: float = 0.0
    broken: int = 0
    outside: int = 0
    message: str = ""


def random_model(seed: int) -> RandomModel:
    """A random machine of a kind that follows from the seed."""
    rng = np.random.default_rng([seed, 37])
    kind = ("springs", "crane", "arm", "flexible arm")[seed % 4]
    units = tuple(float(10.0 ** rng.uniform(-e, e)) for e in (12.0, 3.0, 3.0))  # mass, length, time
    made = {"springs": _springs, "crane": _crane, "arm": _arm, "flexible arm": _flexible_arm}[kind]
    machine, ranges = made(rng, *units)
    return RandomModel(kind, machine, ranges, units[2])


def _span(rng: np.random.Generator, value: float) -> tuple[float, float]:
    width = rng.uniform(0.05, 0.6)
    return value * (1.0 - width), value * (1.0 + width)


def _diagonal(x: float, y: float, z: float) -> Any:
    """An inertia about principal axes."""
    return (x, y, z)


class _Numbers:
    """Numbers of a machine, some of which become uncertain parameters."""

    def __init__(self, rng: np.random.Generator, most: int) -> None:
        self.rng, self.most = rng, most
        self.ranges: dict[str, tuple[float, float]] = {}

    def __call__(self, name: str, value: float, share: float = 0.5) -> Any:
        if len(self.ranges) >= self.most or self.rng.uniform() > share:
            return value
        self.ranges[name] = _span(self.rng, value)
        return Parameter(name, value)

    def some(self, name: str, value: float) -> Any:
        """The same, uncertain if nothing is yet."""
        return self(name, value, 0.5 if self.ranges else 1.1)


def _springs(rng: np.random.Generator, m: float, l: float, t: float) -> tuple[Machine, dict[str, Any]]:
    number, n = _Numbers(rng, 3), int(rng.integers(1, 5))
    bodies, joints, parent = [], [], "world"
    for k in range(n):
        apart = 10.0 ** rng.uniform(-6.0, 6.0)  # springs and masses of one machine differ as well
        mass = m * 10.0 ** rng.uniform(-3.0, 3.0)
        some = number.some if k == n - 1 else number
        stiffness = some(f"k{k}", apart * m / t**2)
        bodies.append(point_mass(f"b{k}", number(f"m{k}", mass)))
        damping = number(f"c{k}", 0.05 * float(np.sqrt(mass * apart * m)) / t, 0.3)
        joints.append(
            Joint(f"x{k}", "prismatic", parent, f"b{k}", axis=(1, 0, 0), stiffness=stiffness, damping=damping)
        )
        parent = f"b{k}"
    motors = [Motor("F", f"x{int(rng.integers(n))}")]
    return Machine(
        "springs", tuple(bodies), tuple(joints), motors=tuple(motors), gravity=(0, 0, -9.81 * l / t**2)
    ), number.ranges


def _crane(rng: np.random.Generator, m: float, l: float, t: float) -> tuple[Machine, dict[str, Any]]:
    number, n = _Numbers(rng, 3), int(rng.integers(1, 4))
    inertia = m * l**2
    bodies: list[Any] = [Body("trolley", mass=5.0 * m, inertia=_diagonal(inertia, inertia, inertia))]
    joints = [Joint("x", "prismatic", "world", "trolley", axis=(1, 0, 0), damping=0.1 * m / t)]
    parent, hang = "trolley", Transform()
    for k in range(n):
        length = l * rng.uniform(0.3, 3.0)
        mass = m * 10.0 ** rng.uniform(-2.0, 1.0)
        some = number.some if k == n - 1 else number
        com = some(f"l{k}", length)
        bodies.append(point_mass(f"load{k}", number(f"m{k}", mass), com=(0, 0, -com)))
        damping = 0.02 * mass * length**2 / t
        joints.append(Joint(f"theta{k}", "revolute", parent, f"load{k}", hang, axis=(0, 1, 0), damping=damping))
        parent, hang = f"load{k}", Transform((0, 0, -length))
    return (
        Machine("crane", tuple(bodies), tuple(joints), motors=(Motor("F", "x"),), gravity=(0, 0, -9.81 * l / t**2)),
        number.ranges,
    )


def _arm(rng: np.random.Generator, m: float, l: float, t: float) -> tuple[Machine, dict[str, Any]]:
    number, n = _Numbers(rng, 1), int(rng.integers(2, 4))
    bodies, joints, motors, parent = [], [], [], "world"
    ranges: dict[str, tuple[float, float]] = {}
    for k in range(n):
        mass = number(f"m{k}", m * rng.uniform(0.5, 5.0))
        inertia = m * l**2 * rng.uniform(0.3, 0.5)
        com = tuple(l * x for x in rng.uniform(-0.4, 0.4, size=3))
        bodies.append(Body(f"b{k}", mass=mass, com=com, inertia=_diagonal(inertia, 1.2 * inertia, 0.9 * inertia)))
        axis = tuple(np.eye(3)[int(rng.integers(3))])
        place = Transform(tuple(l * x for x in rng.uniform(-1.0, 1.0, size=3)))
        kind = "prismatic" if rng.uniform() < 0.2 else "revolute"
        joints.append(Joint(f"q{k}", kind, parent, f"b{k}", place, axis=axis))
        motors.append(Motor(f"u{k}", f"q{k}"))
        parent = f"b{k}"
        if k and len(ranges) < 2:
            at, width = rng.uniform(-1.0, 1.0), rng.uniform(0.1, 1.2)
            scale = l if kind == "prismatic" else 1.0
            ranges[f"q{k}"] = (scale * (at - width), scale * (at + width))
    return Machine("arm", tuple(bodies), tuple(joints), motors=tuple(motors), gravity=(0, 0, 0)), {
        **ranges,
        **number.ranges,
    }


def _flexible_arm(rng: np.random.Generator, m: float, l: float, t: float) -> tuple[Machine, dict[str, Any]]:
    number, modes = _Numbers(rng, 3), int(rng.integers(1, 7))
    side = 0.01 * l * rng.uniform(0.5, 2.0)
    pressure, density = m / (l * t**2), m / l**3
    section = Section(side**2, side**4 / 12.0, side**4 / 12.0)
    beam = Beam(
        "link",
        l,
        section,
        number.some("E", 1e7 * pressure * 10.0 ** rng.uniform(0.0, 2.0)),
        3e7 * pressure,
        number("rho", 2700.0 * density, 0.3),
        (("y", modes),),
        "clamped-free",
        damping=number("zeta", 0.02, 0.3),
    )
    hub = 0.05 * m * l**2 * rng.uniform(0.5, 2.0)
    bodies: list[Any] = [
        Body("hub", mass=m, inertia=_diagonal(hub, hub, hub)),
        beam,
        point_mass("load", number("load", m * rng.uniform(0.05, 0.5), 0.4)),
    ]
    joints = [
        Joint("theta", "revolute", "world", "hub", axis=(0, 0, 1)),
        Joint("root", "fixed", "hub", "link"),
        Joint("tip", "fixed", "link.tip", "load"),
    ]
    return Machine(
        "flexible arm", tuple(bodies), tuple(joints), motors=(Motor("tau", "theta"),), gravity=(0, 0, 0)
    ), number.ranges


class _Truth:
    """Linear models of a machine by derivatives of its forward dynamics, at any values of the uncertain quantities."""

    def __init__(self, eom: EquationsOfMotion, names: list[str]) -> None:
        s = eom.symbolic
        self.nv, self.names = eom.nv, names
        acceleration = ca.substitute(s.forward_dynamics, s.tau, ca.densify(s.applied))
        x = ca.vertcat(s.q, s.v, s.u)
        J = ca.jacobian(acceleration, x)
        self.f = ca.Function("J", [s.q, s.v, s.u, s.t, s.p], [ca.densify(J)])
        self.q, self.p, self.u = eom.q_neutral.copy(), eom.parameter_values(None).copy(), np.zeros(eom.nu)
        self.q_names, self.p_names = list(eom.q_names), list(eom.p_names)

    def at(self, values: dict[str, float]) -> tuple[Array, Array]:
        """Matrices A and B."""
        q, p, nv = self.q.copy(), self.p.copy(), self.nv
        for name, value in values.items():
            if name in self.q_names:
                q[self.q_names.index(name)] = value
            else:
                p[self.p_names.index(name)] = value
        J = np.array(self.f(q, np.zeros(nv), self.u, 0.0, p).full())
        A = np.block([[np.zeros((nv, nv)), np.eye(nv)], [J[:, : 2 * nv]]])
        return A, np.vstack([np.zeros((nv, J.shape[1] - 2 * nv)), J[:, 2 * nv :]])


def _difference(model: UncertainMachine, truth: tuple[Array, Array], values: dict[str, float]) -> float:
    """Difference of the matrices, each entry relative to the largest of its row and column."""
    found = model.at(**values)
    nv = len(truth[0]) // 2
    expected, got = np.hstack(truth)[nv:], np.hstack([found.A, found.B])[nv:]
    return relative(np.abs(got - expected), np.abs(expected))


def _controller(truth: tuple[Array, Array], time: float, rng: np.random.Generator) -> tuple[Array, float]:
    """Gains of every motor on its own joint, and a time [s] of two lags near that at which the middle is unstable.

    Many of these loops become unstable within the ranges: a guarantee of all of them would be false.
    """
    A, B = truth
    nv = len(A) // 2
    K = np.zeros((B.shape[1], 2 * nv))
    slowest = 1.0 / time
    for k in range(B.shape[1]):
        driven = int(np.abs(B[nv:, k]).argmax())
        inertia = 1.0 / abs(B[nv + driven, k])
        own = float(np.sqrt(abs(A[nv + driven, driven])))
        rate = max(own, 1.0 / time) * rng.uniform(0.5, 3.0)
        slowest = max(slowest, rate)
        K[k, driven], K[k, nv + driven] = inertia * rate**2, 1.4 * inertia * rate
    lags = np.geomspace(1e-4, 1e2, 120) / slowest
    stable = [lag for lag in lags if not _unstable(truth, K, lag)]
    return K, float(rng.uniform(0.6, 0.98) * max(stable, default=lags[0]))


def _lags(K: Array, lag: float) -> tuple[Array, Array, Array]:
    """Matrices A, B, C of the controller ``K / (1 + lag s)^2``."""
    m = len(K)
    one, zero = np.eye(m) / lag, np.zeros((m, m))
    A = np.block([[-one, zero], [one, -one]])
    return A, np.vstack([K / lag, np.zeros_like(K)]), np.hstack([zero, np.eye(m)])


def _unstable(truth: tuple[Array, Array], K: Array, lag: float) -> bool:
    """Whether the loop is not stable."""
    from scipy.linalg import matrix_balance

    (A, B), (F, G, H) = truth, _lags(K, lag)
    closed = np.block([[A, -B @ H], [G, F]])
    return bool(np.linalg.eigvals(matrix_balance(closed)[0]).real.max() >= 0.0)


def judge(seed: int, *, points: int = 100, samples: int = 10_000, seconds: float = 10.0) -> ModelVerdict:
    """Compare the LFT of a random machine with its derivatives, and its guarantee with samples.

    Parameters
    ----------
    seed
        Seed of the machine.
    points, samples
        Numbers of values at which models are compared, and at which the loop must be stable.
    seconds
        Time limit of the proof.
    """
    import control

    case = random_model(seed)
    eom = derive(case.machine)
    states = 2 * eom.nv
    try:
        model = uncertain(eom, case.ranges)
    except InputError as error:
        return ModelVerdict(seed, case.kind, states, "refused", message=str(error))
    truth = _Truth(eom, list(case.ranges))
    difference = max(_difference(model, truth.at(v), v) for v in model.sample(points, seed=seed))
    status = "agrees" if difference <= AGREE else "differs"
    rng = np.random.default_rng([seed, 38])
    middle = {n: (lo + hi) / 2.0 for n, (lo, hi) in case.ranges.items()}
    K, lag = _controller(truth.at(middle), case.time, rng)
    law = control.ss(*_lags(K, lag), np.zeros_like(K))
    found = guaranteed_ranges(model, law, seconds=seconds)
    parts: dict[str, Any] = {
        "status": status,
        "difference": difference,
        "bound": model.error.bound,
        "message": found.bounds[-1].message,
    }

    whole = UncertainMachine(model.lft, model.inertia, case.ranges)
    outside = sum(_unstable(truth.at(v), K, lag) for v in whole.sample(max(samples // 10, 1), seed=seed + 1))
    if not found.guaranteed:
        return ModelVerdict(seed, case.kind, states, outside=outside, **parts)
    inside = UncertainMachine(model.lft, model.inertia, found.ranges)
    broken = sum(_unstable(truth.at(v), K, lag) for v in inside.sample(samples, seed=seed + 2))
    share = min((hi - lo) / (case.ranges[n][1] - case.ranges[n][0]) for n, (lo, hi) in found.ranges.items())
    return ModelVerdict(seed, case.kind, states, guarantee=share, broken=broken, outside=outside, **parts)


def main(arguments: list[str] | None = None) -> int:
    """Judge machines one after the other, from where an earlier run ended; 1 if one differs or breaks its guarantee."""
    import argparse

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, help="results, as JSON; continued if it is there")
    parser.add_argument("--machines", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    settings = parser.parse_args(arguments)
    done: list[dict[str, Any]] = json.loads(settings.path.read_text())["machines"] if settings.path.exists() else []
    for seed in range(len(done), settings.machines):
        done.append(asdict(judge(seed, samples=settings.samples, seconds=settings.seconds)))
        settings.path.write_text(json.dumps({"samples": settings.samples, "machines": done}, indent=1) + "\n")
        print(summary(done), flush=True)
    return int(any(d["status"] == "differs" or d["broken"] for d in done))


def summary(done: list[dict[str, Any]]) -> str:
    """Counts of results, in a line."""
    count = {s: sum(d["status"] == s for d in done) for s in ("agrees", "differs", "refused")}
    text = ", ".join(f"{s} {n}" for s, n in count.items())
    rigorous = sum(d["bound"] is not None for d in done)
    guarantees = sum(d["guarantee"] > 0.0 for d in done)
    broken = sum(d["broken"] > 0 for d in done)
    return f"{len(done)} machines: {text}; bounded {rigorous}; guaranteed {guarantees}, of which broken {broken}"


if __name__ == "__main__":
    raise SystemExit(main())
