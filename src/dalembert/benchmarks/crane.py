"""Forward dynamics of long cranes: against the same chain in Pinocchio, and how the cost grows with the links.

``python -m dalembert.benchmarks.crane`` prints both tables.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.benchmarks.contenders import Case, Contender, Skipped, _native
from dalembert.benchmarks.measure import interleave
from dalembert.benchmarks.pinocchio_cpp import PinocchioLoop, load_loop
from dalembert.core.errors import BuildError
from dalembert.core.parameter import nominal
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine
from dalembert.systems.cranes import hanging, planar_crane, uniform_cable
from dalembert.systems.cranes.coordinates import link_lengths, node_masses

__all__ = ["compare_with_pinocchio", "crane_case", "crane_scaling", "pinocchio_crane"]

Array = NDArray[np.float64]


def crane_case(n: int = 100, states: int = 64, seed: int = 0) -> Case:
    """A crane of ``n`` links of fixed lengths, and random states of it."""
    eom = derive(planar_crane(uniform_cable(n, 0.5 * n, payload=100.0, mass=1.0 * n)))
    rng = np.random.default_rng(seed)
    q, v, tau = rng.normal(size=(3, states, eom.nv))
    return Case(f"crane-{n}", eom, 0.3 * q, v, 10.0 * tau)


def pinocchio_crane(machine: Machine) -> Any:
    """A planar crane of fixed lengths as a model of Pinocchio: a prismatic joint, then revolute ones about y.

    Its angles are the negative of ours, which turn about -y: aligned axes are the fastest that Pinocchio has.
    """
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array([nominal(x) for x in machine.gravity])
    joint = model.addJoint(0, pin.JointModelPX(), pin.SE3.Identity(), "x")
    trolley = pin.Inertia(nominal(machine.body("trolley").mass), np.zeros(3), np.zeros((3, 3)))
    model.appendBodyToJoint(joint, trolley, pin.SE3.Identity())
    above = 0.0
    for i, (mass, length) in enumerate(zip(node_masses(machine), link_lengths(machine), strict=True), start=1):
        placement = pin.SE3(np.eye(3), np.array([0.0, 0.0, -above]))
        joint = model.addJoint(joint, pin.JointModelRY(), placement, f"theta{i}")
        node = pin.Inertia(mass, np.array([0.0, 0.0, -length]), np.zeros((3, 3)))
        model.appendBodyToJoint(joint, node, pin.SE3.Identity())
        above = length
    return model


def _pinocchio(case: Case, build: bool, announce: Callable[[str], None]) -> Iterator[Contender | Skipped]:
    titles = {"pinocchio-cpp": "Pinocchio, C++", "pinocchio-python": "Pinocchio, from Python"}
    try:
        import pinocchio as pin
    except ImportError:
        yield from (Skipped(key, title, "not installed (pip install pin)") for key, title in titles.items())
        return
    model = pinocchio_crane(case.eom.machine)
    sign = np.array([1.0] + [-1.0] * (case.eom.nv - 1))
    q, v, tau = (np.ascontiguousarray(sign * x) for x in (case.q, case.v, case.tau))
    try:
        loop = PinocchioLoop(load_loop(build=build, announce=announce), model, q, v, tau)
    except BuildError as error:
        yield Skipped("pinocchio-cpp", titles["pinocchio-cpp"], str(error).splitlines()[0])
    else:
        yield Contender("pinocchio-cpp", titles["pinocchio-cpp"], lambda: loop.run(False), lambda: sign * loop.a)
    data, rows = model.createData(), list(zip(q, v, tau, strict=True))
    made: list[Array] = []

    def run() -> None:
        made[:] = [pin.aba(model, data, *row) for row in rows]

    yield Contender("pinocchio-python", titles["pinocchio-python"], run, lambda: sign * np.array(made))


def compare_with_pinocchio(
    n: int = 100, *, quick: bool = False, announce: Callable[[str], None] = lambda _: None
) -> list[dict[str, Any]]:
    """Forward dynamics of one crane by everything that is installed, side by side.

    Parameters
    ----------
    n
        Number of links.
    quick
        Few repetitions, and no long build of Pinocchio's C++.
    announce
        Is told what is going on.

    Returns
    -------
    list of dict
        Rows with ``crane, links, contender, name, median_ns, least_ns, ratio, difference``; ``ratio`` is the median
        relative to one native call, ``difference`` the largest relative difference of the accelerations from ours.
        Contenders that cannot take part have ``reason`` instead of figures.
    """
    case = crane_case(n)
    found = [*_native(case), *_pinocchio(case, not quick, announce)]
    taking_part = [c for c in found if isinstance(c, Contender)]
    reference = case.eom.forward_dynamics(case.q, case.v, case.tau)
    differences = {}
    for c in taking_part:
        c.run()
        gap = np.abs(c.accelerations() - reference).max(axis=1) / np.abs(reference).max(axis=1)
        differences[c.key] = float(gap.max())
    runs = {c.key: (c.run, c.repeats * case.states) for c in taking_part}
    times = interleave(runs, repetitions=5 if quick else 31, duration=1e-3 if quick else 2e-2)
    base = times.get("native-call")
    rows: list[dict[str, Any]] = []
    for one in found:
        row: dict[str, Any] = {"crane": case.name, "links": n, "contender": one.key, "name": one.title}
        if isinstance(one, Skipped):
            rows.append(row | {"reason": one.reason})
            continue
        t = times[one.key]
        row |= {"median_ns": 1e9 * t.median, "least_ns": 1e9 * t.least, "difference": differences[one.key]}
        rows.append(row | {"ratio": t.median / base.median if base else None})
    return rows


def crane_scaling(counts: Sequence[int] = (25, 50, 100, 200), *, repetitions: int = 9) -> list[dict[str, Any]]:
    """Build time, operations and cost per call of cranes whose lengths all vary (2 N + 1 coordinates).

    The build time includes the machine, the expressions and the compiler; it is short where the kernel cache knows the
    crane already.
    """
    rows = []
    for n in counts:
        start = time.perf_counter()
        cable = uniform_cable(n, 10.0, payload=100.0, mass=20.0, stiffness=2e4)
        machine = planar_crane(cable, lengths="variable", winches=0)
        kernel = derive(machine).kernel("forward_dynamics")
        built = time.perf_counter() - start
        state = hanging(machine)
        bound = kernel.bind(np.array([state[name] for name in machine.q_names]), *np.zeros((2, machine.nv)))
        timing = interleave({"call": (bound, 1)}, repetitions=repetitions, duration=5e-3)["call"]
        operations = kernel.function.n_instructions()
        row = {"links": n, "coordinates": machine.nv, "operations": operations, "build_s": built}
        rows.append(row | {"median_ns": 1e9 * timing.median, "least_ns": 1e9 * timing.least})
    return rows


def main() -> None:
    """Print both tables."""
    print(f"{'crane of 100 links, fixed lengths':44} {'median':>10} {'relative':>9} {'difference':>11}")
    for row in compare_with_pinocchio(announce=print):
        if "reason" in row:
            print(f"{row['name']:44} skipped: {row['reason']}")
            continue
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        print(f"{row['name']:44} {row['median_ns'] / 1e3:7.2f} us {ratio:>9} {row['difference']:11.1e}")
    print(f"\n{'links':>6} {'coordinates':>12} {'operations':>11} {'build':>8} {'one call':>10}")
    for row in crane_scaling():
        cost = f"{row['build_s']:6.2f} s {row['median_ns'] / 1e3:7.2f} us"
        print(f"{row['links']:6} {row['coordinates']:12} {row['operations']:11} {cost}")


if __name__ == "__main__":
    main()
