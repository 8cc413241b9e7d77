"""The benchmark problems solved by the library."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert import Run, equations, simulate
from dalembert.studies.benchmark_problems.problems import (
    PROBLEMS,
    four_bars_angle,
    four_bars_problem,
    pendulum_angle,
)
from dalembert.studies.timing import least_times

__all__ = ["results"]

Result = tuple[str, float]


def results(*, full: bool = True) -> Iterator[Result]:
    """Yield the key of each expected value and our value; the short form leaves out slow rows."""
    yield from _pendulum()
    yield from _four_bars()
    yield from _andrews()
    yield from _bricard()
    yield from _governor()
    yield from _car_axis()
    if full:
        yield from _long()
        yield from _cost()


def _errors(name: str, run: Run) -> Iterator[Result]:
    yield f"{name}.energy", run.energy.drift
    if "constraint.position" in run.names:
        yield f"{name}.position", float(run["constraint.position"].max())
        yield f"{name}.velocity", float(run["constraint.velocity"].max())


def _pendulum() -> Iterator[Result]:
    run = PROBLEMS["A01"].run()
    yield "A01.angle", float(run["theta"][-1]) - pendulum_angle(10.0)
    yield from _errors("A01", run)


def _four_bars() -> Iterator[Result]:
    problem = PROBLEMS["A02"]
    run = problem.run(record=0.1)
    yield "A02.angle", float(np.abs(-run["crank0"] - four_bars_angle(2, run.t)).max())
    yield from _errors("A02", run)
    eom = problem.equations
    flat = {
        "crank0": -np.pi / 2,
        "crank1": -np.pi / 2,
        "crank2": -np.pi / 2,
        "coupler0": np.pi / 2,
        "coupler1": np.pi / 2,
    }
    for key, chosen in (("A02.upright", {}), ("A02.flat", flat)):
        q = np.array([chosen.get(name, 0.0) for name in eom.q_names])
        yield key, float(eom.nv - np.linalg.matrix_rank(eom.constraint_jacobian(q), tol=1e-9))


def _andrews() -> Iterator[Result]:
    problem = PROBLEMS["andrews"]
    eom, run = problem.equations, problem.run()
    q = np.array([problem.q0[name] for name in eom.q_names])
    acceleration = eom.constrained_dynamics(q, np.zeros(7), eom.applied(q, np.zeros(7), np.zeros(0)))[0]
    for name in ("beta", "theta"):
        yield f"andrews.{name}_start", float(acceleration[eom.v_names.index(f"{name}_dot")])
    for name in ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"):
        yield f"andrews.{name}", float(run[name][-1])
        yield f"andrews.{name}_dot", float(run[f"{name}_dot"][-1])
    yield from _errors("andrews", run)


def _bricard() -> Iterator[Result]:
    problem = PROBLEMS["A04"]
    eom, run = problem.equations, problem.run(record=0.05)
    a, b = np.sin(run["q1"]), np.sin(run["q2"])
    yield "A04.relation", float(np.abs(a + b + a * b).max())
    yield "A04.symmetry", float(np.abs(run.array(("q3", "q5")) - run.array(("q1",))).max())
    q = run.array(eom.q_names)[20]
    yield "A04.mobility", float(eom.nv - np.linalg.matrix_rank(eom.constraint_jacobian(q), tol=1e-9))
    yield from _errors("A04", run)


def _governor() -> Iterator[Result]:
    problem = PROBLEMS["A05"]
    eom, run = problem.equations, problem.run(record=0.1)
    M = eom.mass_matrix(run.array(eom.q_names))
    spin = np.einsum("ti,ti->t", M[:, eom.v_names.index("spin_dot")], run.array(eom.v_names))
    yield "A05.momentum", float(np.ptp(spin) / spin[0])
    stiff = problem.run(record=0.1, method="cvodes", rtol=1e-10, atol=1e-12)
    yield "A05.methods", float(np.abs(run["s"] - stiff["s"]).max())
    yield from _errors("A05", run)


def _car_axis() -> Iterator[Result]:
    problem = PROBLEMS["caraxis"]
    eom, run = problem.equations, problem.run()
    q, v = run.array(eom.q_names)[-1], run.array(eom.v_names)[-1]
    for name, frame in (("left", "left"), ("right", "tip")):
        place, J = eom.pose(frame, q), eom.jacobian(frame, q)
        velocity = place[:3, :3] @ (J[:3] @ v)
        for i, axis in enumerate("xy"):
            yield f"caraxis.{name}.{axis}", float(place[i, 3])
            yield f"caraxis.{name}.v{axis}", float(velocity[i])
    yield from _errors("caraxis", run)


def _long() -> Iterator[Result]:
    """Forty linkages, and Bricard's mechanism in natural coordinates."""
    run = four_bars_problem(40).run(record=0.1)
    yield "A02.angle40", float(np.abs(-run["crank0"] - four_bars_angle(40, run.t)).max())
    yield "A02.energy40", run.energy.drift
    problem = PROBLEMS["A04"]
    other = simulate(
        equations(problem.make(), "natural"), duration=10.0, record=0.05, method="dopri5", rtol=1e-10, atol=1e-12
    )
    yield "A04.natural", float(np.abs(other["q1"] - problem.run(record=0.05)["q1"]).max())


def _cost() -> Iterator[Result]:
    """Times of the runs above: shown next to the published ones, not asserted."""
    for name, seconds in least_times({name: problem.run for name, problem in PROBLEMS.items()}).items():
        yield f"{name}.time", seconds
