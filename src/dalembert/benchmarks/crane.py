"""Forward dynamics of long cranes: against the same chain in Pinocchio, and how the cost grows with the links.

``dalembert bench crane`` prints both tables.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dalembert.benchmarks.cases import Case, Contender, Skipped
from dalembert.benchmarks.contenders import native_contenders
from dalembert.benchmarks.measure import Record, interleave
from dalembert.benchmarks.peers.pinocchio_cpp import PinocchioLoop, load_loop
from dalembert.benchmarks.rows import SETTINGS, describe, measure
from dalembert.core.errors import BuildError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine
from dalembert.systems.cranes import hanging, planar_crane, uniform_cable
from dalembert.systems.cranes.coordinates import link_lengths, node_masses

__all__ = ["compare_with_pinocchio", "crane_case", "crane_scaling", "pinocchio_crane", "run_crane"]


def crane_case(n: int = 100, states: int = 64, seed: int = 0) -> Case:
    """A crane of ``n`` links of fixed lengths, and random states of it."""
    eom = derive(planar_crane(uniform_cable(n, 0.5 * n, payload=100.0, mass=1.0 * n)))
    rng = np.random.default_rng(seed)
    q, v, tau = rng.normal(size=(3, states, eom.nv))
    title = f"Crane of {n} links, fixed lengths"
    return Case(f"crane-{n}", title, eom, 0.3 * q, v, 10.0 * tau, lambda: pinocchio_crane(eom.machine))


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
    model = case.model()
    sign = np.array([1.0] + [-1.0] * (case.eom.nv - 1))
    q, v, tau = (np.ascontiguousarray(sign * x) for x in case.inputs)
    try:
        loop = PinocchioLoop(load_loop(build=build, announce=announce), model, q, v, tau)
    except BuildError as error:
        yield Skipped("pinocchio-cpp", titles["pinocchio-cpp"], str(error).splitlines()[0])
    else:
        run_loop = loop.timed("forward")
        yield Contender("pinocchio-cpp", titles["pinocchio-cpp"], run_loop, lambda: sign * loop.values("forward"))
    data, rows = model.createData(), list(zip(q, v, tau, strict=True))

    def run() -> None:
        for row in rows:
            pin.aba(model, data, *row)

    def values() -> Array:
        return np.array([sign * np.array(pin.aba(model, data, *row))[None] for row in rows])

    yield Contender("pinocchio-python", titles["pinocchio-python"], run, values)


def compare_with_pinocchio(
    n: int = 100, *, quick: bool = False, announce: Callable[[str], None] = lambda _: None
) -> list[Record]:
    """Forward dynamics of one crane by everything that is installed, side by side.

    Parameters
    ----------
    n
        Number of links.
    quick
        Few repetitions, and no long build of Pinocchio's C++.
    announce
        Called with progress messages.

    Returns
    -------
    list of dict Rows as those of `dalembert.benchmarks.run_bench`; skipped contenders have ``reason`` instead of
    figures.
    """
    case = crane_case(n)
    contenders = [*native_contenders(case), *_pinocchio(case, not quick, announce)]
    rows, skipped = measure(case, contenders, {**SETTINGS[quick], "repetitions": 5 if quick else 101})
    return [*rows, *skipped]


def crane_scaling(counts: Sequence[int] = (25, 50, 100, 200), *, repetitions: int = 9) -> list[Record]:
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


def run_crane(*, quick: bool = False, announce: Callable[[str], None] = lambda _: None) -> Record:
    """Measure a crane of 100 links side by side, and the growth of the cost (``scaling``, see `crane_scaling`).

    A quick run takes a crane of 10 links.
    """
    n, counts = (10, (5, 10)) if quick else (100, (25, 50, 100, 200))
    settings = {**SETTINGS[quick], "states": 64, "repetitions": 5 if quick else 101}
    about = describe("dalembert bench crane" + (" --quick" if quick else ""), settings)
    announce(f"crane of {n} links ...")
    rows = compare_with_pinocchio(n, quick=quick, announce=announce)
    announce("cranes whose lengths all vary ...")
    return {
        "topic": "crane",
        **about,
        "results": [row for row in rows if "reason" not in row],
        "skipped": [row for row in rows if "reason" in row],
        "scaling": crane_scaling(counts),
    }
