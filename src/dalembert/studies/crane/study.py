"""Numbers and statements of CRANE, derived by the library."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert import Parameter, closed_form, equations, simulate
from dalembert.analysis.linearize import law_gain, linearize
from dalembert.control.underactuated import PartialFeedbackLinearization
from dalembert.studies.crane.cables import several_cables, strings
from dalembert.studies.crane.robustness import compare_robustness
from dalembert.studies.crane.simplified import simplified_models
from dalembert.studies.crane.transport import compare_transport, ei_excitation, laws, transport_crane
from dalembert.studies.crane.winch import winch_sway
from dalembert.studies.expected import Formula
from dalembert.systems.cranes import (
    DesignedOn,
    LumpedCable,
    PlanarClosedForms,
    cable_sway_omega,
    crane_coordinates,
    crane_structure,
    hanging,
    linear_chain_omega,
    planar_crane,
    spatial_crane,
    sway_omega,
    uniform_cable,
)

__all__ = ["results"]

Result = tuple[str, Formula | float]


def results(*, full: bool = True) -> Iterator[Result]:
    """Yield the key of each expected value and our value; the short form leaves out slow rows."""
    yield from _printed()
    yield from _closed_forms()
    yield from _lemmas()
    yield from _frequencies()
    yield from _energy()
    yield from _growth()
    yield from several_cables()
    yield from strings()
    yield from simplified_models()
    yield from winch_sway(full=full)
    if full:
        yield from _transport()
        yield from _robustness()


def _printed() -> Iterator[Result]:
    """(194), (195) and the case N = 2, as formulas."""
    m, m1, m2 = Parameter("m", 5.0), Parameter("m_1", 3.0), Parameter("m_2", 4.0)
    one = planar_crane(LumpedCable(masses=[m1], lengths=[2.0]), trolley=m, lengths="hoisted")
    form = closed_form(one, coordinates=crane_coordinates(one))
    yield "one.mass", Formula.of(form, form.mass_matrix)
    for key, equation in zip(("one.x", "one.theta", "one.l"), form.equations, strict=True):
        yield key, Formula.of(form, equation.lhs)
    two = planar_crane(LumpedCable(masses=[m1, m2], lengths=[2.0, 1.5]), trolley=m, lengths="variable")
    form = closed_form(two, coordinates=crane_coordinates(two))
    yield "two.mass", Formula.of(form, form.mass_matrix)
    yield "two.gravity", Formula.of(form, form.gravity)
    rod = LumpedCable(masses=[m1], lengths=[2.0], link_masses=[Parameter("m_r", 2.0)])
    form = closed_form(planar_crane(rod, trolley=m, lengths="hoisted"))
    yield "rod.theta", Formula.of(form, form.equations[1].lhs)


def _closed_forms() -> Iterator[Result]:
    """Largest relative difference of the N-link closed forms from both formulations, N = 1 to 8."""
    rng = np.random.default_rng(0)
    worst = dict.fromkeys(("mass", "velocity", "gravity"), 0.0)
    for n in range(1, 9):
        cable = LumpedCable(masses=rng.uniform(0.5, 3.0, n).tolist(), lengths=rng.uniform(0.5, 2.0, n).tolist())
        crane = planar_crane(cable, trolley=5.0, lengths="variable")
        form = PlanarClosedForms.of(crane)
        q, v = rng.normal(size=(2, 3, 2 * n + 1))
        for by in ("newton-euler", "lagrange"):
            eom = equations(crane, by, coordinates=crane_coordinates(crane), backend="vm")
            pairs = {
                "mass": (form.mass_matrix(q), eom.mass_matrix(q)),
                "velocity": (form.velocity_force(q, v), eom.bias(q, v) - eom.bias(q, 0 * v)),
                "gravity": (form.gravity_force(q), eom.gravity(q)),
            }
            for key, (ours, theirs) in pairs.items():
                worst[key] = max(worst[key], float(np.abs(ours - theirs).max() / np.abs(theirs).max()))
    yield from ((f"closed.{key}", value) for key, value in worst.items())


def _lemmas() -> Iterator[Result]:
    cable = uniform_cable(4, 6.0, payload=50.0, mass=20.0)
    flat = crane_structure(planar_crane(cable, lengths="variable"), samples=6)
    space = crane_structure(spatial_crane(cable, lengths="variable"), samples=6)
    for key, report in (("plane", flat), ("space", space)):
        kept = [f for f in report if "printed" not in f.item and "across" not in f.item]
        yield f"{key}.lemmas", float(sum(not f.holds for f in kept))
        yield f"{key}.rank", report["lemma 1.8 stronger"].value
        yield f"{key}.underactuation", float(report.underactuation)
    yield "plane.lemma4", flat["lemma 4 corrected"].value


def _frequencies() -> Iterator[Result]:
    length, mass = 5.0, 4.0
    errors = {0.0: [], 100.0: []}  # type: dict[float, list[float]]
    for payload, deviations in errors.items():
        exact = cable_sway_omega(1, length=length, mass=mass, payload=payload)[0]
        for n in (25, 50):
            w = sway_omega(planar_crane(uniform_cable(n, length, payload=payload, mass=mass)))[0]
            deviations.append(abs(w / exact - 1))
            if payload == 0.0 and n == 50:
                yield "bessel.first", 2 * w * np.sqrt(length / 9.81)
    yield "bessel.order", float(np.log2(errors[0.0][0] / errors[0.0][1]))
    yield "payload.order", float(np.log2(errors[100.0][0] / errors[100.0][1]))
    elastic = uniform_cable(8, length, payload=50.0, mass=mass, stiffness=1e5)
    crane = sway_omega(planar_crane(elastic, lengths="variable", winches=0))
    chain = linear_chain_omega(elastic.masses, elastic.axial_stiffness)
    yield "elastic.chain", float(max(np.abs(crane / w - 1).min() for w in chain))


def _energy() -> Iterator[Result]:
    free = planar_crane(uniform_cable(10, 5.0, payload=50.0, mass=5.0))
    run = simulate(free, duration=5.0, q0=hanging(free, theta1=0.6, theta4=-0.4), method="dopri5", rtol=1e-11)
    yield "energy.free", run.energy.drift
    rough = planar_crane(uniform_cable(10, 5.0, payload=50.0, mass=5.0, bending_damping=0.05), rail_friction=20.0)
    run = simulate(rough, duration=5.0, q0=hanging(rough, theta1=0.6), step=5e-4)
    yield "energy.losses", run.energy.drift


def _transport() -> Iterator[Result]:
    plant = transport_crane(10)
    keys = {
        "PFL, ZV-shaped S-curve": "transport.zv",
        "PFL, ZVD-shaped S-curve": "transport.zvd",
        "PFL, EI-shaped S-curve (0.25°)": "transport.ei",
        "PFL, flat reference": "transport.flat",
        "LQR of one link": "transport.lqr",
        "energy, set point": "transport.energy",
    }
    usual = "PFL, EI-shaped S-curve (5 %)"
    chosen = laws(plant)
    for performance in compare_transport(plant, {name: chosen[name] for name in (*keys, usual)}):
        if performance.law == usual:
            yield "transport.ei5", float(np.radians(performance.residual_sway)) / (0.05 * ei_excitation(plant))
        else:
            yield keys[performance.law], performance.residual_sway


def _robustness() -> Iterator[Result]:
    """Other payloads and lengths, same law: the worst case of each."""
    keys = {
        "LQR of one link": ("robust.lqr", ("payload -30 %", "payload +30 %", "length -10 %", "length +10 %")),
        "PFL, ZVD-shaped S-curve": ("robust.zvd", ("length -10 %", "length +10 %")),
        "PFL, EI-shaped S-curve (0.25°)": ("robust.ei", ("length -10 %", "length +10 %")),
    }
    for name, row in compare_robustness(names=tuple(keys)).items():
        key, cases = keys[name]
        yield key, max(row[case].residual_sway for case in cases)


def _growth() -> Iterator[Result]:
    """Feedback linearisation of a missing payload."""
    plant, model = (planar_crane(uniform_cable(1, 5.0, payload=load), trolley=200.0) for load in (350.0, 500.0))
    eom, law = equations(plant), DesignedOn(PartialFeedbackLinearization(9.0, 6.0, [0.0]), model)
    linear = linearize(eom)
    poles = np.linalg.eigvals(np.asarray(linear.A) + np.asarray(linear.B) @ law_gain(eom, law))
    yield "robust.growth", float(poles.real.max())
