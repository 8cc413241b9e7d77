"""Heavy cables that rub on their pulleys: stick, slip, energy, limits and linear models."""

from __future__ import annotations

import math
import warnings
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import fsolve

import dalembert as da
from dalembert.analysis import catenary
from dalembert.analysis.derivation.smooth import smooth_part
from dalembert.core.errors import DalembertWarning, InputError, MachineError
from dalembert.formulations.constraints.heavy_pulleys import HeavyPulley, heavy_rubbing
from dalembert.io import load_machine, machine_to_yaml

RADIUS, LEAD, WEIGHT, EA, FRICTION, LENGTH = 0.2, 1.0, 10.0, 2e4, 0.2, 7.45


def swing(**cable: Any) -> da.Machine:
    """A mass in a plane between a cable over a pulley, which a winch pulls and releases, and a spring."""
    options: dict[str, Any] = {"pulley": RADIUS, "lead": LEAD, "friction": FRICTION, "weight": WEIGHT}
    return da.Machine(
        "swing",
        [da.Body("drum", 1.0, inertia=(0.01, 0.01, 0.01)), da.Body("slide"), da.point_mass("m", 20.0)],
        [
            da.Joint("w", "revolute", "world", "drum", axis="y"),
            da.Joint("x", "prismatic", "world", "slide", axis="x", origin=(6, 0, 0), stiffness=200.0, damping=10.0),
            da.Joint("z", "prismatic", "slide", "m", axis="z", origin=(0, 0, -1), stiffness=200.0, damping=10.0),
        ],
        cables=[da.Cable("c", "m", winch="w", drum=0.1, length=LENGTH, stiffness=EA, **(options | cable))],
        constraints=[da.MotionConstraint("drive", joint="w", value=-da.sin(4.0 * da.TIME))],
    )


def simulated(machine: da.Machine, duration: float = 1.2, **options: Any) -> Any:
    """A run with tight tolerances; it is faster than heavy cables are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        return da.simulate(machine, duration=duration, method="dopri5", rtol=1e-9, atol=1e-10, backend="vm", **options)


@pytest.fixture(scope="module")
def rubbed() -> Any:
    """A run with stick and slip both ways."""
    return simulated(swing(), record=0.02)


def oracle(end: np.ndarray, length: float) -> tuple[float, float, np.ndarray]:
    """Tension at A, wrap and pull on the anchor of the cable with a length beyond D, by another method."""

    def hung(psi: float, tension: float) -> Any:
        start = RADIUS * np.array([1 + np.cos(psi), 0.0, np.sin(psi)])
        left = (1 + tension / EA) ** 2

        def per_angle(angle: float) -> float:
            return 1 / math.sqrt(left + 2 * WEIGHT * RADIUS * (math.sin(angle) - math.sin(psi)) / EA)

        return catenary(start, end, length - RADIUS * quad(per_angle, psi, math.pi)[0], WEIGHT, stiffness=EA)

    def miss(x: np.ndarray) -> list[float]:
        cable = hung(*x)
        return [x[0] - math.atan2(cable.horizontal, WEIGHT * cable.length - cable.vertical), cable.tensions[0] - x[1]]

    psi, tension = fsolve(miss, [1.0, 70.0], xtol=1e-12)
    return tension, math.pi - psi, hung(psi, tension).forces[1]


def band(tension: float, wrap: float) -> tuple[float, float]:
    """Least and largest tensions at the winch: weight and friction along the arc, from the tension at its end."""
    found = []
    for mu in (FRICTION, -FRICTION):

        def slope(a: float, T: np.ndarray, mu: float = mu) -> np.ndarray:
            load = WEIGHT * RADIUS * (math.cos(a) + mu * math.sin(a))
            return load / (1 + T / EA) + mu * T

        found.append(float(solve_ivp(slope, (wrap, 0.0), [tension], rtol=1e-11, atol=1e-9).y[0, -1]))
    return found[0], found[1]


def test_it_sticks_and_slips_within_eytelweins_limits(rubbed: Any) -> None:
    """Tensions and wrap by another method from the length beyond the pulley, which the tension at the winch gives.

    The ratio is at its limit while the cable slips, and within it while the cable sticks and this length stays.
    """
    assert [event.name for event in rubbed.events][:3] == [f"c.pulley.{what}" for what in ("slip", "stick", "slip")]
    slips, slip = rubbed["stick.c.pulley"] < 0.5, rubbed["slip.c.pulley"]
    before = rubbed["tension_winch.c"]
    lengths = LENGTH + 0.1 * rubbed["w"] - LEAD / (1 + before / EA)
    seen = set()
    for k in range(3, len(rubbed.t), 4):
        end = np.array([6.0 + rubbed["x"][k], 0.0, -1.0 + rubbed["z"][k]])
        tension, wrap, pull = oracle(end, lengths[k])
        assert rubbed["wrap.c.pulley"][k] == pytest.approx(wrap, abs=1e-8)
        assert rubbed["tension.c"][k] == pytest.approx(np.linalg.norm(pull), rel=1e-8)
        least, largest = band(tension, wrap)
        if slips[k] and abs(slip[k]) > 1e-4:
            assert before[k] == pytest.approx(least if slip[k] > 0 else largest, rel=1e-4)
            seen.add(math.copysign(1, slip[k]))
        assert least * (1 - 1e-4) <= before[k] <= largest * (1 + 1e-4)
    assert seen == {1.0, -1.0}
    begins, ends = (next(e.t for e in rubbed.events[from_:]) for from_ in (1, 2))
    stuck = (rubbed.t > begins) & (rubbed.t < ends)
    assert np.count_nonzero(stuck) >= 2 and np.ptp(lengths[stuck]) < 1e-9 and np.all(slip[stuck] == 0.0)


def test_rates_of_the_law_are_those_of_differences() -> None:
    """Along random motions of winch and anchor, and with the length beyond the pulley."""
    eom, grown = da.equations(swing(), backend="vm"), ca.SX.sym("grown")
    s, pulley = eom.symbolic, HeavyPulley(eom, heavy_rubbing(eom)[0], 6.45 + grown)
    rates = [ca.vertcat(*column) for column in zip(*pulley.room_rates(grown), strict=True)]
    found = ca.Function("found", [s.q, s.v, s.t, s.p, grown], [ca.vertcat(*pulley.rooms), *rates])
    rng, h = np.random.default_rng(0), 1e-5
    for _ in range(5):
        q, v, l = 0.05 * rng.normal(size=3), rng.normal(size=3), 0.02 * rng.normal()

        def rooms(by: float, longer: float, at: tuple[Any, ...] = (q, v, l)) -> np.ndarray:
            return np.array(found(at[0] + by * at[1], at[1], 0.0, eom.machine.p_nominal, at[2] + longer)[0]).ravel()

        _, along, by_length = found(q, v, 0.0, eom.machine.p_nominal, l)
        for rate, difference in ((along, rooms(h, 0) - rooms(-h, 0)), (by_length, rooms(0, h) - rooms(0, -h))):
            np.testing.assert_allclose(np.array(rate).ravel(), difference / (2 * h), rtol=1e-6, atol=1e-4)


def test_its_energy_closes_with_the_loss_of_the_pulley(rubbed: Any) -> None:
    lost = rubbed["loss.c.pulley"]
    assert rubbed.energy.drift < 1e-9
    assert np.all(np.diff(lost) >= -1e-12) and lost[-1] > 1.0


@pytest.mark.slow
def test_little_friction_is_none() -> None:
    """The limit of no friction, and with a pulley on the same pose a potential: its energy closes without inputs."""
    with_little, without = (simulated(swing(friction=mu), 0.5) for mu in (1e-8, 0.0))
    for name in ("x", "z", "tension.c", "tension_winch.c"):
        assert with_little[name][-1] == pytest.approx(without[name][-1], abs=1e-5)
    assert without.energy.drift < 1e-9


@pytest.mark.slow
def test_without_weight_it_is_an_elastic_rope_over_a_guide() -> None:
    """A rope whose arc is cut where it meets the guide, from a neutral pose without wrap; its end is shaken."""
    joints = [
        da.Joint("x", "prismatic", "world", "slide", axis="x"),
        da.Joint("z", "prismatic", "slide", "m", axis="z", origin=(0, 0, 8)),
    ]
    moves = [
        da.MotionConstraint("across", joint="x", value=6.3 + 0.06 * da.sin(8.0 * da.TIME)),
        da.MotionConstraint("up", joint="z", value=-9.0 + 0.0 * da.TIME),
    ]
    bodies = [da.Body("slide"), da.point_mass("m", 20.0)]
    guide = da.Guide("world", RADIUS, "y", (RADIUS, 0, 0), friction=FRICTION, name="pulley")
    common: dict[str, Any] = {"length": LENGTH, "stiffness": EA}
    rope = da.Rope("c", [da.Anchor("world", (0, 0, -LEAD)), guide, da.Anchor("m")], **common)
    cable = da.Cable("c", "m", pulley=RADIUS, lead=LEAD, friction=FRICTION, weight=1e-4, **common)
    light, heavy = (
        simulated(da.Machine("light", bodies, joints, constraints=moves, **field), 0.55, q0={"x": 6.3, "z": -9.0})
        for field in ({"ropes": [rope]}, {"cables": [cable]})
    )
    assert [e.name for e in light.events] == [e.name for e in heavy.events] and len(light.events) == 3
    assert [e.t for e in light.events] == pytest.approx([e.t for e in heavy.events], abs=1e-4)
    for name, other in (("tension.c[0]", "tension_winch.c"), ("tension.c[1]", "tension.c")):
        assert heavy[other][-1] == pytest.approx(light[name][-1], rel=1e-4)
    assert heavy["loss.c.pulley"][-1] == pytest.approx(light["loss.c.pulley"][-1], rel=1e-3)


def test_linear_models_hold_it_on_its_pulley() -> None:
    """At rest it sticks: its stiffness is that with a constant length beyond the pulley, by differences."""
    machine = swing()
    eom = da.equations(machine, backend="vm")
    at = {"x": 0.05, "z": -0.1}
    plant = da.linearize(machine, at, require_equilibrium=False, inputs=[], outputs=["x", "z"])
    s, shape = eom.symbolic, machine.cables[0].hanging(eom.constraint_system.context)
    made = ca.Function("length", [s.q, s.t, s.p], [shape.L + shape.arc])
    length = float(made([0.0, 0.05, -0.1], 0.0, eom.parameter_values(None)))
    h = 1e-4
    K = np.zeros((2, 2))
    for k, step in enumerate(np.eye(3)[[0, 2]] * h):
        pulls = [oracle(np.array([6.05, 0.0, -1.1]) + side * step, length)[2][[0, 2]] for side in (1, -1)]
        K[:, k] = -(pulls[0] - pulls[1]) / (2 * h)
    np.testing.assert_allclose(-20.0 * plant.A[2:, :2], K + 200.0 * np.eye(2), rtol=1e-5, atol=1e-3)
    smooth, lost = smooth_part(machine)
    assert smooth.cables[0].friction == 0.0 and lost == ("friction at c.pulley",)


def test_files_and_refusals() -> None:
    machine = swing()
    assert load_machine(machine_to_yaml(machine)).cables == machine.cables
    with pytest.raises(InputError, match=r"cable 'c' of machine 'swing' has weight and friction on its pulley"):
        da.simulate(machine, duration=0.1, contact="time-stepping")
    with pytest.raises(InputError, match="slips"):
        da.linearize(machine, {"x": 0.0}, v={"x_dot": 0.5}, require_equilibrium=False, inputs=[], outputs=["x", "z"])
    for wrong, message in (
        ({"lead": 0.0}, "cable 'c' has friction: give its lead"),
        ({"pulley": 0.0, "lead": 0.0}, "cable 'c' has friction but no pulley"),
        ({"weight": 0.0, "lead": 0.0}, "cable 'c' has friction but no weight: lead a rope over a guide"),
        ({"weight": 0.0, "friction": 0.0}, "cable 'c' has lead but no weight: add it to the length"),
        ({"friction": -0.1}, "friction of cable 'c' must be >= 0"),
    ):
        with pytest.raises(MachineError, match=message):
            swing(**wrong)
