"""Wrong calls of what cranes are built and controlled with: errors name the element, what was got, what is expected."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.control.lqr import design_lqr
from dalembert.control.underactuated import EnergyRegulation, PartialFeedbackLinearization
from dalembert.plan.flat import SmoothStep
from dalembert.plan.shaping import SCurve, Shaper, ei, excitation, zv
from dalembert.systems.cranes import (
    DesignedOn,
    LumpedCable,
    PayloadTransport,
    PlanarClosedForms,
    bending_stiffness_alpha,
    cable_sway_omega,
    crane_coordinates,
    crane_structure,
    elastic_cable_omega,
    hanging,
    hook_crane,
    linear_chain_omega,
    mass_matrix_two_links,
    one_link_forces,
    planar_crane,
    residual_sway,
    spatial_crane,
    sway_omega,
    uniform_cable,
)

CABLE = uniform_cable(2, 4.0, payload=50.0, mass=2.0)
CRANE = planar_crane(CABLE)
HOIST = planar_crane(CABLE, lengths="hoisted")
SPACE = spatial_crane(CABLE, lengths="hoisted")
RODS = planar_crane(uniform_cable(2, 4.0, payload=1.0, mass=1.0, rods=True))
NAN = float("nan")


def wrong(call, message: str, label: str):
    return pytest.param(call, message, id=label)


def cable(n=3, length=4.0, payload=1.0, mass=1.0, **options):
    return uniform_cable(n, length, payload=payload, mass=mass, **options)


def control(machine, law):
    return da.simulate(machine, duration=0.02, q0=hanging(machine), control=law)


BUILDERS = [
    wrong(lambda: cable("3"), "number of links of a cable must be an integer >= 1, got '3'", "links as text"),
    wrong(lambda: cable(True), "number of links of a cable .* got True", "links as truth"),
    wrong(lambda: cable(length="4 m"), "length of a cable must be a number, got '4 m'", "length as text"),
    wrong(lambda: cable(length=math.inf), "length of a cable must be finite, got inf", "endless cable"),
    wrong(lambda: cable(length=None), "length of a cable must be a number, got None", "no length"),
    wrong(lambda: cable(mass=-1.0), "mass of a cable must be >= 0, got -1", "negative mass"),
    wrong(lambda: cable(damping=-1.0), "damping of a cable must be >= 0, got -1", "negative damping"),
    wrong(lambda: cable(rods=True, lumping="nodes"), "rods .* expected no lumping, got 'nodes'", "lumped rods"),
    wrong(
        lambda: LumpedCable(masses=3.0, lengths=1.0), "masses of a cable must be a list of numbers, got 3.0", "one mass"
    ),
    wrong(
        lambda: LumpedCable(masses=[1.0, None], lengths=1.0), "mass of link 2 .* must be a number, got None", "no mass"
    ),
    wrong(lambda: LumpedCable(masses=[1.0, 2.0], lengths=[1.0, 0.0]), "length of link 2 .* > 0, got 0", "no link"),
    wrong(lambda: LumpedCable(masses=[1.0], lengths=1.0, top_mass=-1.0), "share of the trolley .* got -1", "top mass"),
    wrong(lambda: planar_crane(CABLE, trolley="heavy"), "mass of the trolley must be a number, got 'heavy'", "trolley"),
    wrong(lambda: planar_crane(CABLE, trolley=None), "mass of the trolley must be a number, got None", "no trolley"),
    wrong(lambda: spatial_crane(CABLE, trolley=0.0), "mass of the trolley must be > 0, got 0", "light trolley"),
    wrong(lambda: spatial_crane(CABLE, bridge=-1.0), "mass of body 'bridge' must be >= 0, got -1", "light bridge"),
    wrong(lambda: planar_crane(CABLE, lengths=[1.0, 2.0]), "one of fixed, hoisted, variable, got", "lengths"),
    wrong(lambda: planar_crane(CABLE, lengths="hoisted", winches=2), "0 to 1 .*'hoisted', got 2", "two winches"),
    wrong(lambda: planar_crane(CABLE, lengths="variable", winches=True), "0 to 2 .* got True", "winches as truth"),
    wrong(lambda: planar_crane(cable(damping=5.0)), "damping of link 1 has no effect", "lost damping"),
    wrong(lambda: planar_crane(cable(damping=5.0), lengths="hoisted"), "damping of link 2 has", "lost damping below"),
    wrong(lambda: planar_crane(CABLE, force="5 N"), "motor 'F' must be >= 0, got '5 N'", "force"),
    wrong(lambda: planar_crane(CABLE, lengths="hoisted", winch_force="5"), "winch_force .* got '5'", "winch force"),
    wrong(lambda: planar_crane(CABLE, max_payload=NAN), "max_payload of a crane must be .* got nan", "max payload"),
    wrong(lambda: planar_crane(CABLE, max_payload="10 t"), "max_payload .* got '10 t'", "max payload as text"),
    wrong(lambda: planar_crane(CABLE, gravity=(0, 0, -9.81)), "gravity of a crane .* got \\(0", "gravity as vector"),
    wrong(lambda: planar_crane(CABLE, travel=3.0), "travel of the trolley must be two numbers, .* got 3.0", "travel"),
    wrong(lambda: planar_crane(CABLE, travel=(0, 1, 2)), "travel .* two numbers, .* got", "travel of three"),
    wrong(lambda: planar_crane(CABLE, travel=(3.0, -3.0)), "the lower and the upper one, got \\(3", "travel reversed"),
    wrong(lambda: planar_crane(CABLE, minimum_length=0.1), "minimum_length, .* expected 'hoisted'", "minimum length"),
    wrong(lambda: planar_crane(CABLE, winch_damping=5.0), "winch_friction need lengths that", "winch loss"),
    wrong(lambda: planar_crane(CABLE, lengths="hoisted", minimum_length="x"), "minimum_length .* got 'x'", "minimum"),
    wrong(lambda: hook_crane(hook=0.0), "node A1 of the cable must have a mass > 0, got 0", "no hook"),
    wrong(lambda: hook_crane(sling_length=0.0), "length of link 2 of a cable must be > 0, got 0", "no sling"),
]

DESCRIPTIONS = [
    wrong(lambda: hanging(CRANE, l1=3.0), "no coordinate 'l1' .* known: x, theta1, theta2", "unknown coordinate"),
    wrong(lambda: hanging(CRANE, theta1="x"), "coordinate 'theta1' .* finite number, got 'x'", "angle as text"),
    wrong(lambda: hanging(3), "expected a crane .* got 3", "hanging number"),
    wrong(lambda: crane_coordinates("crane"), "expected a crane .* got 'crane'", "coordinates of text"),
    wrong(lambda: crane_structure(CRANE, samples=0), "number of samples .* >= 1, got 0", "no samples"),
    wrong(
        lambda: crane_structure(CRANE, samples=3, run=3), "run must be one of crane 'crane', with x, .* got 3", "run"
    ),
    wrong(
        lambda: crane_structure(CRANE, samples=3, run=da.simulate(HOIST, duration=0.01, q0=hanging(HOIST))),
        "run must be one of crane 'crane', with x, theta1, theta2, .* got one with x, theta1, l1",
        "run of another crane",
    ),
    wrong(lambda: PlanarClosedForms.of(SPACE), "planar cranes; crane 'crane' is spatial", "closed forms in space"),
    wrong(lambda: PlanarClosedForms.of(RODS), "'link1' of crane 'crane' is a rod", "closed forms of rods"),
    wrong(lambda: mass_matrix_two_links([1, 2, 3], 1, 1, 1), "states of 5 numbers .* got shape", "two links"),
    wrong(lambda: one_link_forces([1, 2], [1, 2], [1, 2], 1, 1), "states of 3 numbers .* got shape", "one link"),
    wrong(lambda: bending_stiffness_alpha("x"), "angular stiffnesses .* got 'x'", "bending as text"),
    wrong(lambda: bending_stiffness_alpha([[1.0]]), "angular stiffnesses .* got shape", "bending as matrix"),
    wrong(lambda: sway_omega(CRANE, {"thta": 1.0}), "no coordinate 'thta'", "frequencies elsewhere"),
    wrong(lambda: cable_sway_omega(2, length=-1.0, mass=1.0), "length .* > 0, got -1.0", "negative cable"),
    wrong(lambda: cable_sway_omega(2, length=1.0, mass="x"), "mass of the cable .* got 'x'", "cable as text"),
    wrong(lambda: elastic_cable_omega(1, mass=1.0, stiffness=1.0, payload=-1.0), "payload .* got -1", "payload"),
    wrong(lambda: linear_chain_omega([1.0, 2.0], [1.0]), "as many masses > 0 as stiffnesses", "short chain"),
    wrong(lambda: linear_chain_omega([1.0, -2.0], [1.0, 1.0]), "masses > 0 .* got \\[1.0, -2.0", "negative chain"),
]

LAWS = [
    wrong(
        lambda: control(HOIST, PartialFeedbackLinearization(1.0, 1.0, [0.0])),
        "PartialFeedbackLinearization: reference must have 2 components .* got 1",
        "short reference",
    ),
    wrong(
        lambda: control(CRANE, PartialFeedbackLinearization(1.0, 1.0, [NAN])),
        "PartialFeedbackLinearization: reference must be finite",
        "reference nan",
    ),
    wrong(
        lambda: control(CRANE, PartialFeedbackLinearization(1.0, 1.0, lambda t: math.sin(t))),
        "casadi.sin, not math.sin",
        "reference of math",
    ),
    wrong(
        lambda: control(CRANE, PartialFeedbackLinearization("x", 1.0, [0.0])), "kp must be .* got 'x'", "gain as text"
    ),
    wrong(lambda: control(CRANE, PartialFeedbackLinearization(-1.0, 1.0, [0.0])), "kp must .* got -1", "negative gain"),
    wrong(
        lambda: control(CRANE, PartialFeedbackLinearization(1.0, 1.0, [0.0], 1.0, frame="hook")),
        "no frame named 'hook' .* known: .*payload",
        "unknown frame",
    ),
    wrong(lambda: control(CRANE, EnergyRegulation(1.0, 1.0, [0.0], k1="x")), "k1 must be .* got 'x'", "k1 as text"),
    wrong(lambda: control(CRANE, EnergyRegulation(1.0, 1.0, [0.0], ke=math.inf)), "ke must be finite", "endless ke"),
    wrong(lambda: control(CRANE, EnergyRegulation(1.0, 1.0, [0.0], k1=0.0)), "k1 > 0 or kv > 0 .* got 0.0", "no gain"),
    wrong(lambda: control(CRANE, EnergyRegulation(1.0, 1.0, [0.0], at={"y": 1.0})), "named 'y'; known: theta1", "at"),
    wrong(lambda: design_lqr(CRANE, Q={"thta": 1.0}), "no weight named 'thta' in Q .*; known: theta1", "weight"),
    wrong(lambda: DesignedOn(3.0, CRANE), "DesignedOn needs a law, got 3.0", "no law"),
    wrong(lambda: DesignedOn(da.PD(1.0, 1.0, [0.0]), "crane"), "expected a crane .* got 'crane'", "no design"),
    wrong(
        lambda: control(SPACE, DesignedOn(da.PD(1.0, 1.0, [0.0]), CRANE)),
        "design has the motors F, machine 'crane' has Fy, F, F1",
        "other motors",
    ),
    wrong(lambda: PayloadTransport(CRANE, 3.0), "load must be a function of time, got 3.0", "load as number"),
    wrong(lambda: PayloadTransport(CRANE, SmoothStep([0, 0], [1, 1], 1.0)), "1 component .* got 2", "load of two"),
    wrong(lambda: residual_sway(SPACE, SCurve.timed(0, 1, 1), 1.0), "planar cranes", "residual sway in space"),
    wrong(lambda: residual_sway(CRANE, 3.0, 1.0), "function of time .* got 3.0", "residual sway of a number"),
    wrong(lambda: zv("a"), "frequency of a mode must be one number > 0 rad/s, got 'a'", "frequency as text"),
    wrong(lambda: zv(sway_omega(CRANE)), "frequency of a mode must be one number", "several frequencies"),
    wrong(lambda: ei(1.0, 0.0, "x"), "tolerance of an EI shaper .* got 'x'", "tolerance as text"),
    wrong(lambda: Shaper("ab", "cd"), "times and amplitudes of a shaper .* got 'ab'", "shaper of text"),
    wrong(lambda: zv(1.0)(3.0), "needs a reference that is a function of time, got 3.0", "shaped number"),
    wrong(lambda: SCurve.timed(0, 1, "1"), "S-curve needs duration > 0, .* got '1'", "duration as text"),
    wrong(lambda: SCurve.timed(0, 1, 1.0, delay=NAN), "delay >= 0, got .*nan", "delay nan"),
    wrong(lambda: SCurve.limited(0, 1, velocity="x", acceleration=1, jerk=1), "velocity .* got 'x'", "velocity"),
    wrong(lambda: SCurve.limited([0], [1], velocity=1, acceleration=1, jerk=1), "start .* one finite number", "vector"),
    wrong(lambda: excitation(3.0, 1.0, 1.0), "function of time .* got 3.0", "excitation of a number"),
]

RUNS = [
    wrong(lambda: da.simulate(HOIST, duration=0.1), "q0: 'l1' .* starts at 0, outside .* 0.02 to inf", "no q0"),
    wrong(
        lambda: da.simulate(HOIST, duration=0.1, q0=hanging(HOIST, l1=-1.0)),
        "q0: 'l1' of machine 'crane' starts at -1, outside of its range 0.02 to inf",
        "negative length",
    ),
    wrong(
        lambda: da.simulate(
            planar_crane(uniform_cable(1, 4.0, payload=da.Parameter("load", 5.0))), duration=0.1, p={"load": -5.0}
        ),
        "mass of body 'node1' must be >= 0, got -5 .parameter 'load'",
        "negative payload",
    ),
]


@pytest.mark.parametrize(("call", "message"), BUILDERS)
def test_builders(call, message: str) -> None:
    with pytest.raises(da.MachineError, match=message):
        call()


@pytest.mark.parametrize(("call", "message"), DESCRIPTIONS + LAWS + RUNS)
def test_descriptions_laws_and_runs(call, message: str) -> None:
    with pytest.raises(da.DalembertError, match=message):
        call()


def test_what_is_right_is_not_refused() -> None:
    """The neighbours of the wrong calls."""
    assert cable(np.int64(3)).n == 3
    assert planar_crane(CABLE, lengths="variable", winches=2).u_names == ("F", "F1", "F2")
    assert planar_crane(CABLE, travel=[-1, 2]).joint("x").limits.upper == 2
    assert planar_crane(CABLE, lengths="hoisted", minimum_length=0.5, winch_damping=da.Parameter("c", 3.0)).nv == 4
    assert planar_crane(CABLE, winches=0).u_names == ("F",)
    run = control(CRANE, PartialFeedbackLinearization(1.0, 1.0, lambda t: ca.sin(t)))
    assert run.status == "completed"
