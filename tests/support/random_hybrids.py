"""Random machines with cables, contacts, welds, stops and sampled laws, and all ways in which one can be run.

A structure (bodies, joints, cables, contacts, laws) has ten variants, which differ in parameters and starts: so one
compilation serves ten machines. All signals and measures of every way are compared with those of a single run.

``python -m tests.support.random_hybrids docs/results/random/hybrid-runs.json`` runs the study in full: 200 machines. It
goes on where an earlier call was interrupted.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dalembert as da
from dalembert.control import Sampled

__all__ = ["STRUCTURES", "VARIANTS", "WAYS", "Structure", "differences", "structure"]

Array = NDArray[np.float64]

STRUCTURES, VARIANTS = 20, 10
STEP, STEPS = 2e-3, 100
_EVERY = 5  # steps from one row to the next
REDUCED: Mapping[str, Callable[[Array, Array], Any]] = {
    "min": lambda t, y: y.min(),
    "max": lambda t, y: y.max(),
    "final": lambda t, y: y[-1],
    "integral": lambda t, y: np.trapezoid(y, t),
}
WAYS = ("lanes", "measures", "stepper", "resumed", "interpreted", "fmu")


@dataclass(frozen=True)
class Structure:
    """A machine with parameters, keywords of its runs, and of each variant the parameters and the start."""

    machine: da.Machine
    settings: Mapping[str, Any]
    p: Mapping[str, Array]
    q0: Mapping[str, Array]
    v0: Mapping[str, Array]

    def variant(self, k: int) -> dict[str, dict[str, float]]:
        """Parameters and start of one variant, as keywords."""
        of = {"p": self.p, "q0": self.q0, "v0": self.v0}
        return {key: {name: float(x[k]) for name, x in values.items()} for key, values in of.items()}


def structure(number: int) -> Structure:
    """A body above the ground on a free, planar or sliding joint, with links, a leash, a load to be gripped."""
    rng = np.random.default_rng([261, number])
    mass, slips, bounces, leash = (da.Parameter(n, x) for n, x in (("m", 1.5), ("mu", 0.4), ("e", 0.4), ("leash", 1.0)))
    base = ("free", "planar", "slides")[number % 3]
    upright = da.Transform.quaternion((1.0, 1.0, 0.0, 0.0))
    bodies: list[da.Body] = [da.sphere("base", mass, 0.1)]
    joints: list[da.Joint] = []
    if base == "free":
        joints.append(da.Joint("base", "free", "world", "base"))
        height, fall, way = "base.z", "base.vz", "base.vx"
    elif base == "planar":  # in the vertical plane: its y is up
        joints.append(da.Joint("base", "planar", "world", "base", upright))
        height, fall, way = "base.y", "base.y_dot", "base.x_dot"
    else:
        bodies.append(da.Body("slide", 0.3))
        joints += [
            da.Joint("x", "prismatic", "world", "slide", axis="x"),
            da.Joint("z", "prismatic", "slide", "base", axis="z"),
        ]
        height, fall, way = "z", "z_dot", "x_dot"
    links = int(rng.integers(0, 3))
    stops = links > 0 and rng.random() < 0.6
    for i in range(links):
        axis = rng.normal(size=3)
        length = float(rng.uniform(0.1, 0.25))
        limits = da.Limits(-0.3, 0.3, restitution=0.4) if stops and i == 0 else da.Limits()
        inertia = np.diag(rng.uniform(0.01, 0.02, 3))
        bodies.append(da.Body(f"link{i}", float(rng.uniform(0.2, 1.0)), (0.0, 0.0, length / 2), inertia))
        place = (0.0, 0.0, 0.1) if i == 0 else (0.0, 0.0, 0.2)
        parent = f"link{i - 1}" if i else "base"
        joints.append(da.Joint(f"j{i}", "revolute", parent, f"link{i}", place, axis=tuple(axis), limits=limits))
    contacts = [da.Contact("below", "base", da.Sphere(0.1), restitution=bounces, friction=slips)]
    if links and rng.random() < 0.5:
        contacts.append(da.Contact("tip", f"link{links - 1}", da.Sphere(0.03), restitution=bounces))
    cables = []
    if rng.random() < 0.7:
        kind: dict[str, Any] = {"stiffness": 2e3, "damping": 5.0} if rng.random() < 0.3 else {}
        kind |= {"pulley": 0.05} if rng.random() < 0.4 else {}
        cables.append(da.Cable("leash", "base", exit_at=(-0.4, 0.0, 0.9), length=leash, **kind))
    settings: dict[str, Any] = {"step": STEP, "limits": "contact" if stops else "ignore"}
    constraints = []
    if rng.random() < 0.4 and base != "slides":
        bodies.append(da.sphere("load", 0.7, 0.05))
        joints.append(da.Joint("load", base, "world", "load", upright if base == "planar" else da.Transform()))
        constraints.append(da.WeldConstraint("grip", "base", "load", switchable=True, active=False))
        settings["switches"] = [da.Switch(at=0.0503, on="grip"), da.Switch(at=0.121, off="grip")]
    motors = []
    if links:
        motors.append(da.Motor("turn", "j0", effort=3.0))
    elif base == "slides":
        motors.append(da.Motor("push", "x", effort=3.0))
    if motors:
        law = da.PD(kp=4.0, kd=0.3, reference=[0.2])
        settings["control"] = Sampled(law, float(rng.choice([4, 10, 7])) * STEP) if rng.random() < 0.7 else law
    machine = da.Machine(
        f"hybrid{number}", bodies, joints, constraints=constraints, cables=cables, contacts=contacts, motors=motors
    )

    def draw(low: float, high: float) -> Array:
        return rng.uniform(low, high, VARIANTS)

    p = {"m": draw(1.0, 3.0), "mu": draw(0.0, 0.8), "e": draw(0.0, 0.7), "leash": draw(0.95, 1.3)}
    p = {name: values for name, values in p.items() if name in {x.name for x in machine.parameters}}
    q0 = {height: 0.1 + draw(0.01, 0.05)} | ({"j0": draw(-0.25, 0.25)} if links else {})
    v0 = {fall: -draw(0.2, 1.0), way: draw(-1.0, 1.0)} | ({"j0_dot": draw(-3.0, 3.0)} if links else {})
    return Structure(machine, settings, p, q0, v0)


def _grid(run: da.Run, every: int = _EVERY) -> NDArray[np.int64]:
    """Rows of a run after every so many steps: of those at one instant the last."""
    times = np.arange(0, STEPS + 1, every) * STEP
    return np.array([int(np.flatnonzero(run.t <= t + 1e-12)[-1]) for t in times])


def _gap(got: Any, want: Array, scale: float) -> float:
    """Largest difference, by the scale; infinite where one of them has no number."""
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    if got.shape != want.shape or not np.array_equal(np.isnan(got), np.isnan(want)):
        return float("inf")
    return float(np.nanmax(np.abs(got - want), initial=0.0) / scale)


class Comparison:
    """All ways to run the variants of a structure, compared with single runs of them.

    Parameters
    ----------
    number
        The structure.
    variants
        How many of its variants.

    Attributes
    ----------
    found
        Of each way the signals that differ by more than 1e-9 of their largest value, and by how much.
    """

    def __init__(self, number: int, variants: int) -> None:
        self.one, self.found = structure(number), dict[str, dict[str, float]]()
        self.eom, self._count = da.equations(self.one.machine), variants
        self.settings: dict[str, Any] = dict(self.one.settings)
        self._timed = {"duration": STEPS * STEP, "record": _EVERY * STEP, **self.settings}
        self.runs = [self._run(self.eom, k, record=STEP) for k in range(variants)]
        run = self.runs[0]
        about_itself = ("leeway.", "constraint.", "contact.")  # numbers of the engine
        names = [*run.state_names, *run.signal_names, *run.held_names]
        self.names = [n for n in names if not n.startswith(about_itself)]
        self._scale = {n: max(1.0, *(float(np.nanmax(np.abs(r[n]))) for r in self.runs)) for n in self.names}
        self._wanted = [{n: r[n][_grid(r)] for n in self.names} for r in self.runs]
        self._many = {key: {n: x[:variants] for n, x in getattr(self.one, key).items()} for key in ("p", "q0", "v0")}

    @property
    def sampled(self) -> bool:
        """Whether its law is sampled."""
        return isinstance(self.settings.get("control"), Sampled)

    def _run(self, eom: Any, k: int, **more: Any) -> da.Run:
        return da.simulate(eom, **{**self._timed, **self.one.variant(k), **more})

    def _compare(self, way: str, got: list[Mapping[str, Any]], rows: Any = slice(None)) -> None:
        pairs = list(zip(got, self._wanted, strict=True))
        off = {n: max(_gap(g[n], w[n][rows], self._scale[n]) for g, w in pairs) for n in self.names}
        self.found[way] = {n: x for n, x in off.items() if x > 1e-9}

    def lanes(self) -> None:
        """Rows of a rollout."""
        rolled = da.rollout(self.eom, **self._timed, **self._many)
        self._compare("lanes", [{n: rolled[n][k] for n in self.names} for k in range(self._count)])

    def measures(self) -> None:
        """Measures of a rollout, of the ends of steps; at samples they see what was before, too."""
        machine = self.one.machine
        smooth = {*machine.q_names, *machine.v_names} if self.sampled else set(self.names)
        measure = {
            f"{by} {n}": da.Measure(n, by)
            for n in self.names
            for by in REDUCED
            if by == "final" or (n in smooth and (by != "integral" or n in machine.q_names))
        }
        rolled = da.rollout(self.eom, **{**self._timed, "record": None}, **self._many, measure=measure)
        off = dict.fromkeys(measure, 0.0)
        for k, run in enumerate(self.runs):
            rows = _grid(run, 1)
            for name in measure:
                by, _, signal = name.partition(" ")
                number = np.array(REDUCED[by](run.t[rows], run[signal][rows]))
                off[name] = max(off[name], _gap(rolled.measures[name][k], number, self._scale[signal]))
        self.found["measures"] = {n: x for n, x in off.items() if x > 1e-9}

    def stepper(self) -> None:
        """Observations of a stepper, which refuses sampled laws and switches."""
        if self.sampled or "switches" in self.settings:
            return
        many = {"members": self._count, "observe": self.names, **self.settings, **self._many}
        stepper = da.stepper(self.eom, period=_EVERY * STEP, **many)
        rows = np.array([stepper.step() for _ in range(STEPS // _EVERY)])
        got = [dict(zip(self.names, rows[:, k].T, strict=True)) for k in range(self._count)]
        self._compare("stepper", got, slice(1, None))

    def resumed(self) -> None:
        """Two halves, the second from the end of the first."""
        halves = []
        for k in range(self._count):
            first = self._run(self.eom, k, duration=0.5 * STEPS * STEP)
            rest = {**self._timed, "duration": 0.5 * STEPS * STEP, "p": self.one.variant(k)["p"]}
            whole = first.append(da.simulate(self.eom, start=first, **rest))
            halves.append({n: whole[n][_grid(whole)] for n in self.names})
        self._compare("resumed", halves)

    def interpreted(self) -> None:
        """Single runs on CasADi's virtual machine."""
        slow = da.equations(self.one.machine, backend="vm")
        again = [self._run(slow, k) for k in range(self._count)]
        self._compare("interpreted", [{n: run[n][_grid(run)] for n in self.names} for run in again])

    def fmu(self) -> None:
        """Outputs of an FMU, but for those at samples.

        It samples at the start of a step of its master, which may have new inputs for it.
        """
        import fmpy

        outputs = []
        with tempfile.TemporaryDirectory() as folder:
            path = da.export_fmu(self.one.machine, Path(folder) / "x.fmu", **self.settings, **self.one.variant(0))
            for k in range(self._count):
                values = {f"parameter.{n}": x for n, x in self.one.variant(k)["p"].items()}
                names = (*self.one.machine.q_names, *self.one.machine.v_names)
                values |= {n: float(self.runs[k][n][0]) for n in names}  # assembled: it cannot know what was named
                times = {"stop_time": STEPS * STEP, "output_interval": _EVERY * STEP}
                there = fmpy.simulate_fmu(str(path), **times, output=self.names, start_values=values)
                outputs.append({n: there[n] for n in self.names})
        due = np.arange(0, STEPS + 1, _EVERY) * STEP / getattr(self.settings.get("control"), "period", np.inf)
        between = np.abs(due - np.round(due)) > 1e-9 if self.sampled else np.ones(len(due), dtype=bool)
        self._compare("fmu", [{n: x[between] for n, x in out.items()} for out in outputs], between)


def differences(number: int, variants: int = VARIANTS, ways: tuple[str, ...] = WAYS) -> dict[str, dict[str, float]]:
    """Of each way the signals that differ from those of single runs, as of `Comparison.found`."""
    comparison = Comparison(number, variants)
    for way in ways:
        getattr(comparison, way)()
    return comparison.found


def main(path: str) -> None:
    """Run the study, and write after each structure."""
    target = Path(path)
    done = json.loads(target.read_text()) if target.exists() else {}
    for number in range(STRUCTURES):
        if str(number) in done:
            continue
        machine = structure(number).machine
        parts = sorted({*(j.kind for j in machine.joints), *(c.name for c in (*machine.cables, *machine.contacts))})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done[str(number)] = {"machines": VARIANTS, "parts": parts, "differ": differences(number)}
        target.write_text(json.dumps(done, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
