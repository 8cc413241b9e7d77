"""Plots: one unit per panel, no empty places, energies that show what changes."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.io.units import signal_units
from dalembert.simulation.run import Run
from dalembert.systems import SYSTEMS, load_system
from dalembert.view.page.curves import pack_signals
from dalembert.view.plots import group_signals


@pytest.fixture(scope="module")
def joining() -> Run:
    robot = load_system("joining-robot")
    law = da.PID(60.0, 60.0, 6.0, np.zeros(4))
    return da.simulate(robot, duration=0.05, q0={"platform.z": 1.5}, control=law, step=5e-3, backend="vm")


@pytest.fixture(scope="module")
def arm() -> Run:
    return da.simulate(load_system("planar-flexible-arm"), duration=0.02, q0={"link2.delta1": 0.1}, backend="vm")


def test_units_of_all_signals(joining: Run, arm: Run) -> None:
    units = signal_units(joining)
    assert set(joining.names) - set(units) == {n for n in joining.names if n.startswith("offset.")}
    expected = {
        "platform.z": "m",
        "platform.qw": "1",
        "platform.vx": "m/s",
        "platform.wx": "rad/s",
        "winch1": "rad",
        "winch1_dot": "rad/s",
        "u.winch1": "N m",
        "integral.winch1": "rad s",
        "tension.cable1": "N",
        "length.cable1": "m",
        "energy.kinetic": "J",
        "work.loss": "J",
        "active.grip": "1",
    }
    assert {name: units[name] for name in expected} == expected
    assert signal_units(arm)["link1.delta1"] == "m"  # normalised to the mass of the segment: plain shapes
    slide = da.Machine(
        "slide",
        bodies=[da.point_mass("a", 1.0)],
        joints=[da.Joint("x", "prismatic", "world", "a", axis=(1, 0, 0))],
        motors=[da.Motor("F", "x")],
    )
    run = da.simulate(slide, duration=0.01, backend="vm")
    assert [signal_units(run)[name] for name in ("x", "x_dot", "u.F")] == ["m", "m/s", "N"]
    assert run.to_xarray()["x_dot"].attrs["units"] == "m/s"


def test_every_panel_has_one_unit_and_every_axis_a_label(joining: Run, arm: Run) -> None:
    for run in (joining, arm):
        units = signal_units(run)
        for panel in group_signals(run):
            assert {units[name] for name in panel.names} == {panel.unit}
        figure = run.plot()
        assert all(axes.get_ylabel() for axes in figure.axes)
        labelled = [axes for axes in figure.axes if axes.get_xlabel() == "time [s]"]
        last = max(axes.get_subplotspec().rowspan.stop for axes in figure.axes)
        assert all(axes.get_subplotspec().rowspan.stop == last for axes in labelled)
        assert labelled


def test_no_place_is_empty(joining: Run, arm: Run) -> None:
    for run in (joining, arm):
        for names in ((), run.names[:1], run.names):
            figure = run.plot(*names)
            specs = [axes.get_subplotspec() for axes in figure.axes]
            rows, columns = specs[0].get_gridspec().get_geometry()
            taken = [(r, c) for spec in specs for r in spec.rowspan for c in spec.colspan]
            assert sorted(taken) == [(r, c) for r in range(rows) for c in range(columns)]


def test_energies_show_what_changes() -> None:
    """A mass far up has a large potential; its panel shows the few joules that it loses."""
    ball = da.Machine(
        "ball",
        bodies=[da.point_mass("a", 1000.0)],
        joints=[da.Joint("z", "prismatic", "world", "a", axis=(0, 0, 1))],
    )
    run = da.simulate(ball, duration=0.01, q0={"z": 1000.0}, backend="vm")
    panel = next(axes for axes in run.plot().axes if axes.get_title("left") == "energies since the start")
    largest = max(np.abs(line.get_ydata()).max() for line in panel.lines)
    assert largest == pytest.approx(1000 * (9.81 * 0.01) ** 2 / 2, rel=1e-6)
    assert abs(run.energy.potential[0]) > 1e6


def test_idle_inputs_and_natural_coordinates_are_left_out(arm: Run) -> None:
    assert "inputs" not in {panel.title for panel in group_signals(arm)}
    assert [panel.title for panel in group_signals(arm, ["u.theta1"])] == ["inputs"]
    body = da.box("b", 1.0, (0.1, 0.2, 0.3))
    top = da.Machine("top", bodies=[body], joints=[da.Joint("q", "spherical", "world", "b", da.Transform((0, 0, 1)))])
    run = da.simulate(top, duration=0.01, v0={"q.wx": 1.0}, by="natural", backend="vm")
    drawn = [name for panel in group_signals(run) for name in panel.names]
    assert {*top.q_names, *top.v_names} <= set(drawn)
    assert not any(name.startswith(("b.r", "turned.")) for name in drawn)
    turned = [name for name in run.names if name.startswith("turned.")]
    assert set(signal_units(run, turned).values()) <= {"rad"}
    assert len(signal_units(run, turned)) == len(turned)


def test_what_contacts_keep_between_events_is_drawn_only_if_asked_for() -> None:
    """Directions and shares of friction are states, but none that anybody looks at; what sticks is."""
    system = SYSTEMS["rocking-block"]
    run = da.simulate(system.make(), **system.settings() | {"duration": 0.3})
    kept = [name for name in run.names if name.startswith(("toward.", "share.", "leeway."))]
    assert kept
    panels = group_signals(run)
    assert not {name for panel in panels for name in panel.names} & set(kept)
    assert not [panel.title for panel in panels if panel.title.startswith("coordinates")]
    assert [panel.names for panel in group_signals(run, kept[:1])] == [(kept[0],)]
    packed = pack_signals(run, every=True)
    assert set(kept) <= set(packed["names"])
