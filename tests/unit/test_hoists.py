"""Ready-made hoists: statics, ratios of their reevings, losses, traction, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import machine_modes, rope_efficiency, rope_tensions
from dalembert.core.errors import InputError, MachineError, UnknownNameError
from dalembert.engine.methods.constraints import CONSTRAINT_METHODS
from dalembert.studies.ropes.machines import tackle
from dalembert.systems.cranes import multi_cable_crane
from dalembert.systems.hoists import container_spreader, elevator, reeved_hoist, reeving, ship_crane, tower_crane

G = 9.81


def tensions(run: da.Run, rope: str, count: int, row: int = -1) -> np.ndarray:
    return np.array([run[f"tension.{rope}[{k}]"][row] for k in range(count)])


@pytest.mark.parametrize("parts", [2, 6])
def test_parts_of_rope_share_the_load(parts: int) -> None:
    """The torque that holds is W R / n; the block moves by R / n per angle of the drum."""
    hoist = reeved_hoist(parts)
    weight = 1100.0 * G
    run = da.simulate(hoist, duration=0.05, control=[0.0, -weight * 0.3 / parts], backend="vm")
    np.testing.assert_allclose(tensions(run, "fall", parts), weight / parts, rtol=1e-10)
    assert abs(run["drum"][-1]) < 1e-10
    lowered = da.simulate(hoist, duration=0.01, v0={"drum_dot": 2.0, "x_dot": 0.0, "block.x_dot": 0.0}, backend="vm")
    assert lowered["block.y_dot"][0] == pytest.approx(-2.0 * 0.3 / parts, rel=1e-9)


def test_losses_of_a_hoist_lift_and_lower() -> None:
    """From the drum on, tensions of a hoist that lifts fall by ``k`` at each sheave, and rise where it lowers."""
    loss, n, W = da.SheaveLoss(bearing=0.12, pin=0.02, bending=0.012), 4, 1100.0 * G
    c = 0.12 * 0.02 / 0.25
    k = (1 + c) / (1 - c) * 1.012
    hoist = reeved_hoist(n, loss=loss)
    for speed, q in ((-0.5, 1.0 / k), (0.5, k)):  # tensions fall from the drum on where it lifts
        share = W * (1 - q) / (1 - q**n)
        run = da.simulate(
            hoist, duration=0.02, v0={"drum_dot": speed, "x_dot": 0.0}, control=[0.0, -share * 0.3], backend="vm"
        )
        np.testing.assert_allclose(tensions(run, "fall", n), share * q ** np.arange(n), rtol=2e-3)


@pytest.mark.parametrize(
    ("parts", "up", "down"), [(2, 0.936453203969, 4680.00760062), (6, 0.859893524725, 1425.11600292)]
)
def test_tackle_with_its_efficiency(parts: int, up: float, down: float) -> None:
    """``eta = (1 - k^-n) / (n (k - 1))`` to lift, ``F = W (k - 1) / (k (k^n - 1))`` to lower; it stands in between."""
    loss = da.SheaveLoss(bearing=0.12, pin=0.02, bending=0.012)
    machine = tackle(parts, 1e4 / G, 1.0, loss=loss)
    made = rope_efficiency(machine, "r", held=["h"])
    ideal = 1e4 / parts
    assert made.lifting == pytest.approx(up, rel=1e-11)
    assert made.band == pytest.approx((down, ideal / up), rel=1e-11)
    assert made.lowering == pytest.approx(down / ideal, rel=1e-11)
    spans = rope_tensions(machine, held=["h"])["r"]
    np.testing.assert_allclose(spans.ideal, ideal, rtol=1e-12)
    ratio = spans.coiling[:-1] / spans.coiling[1:]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-12)
    np.testing.assert_allclose(spans.paying_out[1:] / spans.paying_out[:-1], ratio[0], rtol=1e-12)


def test_efficiency_refuses() -> None:
    hoist = reeved_hoist(2)
    with pytest.raises(UnknownNameError, match="fal"):
        rope_efficiency(hoist, "fal")
    with pytest.raises(InputError, match="is elastic"):
        rope_efficiency(reeved_hoist(2, stiffness=1e6), "fall")
    with pytest.raises(InputError, match="not pulled taut"):
        rope_tensions(reeved_hoist(2, gravity=0.0))
    with pytest.raises(InputError, match="carries no load that is free"):
        rope_tensions(hoist, held=["block", "swing"])


def test_sway_of_a_hoist_is_that_of_links() -> None:
    """Falls between equal sheaves are as long as the distance of their centres: links of that length sway alike."""
    n, L, r = 8, 20.0, 0.1
    held = [da.MotionConstraint(f"hold_{joint}", joint=joint, value=0.0) for joint in ("x", "drum")]
    hoist = reeved_hoist(n, height=L, radius=r, drum_radius=r).with_(constraints=held)
    block, load = (next(b for b in hoist.bodies if b.name == name) for name in ("block", "payload"))
    link = da.Machine(
        "links",
        bodies=[da.point_mass("link", 0.0), block, load],
        joints=[
            da.Joint("a", "revolute", "world", "link", axis="-y"),
            da.Joint("b", "revolute", "link", "block", (0, 0, -L), axis="-y"),
            da.Joint("c", "revolute", "block", "payload", (0, 0, -2 * r), axis="-y"),
        ],
    )
    np.testing.assert_allclose(machine_modes(hoist).omega, machine_modes(link).omega, rtol=5e-3)


def test_brake_and_rail_hold() -> None:
    hoist = reeved_hoist(4, brake=da.Friction(1000.0), rail_friction=da.Friction(80.0, static=100.0))
    run = da.simulate(hoist, duration=1.0, control=[60.0, 0.0], step=0.01, backend="vm")
    assert np.abs(run["x"]).max() < 1e-12
    assert np.abs(run["drum"]).max() < 1e-12
    falls = da.simulate(reeved_hoist(4, brake=da.Friction(700.0)), duration=0.2, backend="vm")
    assert falls["drum"][-1] > 0.05


def test_trolley_of_a_tower_crane_travels_level() -> None:
    crane = tower_crane(slews=False)
    q = [dict.fromkeys(crane.q_names, 0.0) | {"x": x} for x in (0.0, 10.0)]
    runs = [da.simulate(crane, duration=1e-3, q0=start, backend="vm") for start in q]
    lengths = [run["length.fall"][0] for run in runs]
    assert abs(lengths[1] - lengths[0]) < 1e-3
    torque = -2000.0 * G / 2.0 * 0.3
    run = da.simulate(crane, duration=0.05, control=[0.0, torque], backend="vm")
    np.testing.assert_allclose(tensions(run, "fall", 4), 2000.0 * G / 2.0, rtol=1e-5)


@pytest.mark.slow
def test_tower_crane_slews() -> None:
    crane = tower_crane(brake=da.Friction(12000.0))
    run = da.simulate(crane, duration=2.0, v0={"slew_dot": 0.1, "turn_dot": 0.2}, step=2e-3)
    assert run.energy.drift < 1e-9
    assert 0.05 < run["slew"][-1] < 0.2
    assert np.abs(run["drum"]).max() < 1e-9
    assert abs(run["turn"][-1]) > 0.1


def test_ship_crane_on_waves() -> None:
    crane = ship_crane(heave=0.4, roll=0.05, period=6.0)
    run = da.simulate(crane, duration=6.0, step=5e-3, backend="vm")
    assert run.energy.drift < 1e-9
    w = 2 * math.pi / 6.0
    assert run["heave"][-1] == pytest.approx(0.4 * math.sin(w * 6.0), abs=1e-9)
    assert run["roll"][-1] == pytest.approx(0.05 * math.sin(0.8 * w * 6.0), abs=1e-9)
    assert np.abs(run["block.x"]).max() > 0.05
    assert max(np.abs(run[name]).max() for name in ("drum", "luff_drum", "boom")) < 1e-8
    weight = 5300.0 * G
    assert tensions(run, "fall", 3, 0) == pytest.approx(np.full(3, weight / 2), rel=2e-3)


def test_elevator_keeps_and_loses_its_traction() -> None:
    """The sheave holds up to ``T_1 / T_2 = e^(mu pi)`` (Euler, Eytelwein)."""
    mu, cw = 0.1, 900.0 + 0.5 * 630.0
    limit = cw * math.exp(mu * math.pi) - 900.0
    for load, slips in ((0.999 * limit, False), (1.001 * limit, True)):
        machine = elevator(load=load, friction=mu, brake=da.Friction(1e5))
        run = da.simulate(machine, duration=0.5, step=5e-3, backend="vm")
        assert (run["stick.ropes.traction"][-1] == 0.0) == slips
        assert (run["car"][-1] < -1e-6) == slips
    double = da.simulate(elevator(2), duration=0.2, control=[50.0], backend="vm")
    assert double["car_dot"][-1] == pytest.approx(0.5 * 0.3 * double["sheave_dot"][-1], rel=1e-9)
    m = np.array([1200.0, 1215.0])
    inertia = 20.0 + m.sum() * 0.15**2
    assert double["sheave_dot"][-1] == pytest.approx((50.0 + (m[1] - m[0]) * G * 0.15) / inertia * 0.2, rel=1e-9)


def test_container_hangs_on_eight_falls() -> None:
    machine = container_spreader(brake=da.Friction(1e5))
    assert [rope.name for rope in machine.ropes] == ["rope1", "rope2", "rope3", "rope4"]
    eom = da.equations(machine, backend="vm")
    q, v = machine.q_neutral, np.zeros(machine.nv)
    bias = eom.bias(q, v)
    names = list(machine.v_names)
    loads = {name: bias[names.index(name)] for name in names if name.startswith("load")}
    assert max(map(abs, loads.values())) < 1e-6 * 20000.0 * G
    T = 20000.0 * G / 8.0  # of an elastic rope, dV/dl = T (1 + T / 2 EA)
    assert bias[names.index("drum_dot")] == pytest.approx(-4.0 * T * 0.4 * (1 + T / 4e7), rel=1e-9)


def test_winches_of_several_cables() -> None:
    one = multi_cable_crane(2, lengths="hoisted", brake=da.Friction(600.0))
    assert one.u_names == ("F", "M")
    falls = da.simulate(one, duration=0.2, backend="vm")  # 981 N m are more than the brake holds
    a = (500.0 * G * 0.2 - 600.0) / (1.0 + 500.0 * 0.2**2)
    assert falls["winch_dot"][-1] == pytest.approx(a * 0.2, rel=1e-9)
    assert falls["load.y_dot"][-1] == pytest.approx(-0.2 * a * 0.2, rel=1e-9)
    each = multi_cable_crane(2, lengths="variable")
    hold = -500.0 * G / 2.0 * 0.2
    run = da.simulate(each, duration=0.5, control=[0.0, hold + 1.0, hold - 1.0], backend="vm")
    assert abs(run["load.angle"][-1]) > 1e-3  # it tilts
    assert run["winch1"][-1] == pytest.approx(-run["winch2"][-1], rel=3e-3)
    with pytest.raises(MachineError, match="lengths of crane 'multi_cable_crane' must be one of"):
        multi_cable_crane(2, lengths="hoist")
    with pytest.raises(MachineError, match="need lengths that vary"):
        multi_cable_crane(2, brake=da.Friction(1.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: reeved_hoist(3), "even number of parts"),
        (lambda: reeving(0, "a", "b", 0.1), "even number of parts"),
        (lambda: reeved_hoist(4, height=0.3), "at least three radii"),
        (lambda: reeved_hoist(4, payload=-1.0), "payload of 'hoist' must be > 0, got -1"),
        (lambda: tower_crane(reach=50.0), "reach of tower crane 'tower_crane' must be between"),
        (lambda: elevator(3), "roping of elevator 'elevator' must be 1 or 2, got 3"),
        (lambda: elevator(friction=0.0), "friction of 'elevator' must be > 0"),
        (lambda: elevator(loss=da.SheaveLoss(0.1, 0.02)), "expected roping=2"),
        (lambda: container_spreader(gauge=0.0), "gauge of 'container_spreader' must be > 0"),
        (lambda: ship_crane(boom=0.0), "boom of 'ship_crane' must be > 0"),
    ],
)
def test_refusals(make: Any, message: str) -> None:
    with pytest.raises(MachineError, match=message):
        make()


def test_layers_of_a_drum_in_a_builder() -> None:
    """Four turns off a drum in its third layer lower the block by the rope that lies there, a quarter per part."""
    layers = da.DrumLayers(turns=10, rope=0.02, wound=25)
    turning = da.MotionConstraint("drive", joint="drum", value=2 * np.pi * da.TIME**2)
    lowered = {}
    for name, more in (("plain", {}), ("layers", {"layers": layers})):
        machine = reeved_hoist(4, **more).with_(constraints=[turning])
        run = da.simulate(machine, duration=2.0, step=5e-3, record=0.5, backend="vm")
        lowered[name] = -run["block.y"][-1]
    off = layers.coiled(0.3, 25) - layers.coiled(0.3, 21)
    assert lowered["plain"] == pytest.approx(4 * 2 * np.pi * 0.3 / 4, rel=1e-9)
    assert lowered["layers"] == pytest.approx(off / 4, rel=1e-5)  # the rope leaves a wide drum at a small angle
    assert off > 1.1 * 4 * 2 * np.pi * 0.3
    for crane in (tower_crane(layers=layers), ship_crane(layers=layers)):
        assert crane.ropes[-1].path[0].layers == layers or crane.ropes[0].path[0].layers == layers


@pytest.mark.slow
def test_reeving_without_friction_by_all_formulations_and_constraint_methods() -> None:
    """A block on two parts swings under a moving trolley: one motion, and one tension, by every method.

    The tolerances are those of the methods: penalties and generalized-alpha are of second order in the step.
    """
    hoist = reeved_hoist(2)
    solid = [da.Body("drum", 10.0, inertia=(0.3, 0.5, 0.3)) if body.name == "drum" else body for body in hoist.bodies]
    hoist = hoist.with_(bodies=solid)
    start: dict[str, Any] = {"q0": {"x": 0.0, "swing": 0.2}, "v0": {"x_dot": 0.5}, "duration": 0.3, "backend": "vm"}
    names = ("x", "swing", "drum", "block.y")
    reference = da.simulate(hoist, step=1e-3, **start)
    assert abs(reference["drum"][-1]) > 1.0
    for by in ("newton-euler", "lagrange", "gibbs-appell", "natural"):
        for method in CONSTRAINT_METHODS if by in ("newton-euler", "natural") else ("projection",):
            options = {} if method == "idas" else {"step": 4e-4 if method == "generalized-alpha" else 1e-3}
            run = da.simulate(hoist, by=by, constraints=method, **options, **start)
            gap = max(abs(run[name][-1] - reference[name][-1]) for name in names)
            tension = run["tension.fall[0]"][-1] / reference["tension.fall[0]"][-1] - 1.0
            assert gap < 5e-6 and abs(tension) < 5e-6, (by, method, gap, tension)
