"""Hoists described as files in units of their trade, against calculations by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import rest_pose, rope_efficiency, rope_tensions
from dalembert.core.errors import InputError
from dalembert.io import check_machine

LB, FT, LBF, G = 0.45359237, 0.3048, 4.4482216152605, 9.81

LIFT = """\
name: traction lift
parameters:
  passengers: 900 lb
bodies:
  car: {mass: 2200 lb}
  load: {mass: passengers}
  counterweight: {mass: 3000 lb}
  sheave: {mass: 400 lb, inertia: [200, 450 lb ft^2, 200]}
  deflector: {mass: 120 lb, inertia: [30, 40 lb ft^2, 30]}
  tension: {mass: 600 lb}
joints:
  car: {kind: prismatic, parent: world, child: car, axis: z, origin: {xyz: [-15 in, 0, 30 ft]}}
  load: {kind: fixed, parent: car, child: load}
  counterweight: {kind: prismatic, parent: world, child: counterweight, axis: z, origin: {xyz: [35 in, 0, 80 ft]}}
  sheave: {kind: revolute, parent: world, child: sheave, axis: y, origin: {xyz: [0, 0, 120 ft]}}
  deflector: {kind: revolute, parent: world, child: deflector, axis: y, origin: {xyz: [25 in, 0, 115 ft]}}
  tension: {kind: prismatic, parent: world, child: tension, axis: z, origin: {xyz: [10 in, 0, 5 ft]}}
motors:
  machine: {joint: sheave, effort: 4000 lbf ft, friction: {coulomb: 2500 lbf ft}}
ropes:
  main:
    path:
      - {anchor: car}
      - {sheave: world, radius: 15 in, axis: y, at: [0, 0, 120 ft], joint: sheave, friction: 0.25, name: drive}
      - {sheave: world, radius: 10 in, axis: y, at: [25 in, 0, 115 ft], joint: deflector, friction: 0.2, name: D}
      - {anchor: counterweight}
  compensation:
    path:
      - {anchor: car}
      - {sheave: tension, radius: 25 in, axis: -y, name: bottom, loss: {bearing: 0.05, pin: 2 in, bending: 0.01}}
      - {anchor: counterweight}
simulation:
  duration: 4 s
  record: 20 ms
  q0: {car: 6 ft}
  v0: {car_dot: 3 ft/s}
"""

GRAB = """\
name: grab crane
parameters:
  shells: 2.4 t
bodies:
  slide: {mass: 0}
  hold_drum: {mass: 300 kg, inertia: [40, 60 kg m^2, 40]}
  close_drum: {mass: 300 kg, inertia: [40, 60 kg m^2, 40]}
  head: {box: {mass: 1.1 t, size: [900 mm, 600 mm, 500 mm]}}
  crossbar: {box: {mass: shells, size: [1400 mm, 900 mm, 700 mm], com: [0, 0, -300 mm]}}
joints:
  hold: {kind: revolute, parent: world, child: hold_drum, axis: y, origin: {xyz: [-14000 mm, -150 mm, 9000 mm]}}
  close: {kind: revolute, parent: world, child: close_drum, axis: y, origin: {xyz: [-14000 mm, 150 mm, 9000 mm]}}
  x: {kind: prismatic, parent: world, child: slide, axis: x, origin: {xyz: [450 mm, 0, 6000 mm]}}
  z: {kind: prismatic, parent: slide, child: head, axis: z}
  gape: {kind: prismatic, parent: head, child: crossbar, axis: -z, origin: {xyz: [0, 0, -1800 mm]}}
motors:
  hold: {effort: 40 kN m, friction: {coulomb: 12 kN m}}
  close: {effort: 40 kN m, friction: {coulomb: 12 kN m}}
ropes:
  holding:
    path:
      - {drum: hold, radius: 350 mm, axis: y}
      - {sheave: world, radius: 450 mm, axis: y, at: [0, -150 mm, 22000 mm], name: jib,
         loss: {bearing: 0.08, pin: 55 mm, bending: 0.004}}
      - {anchor: head, at: [0, -150 mm, 250 mm]}
  closing:
    path:
      - {drum: close, radius: 350 mm, axis: y}
      - {sheave: world, radius: 450 mm, axis: y, at: [0, 150 mm, 22000 mm], name: jib,
         loss: {bearing: 0.08, pin: 55 mm, bending: 0.004}}
      - {sheave: crossbar, radius: 200 mm, axis: -y, at: [200 mm, 150 mm, 0], name: X,
         loss: {bearing: 0.08, pin: 35 mm, bending: 0.004}}
      - {sheave: head, radius: 200 mm, axis: y, at: [600 mm, 150 mm, 0], name: H,
         loss: {bearing: 0.08, pin: 35 mm, bending: 0.004}}
      - {anchor: crossbar, at: [800 mm, 150 mm, 0]}
simulation:
  duration: 3 s
  record: 10 ms
  q0: {x: 300 mm}
  v0: {x_dot: 200 mm/s, close_dot: -0.6 rad/s}
"""

WINDLASS = """\
name: differential windlass
parameters:
  stone: 800 lb
bodies:
  shaft: {mass: 90 lb, inertia: [7 lb ft^2, 12 lb ft^2, 7 lb ft^2]}
  block: {mass: stone}
joints:
  crank: {kind: revolute, parent: world, child: shaft, axis: y}
  z: {kind: prismatic, parent: world, child: block, axis: z, origin: {xyz: [0, 0, -20 ft]}}
motors:
  crank: {effort: 500 lbf ft, friction: {coulomb: 30 lbf ft}}
ropes:
  line:
    path:
      - {drum: crank, radius: 9 in, axis: y, name: large}
      - {sheave: block, radius: 7.5 in, axis: y, at: [1.5 in, 0, 0], name: S,
         loss: {bearing: 0.12, pin: 1 in, bending: 0.01}}
      - {drum: crank, radius: 6 in, axis: y, name: small}
"""

LUFFING = """\
name: luffing crane
bodies:
  boom: {cylinder: {mass: 6 t, radius: 0.4, length: 30, com: [15, 0, 0]}}
  luff_drum: {mass: 500 kg, inertia: [40, 60, 40]}
  load_drum: {mass: 800 kg, inertia: [60, 90, 60]}
  slide: {mass: 0}
  hook: {mass: 5 t}
joints:
  boom: {kind: revolute, parent: world, child: boom, axis: -y, origin: {xyz: [0, 0, 2], rpy: [0, -60 deg, 0]}}
  luff: {kind: revolute, parent: world, child: luff_drum, axis: y, origin: {xyz: [-4, 0, 1]}}
  hoist: {kind: revolute, parent: world, child: load_drum, axis: y, origin: {xyz: [-2, 0, 1]}}
  x: {kind: prismatic, parent: world, child: slide, axis: x, origin: {xyz: [15.4, 0, 5]}}
  z: {kind: prismatic, parent: slide, child: hook, axis: z}
motors:
  luff: {friction: {coulomb: 60 kN m}}
  hoist: {friction: {coulomb: 40 kN m}}
ropes:
  boom_hoist:
    path:
      - {drum: luff, radius: 0.4, axis: y}
      - {sheave: world, radius: 0.4, axis: y, at: [-4, 0, 16], name: mast,
         loss: {bearing: 0.1, pin: 0.06, bending: 0.005}}
      - {anchor: boom, at: [28, 0, 0]}
  fall:
    path:
      - {drum: hoist, radius: 0.45, axis: y}
      - {sheave: world, radius: 0.3, axis: y, at: [-4, 0, 14], name: deflector,
         loss: {bearing: 0.1, pin: 0.05, bending: 0.005}}
      - {sheave: boom, radius: 0.4, axis: y, at: [30, 0, 0], name: tip, loss: {bearing: 0.1, pin: 0.05, bending: 0.005}}
      - {anchor: hook}
"""

ROPEWAY = """\
name: material ropeway
bodies:
  car: {mass: 0}
  cabin: {mass: 900 kg}
  drum: {mass: 200 kg, inertia: [10, 20, 10]}
joints:
  x: {kind: prismatic, parent: world, child: car, axis: x, origin: {xyz: [60, 0, 12]}}
  z: {kind: prismatic, parent: car, child: cabin, axis: z}
  winch: {kind: revolute, parent: world, child: drum, axis: y, origin: {xyz: [205, 0, 60]}}
motors:
  winch: {friction: {coulomb: 12 kN m}}
ropes:
  track:
    path:
      - {anchor: world}
      - {sheave: cabin, radius: 150 mm, axis: -y, name: wheel, loss: {bearing: 0.02, pin: 20 mm}}
      - {anchor: world, at: [200, 0, 60]}
    stiffness: 60 MN
    pretension: 100 kN
  haul:
    path:
      - {anchor: cabin, at: [0.3, 0, 0]}
      - {drum: winch, radius: 0.5, axis: y}
    stiffness: 8 MN
    damping: 2e4
"""


def ratio(wrap: float, bearing: float, pin: float, bending: float) -> float:
    """Ratio of the tensions at a sheave with losses; the pin as part of the radius."""
    c = bearing * pin
    half = (1 - c**2 * math.cos(wrap)) / (1 - c**2)
    return (half + math.sqrt(half**2 - 1)) * (1 + bending)


def test_a_traction_lift_with_compensation_in_feet_and_pounds() -> None:
    assert check_machine(LIFT) == []
    lift = da.load_experiment(LIFT)
    r, torque = 15 / 12 * FT, 3700 * LBF * FT
    k = ratio(math.pi, 0.05, 2 / 25, 0.01)
    inertia = 6100 * LB + 450 * LB * FT**2 / r**2 + 40 * LB * FT**2 / (10 / 12 * FT) ** 2
    drag = (k - 1) / (k + 1) * 600 * LB * G  # of the tension weight
    rise = ((torque - 2500 * LBF * FT) / r - 100 * LB * G - drag) / inertia / 2
    run = da.simulate(lift.machine, duration=1.0, control=[torque], record=0.5)
    assert run["car"][-1] == pytest.approx(rise, rel=1e-9)
    assert run["loss.compensation.bottom"][-1] == pytest.approx(drag * rise, rel=1e-9)
    assert not run.events and run.energy.drift < 1e-9

    # It starts with a sheave at rest under a moving rope: both sheaves slip, then stick.
    for how in ({}, {"contact": "time-stepping", "step": 2e-3}):
        down = da.simulate(lift, control=[-torque], **how)
        assert (down.status, down.events[-1].name) == ("stopped", "compensation.bottom.inside")
        assert down["car"][-1] - down["car"][0] == pytest.approx(-31 * FT, abs=2e-3)  # 30 ft down to the tension weight


def test_a_grab_with_two_drums_in_millimetres_and_tonnes() -> None:
    assert check_machine(GRAB) == []
    grab = da.load_experiment(GRAB)
    shells, head, radius, inertia, brake = 2400.0, 1100.0, 0.35, 60.0, 12e3
    rises = math.atan2(13.0, 14.0) + math.asin(0.1 / math.hypot(14.0, 13.0))  # the ropes between drums and jib
    jib, block = ratio(math.pi / 2 + rises, 0.08, 55 / 450, 0.004), ratio(math.pi, 0.08, 35 / 200, 0.004)
    shares = np.array([jib, 1.0, 1 / block, 1 / block**2])  # of the tension above the shells
    parts = shares[1:].sum()
    found = rope_tensions(grab.machine)
    assert found["closing"].coiling == pytest.approx(shares * shells * G / parts, rel=1e-9)
    assert found["holding"].coiling[1] == pytest.approx((head + 2 / 3 * shells) * G, rel=1e-9)  # at rest without losses

    torque = 18e3  # closes the shells, while the brake holds the head
    rows = [[shells, -parts], [3 * inertia / radius, radius * jib]]
    a, tension = np.linalg.solve(rows, [-shells * G, torque - brake])
    run = da.simulate(grab.machine, duration=0.8, control=[0.0, -torque], record=0.1)
    assert abs(run["hold"]).max() < 1e-12
    assert run["gape"][-1] == pytest.approx(-a * 0.8**2 / 2, rel=1e-8)
    assert [run[f"tension.closing[{i}]"][-1] for i in range(4)] == pytest.approx(shares * tension, rel=1e-8)

    options: dict[str, Any] = {"control": [-6e3, -14e3], "duration": 1.5}
    swing = da.simulate(grab, method="dopri5", **options)
    assert swing.energy.drift < 1e-9
    steps = [da.simulate(grab, contact="time-stepping", step=h, **options) for h in (4e-3, 2e-3)]
    off = [max(abs(one[name][-1] - swing[name][-1]) for name in ("x", "z", "gape")) for one in steps]
    assert off[1] < 0.7 * off[0] < 1e-4


def test_a_windlass_whose_drums_turn_together_in_inches_and_pounds() -> None:
    """One drum pays out what the other coils, but for the difference of their radii; its rope falls slack at last."""
    assert check_machine(WINDLASS) == []
    machine = da.load_machine(WINDLASS)
    R, r, k = 9 / 12 * FT, 6 / 12 * FT, ratio(math.pi, 0.12, 1 / 7.5, 0.01)
    mass, inertia, brake = 800 * LB, 12 * LB * FT**2, 30 * LBF * FT
    for torque in (-250 * LBF * FT, 120 * LBF * FT):
        lowers = math.copysign(1.0, torque)
        shares = np.array([1.0, k] if lowers > 0 else [k, 1.0])
        rows = [[-mass * (R - r) / 2, -shares.sum()], [inertia, -(R * shares[0] - r * shares[1])]]
        turns, tension = np.linalg.solve(rows, [-mass * G, torque - lowers * brake])
        run = da.simulate(machine, duration=1.0, control=[torque], record=0.5, backend="vm")
        assert run["crank"][-1] == pytest.approx(turns / 2, rel=1e-9)
        assert run["z"][-1] == pytest.approx(-(R - r) / 4 * turns, rel=1e-9)
        assert [run[f"tension.line[{i}]"][-1] for i in (0, 1)] == pytest.approx(shares * tension, rel=1e-9)
    falls = da.simulate(machine, duration=1.0, control=[250 * LBF * FT], record=0.5, backend="vm")
    assert falls["z"][-1] == pytest.approx(-G / 2, rel=1e-12) and falls["tension.line[0]"][-1] == 0.0
    with pytest.raises(InputError, match="both drums on the joint 'crank'"):
        rope_efficiency(machine, "line")


def tangent(first: Any, r_1: float, second: Any, r_2: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the line above two circles in the x-z plane, by trigonometry."""
    d = np.subtract(second, first)
    angle = math.atan2(d[1], d[0]) + math.acos((r_1 - r_2) / np.linalg.norm(d))
    n = np.array([math.cos(angle), math.sin(angle)])
    return first + r_1 * n, second + r_2 * n


def test_a_boom_that_hangs_on_its_rope_and_carries_that_of_the_load() -> None:
    """Moments about the foot of the boom, with the lines of both ropes by trigonometry."""
    assert check_machine(LUFFING) == []
    machine, foot = da.load_machine(LUFFING), np.array([0.0, 2.0])
    along = np.array([math.cos(math.pi / 3), math.sin(math.pi / 3)])

    def moment(at: Any, force: Any) -> float:
        (x, z), (X, Z) = at - foot, force
        return float(x * Z - z * X)

    load, tip = 5000 * G, foot + 30 * along
    low, high = tangent(np.array([-4.0, 14.0]), 0.3, tip, 0.4)
    back, end = tangent(np.array([-4.0, 16.0]), 0.4, foot + 28 * along, 0.0)
    turns = moment(high, load * (low - high) / np.linalg.norm(low - high)) + moment(tip + [0.4, 0], [0.0, -load])
    turns += moment(foot + 15 * along, [0.0, -6000 * G])
    tension = -turns / moment(end, (back - end) / np.linalg.norm(back - end))
    found = rope_tensions(machine)
    assert found["boom_hoist"].ideal == pytest.approx([tension] * 2, rel=1e-9)
    assert found["fall"].coiling[2] == pytest.approx(load, rel=1e-9)
    run = da.simulate(machine, duration=1.0, control=[-90e3, 0.0], method="dopri5", rtol=1e-9, backend="vm")
    assert run["boom"][-1] > 0.05 and run.energy.drift < 1e-9


def test_a_cabin_rolls_on_an_elastic_rope_that_another_one_holds() -> None:
    """With the winch free it rests where both parts of the rope have one slope; on its brake it bounces."""
    assert check_machine(ROPEWAY) == []
    machine = da.load_machine(ROPEWAY)
    rest = rest_pose(machine, {"x": 0.0})
    at = dict(zip(machine.q_names, rest.q, strict=True))
    tension = rest.tensions["track[0]"]
    first, second = (np.array([60 + at["x"], 12 + at["z"]]) - end for end in ((0.0, 0.0), (200.0, 60.0)))
    l_1, l_2 = (math.sqrt(float(d @ d) - 0.15**2) for d in (first, second))
    sides = [math.atan2(d[1], abs(d[0])) - math.asin(0.15 / float(np.linalg.norm(d))) for d in (first, second)]
    assert sides[0] == pytest.approx(sides[1], abs=1e-6)
    assert -2 * tension * math.sin(sides[0]) == pytest.approx(900 * G, rel=1e-6)
    assert rest.tensions["haul[0]"] == 0.0 and l_1 < 1.0 < l_2

    options: dict[str, Any] = {"duration": 1.0, "record": 0.1, "backend": "vm", "control": [0.0]}
    run = da.simulate(machine, method="dopri5", rtol=1e-9, **options)
    steps = da.simulate(machine, contact="time-stepping", step=2e-3, **options)
    assert run.energy.drift < 1e-9 and abs(run["winch"]).max() < 1e-12
    assert [steps[n][-1] for n in ("x", "z")] == pytest.approx([run[n][-1] for n in ("x", "z")], abs=1e-4)
