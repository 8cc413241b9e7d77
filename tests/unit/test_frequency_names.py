"""Angular frequencies in rad/s are named omega, frequencies in Hz are named frequency; old names warn."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import control
import numpy as np
import pytest

import dalembert as da
from dalembert.analysis import machine_modes, natural_frequencies
from dalembert.control import disk_margins, hinf_norm
from dalembert.control.structured import Poles, low_pass, roll_off
from dalembert.plan import LoadReference, zv
from dalembert.systems import cranes

OLD = r"^dalembert\..* is deprecated: its value is in rad/s; the new name is "
# Frequencies in Hz, and functions about them.
HERTZ = {"Sine", "natural_frequencies", "frequency_response", "trot", "Catenary", "HeldPose"}


def _pendulum() -> da.Machine:
    return da.Machine(
        "pendulum",
        bodies=[da.point_mass("bob", 1.0, com=(0, 0, -9.81))],
        joints=[da.Joint("theta", "revolute", "world", "bob", axis="y")],
    )


def _public() -> Iterator[tuple[str, Any]]:
    names = [f"dalembert.{m.name}" for m in pkgutil.iter_modules(da.__path__) if m.ispkg and m.name != "cli"]
    names += [f"dalembert.systems.{room}" for room in da.systems._ROOMS]
    names += ["dalembert.control.structured", "dalembert.control.mu", "dalembert.control.uncertain"]
    names += ["dalembert.control.varying"]
    for name in ("dalembert", *names):
        module = importlib.import_module(name)
        for key in getattr(module, "__all__", ()):
            yield key, getattr(module, key)


def _names(thing: Any) -> set[str]:
    """Attributes and parameters of a public thing, old names that warn left out."""
    found: set[str] = set()
    if inspect.isclass(thing):
        old = set(getattr(thing, "__renamed__", ()))
        found |= {name for name in dir(thing) if not name.startswith("_")} - old
        if dataclasses.is_dataclass(thing):
            found |= {field.name for field in dataclasses.fields(thing)}
        methods = [value for name, value in vars(thing).items() if inspect.isfunction(value) and name[0] != "_"]
    else:
        methods = [thing] if callable(thing) else []
    for method in methods:
        found |= set(inspect.signature(method).parameters)
    return found


def test_names_have_their_unit() -> None:
    """A public name with 'frequency' in it is in Hz."""
    wrong = [
        f"{key}: {name}"
        for key, thing in _public()
        for name in (key, *(_names(thing) if inspect.isclass(thing) or inspect.isfunction(thing) else ()))
        if "frequenc" in name and key not in HERTZ
    ]
    assert not wrong


def test_omega_is_two_pi_times_the_frequency() -> None:
    modes = machine_modes(_pendulum())
    assert modes.omega == pytest.approx([1.0]) and natural_frequencies(_pendulum()) == pytest.approx([0.5 / np.pi])
    with pytest.warns(DeprecationWarning, match=OLD + "omega"):
        assert modes.frequencies is modes.omega
    assert "omega [rad/s]" in str(modes) and "frequency [Hz]" in str(modes)


LOOP = control.ss([[-1.0]], [[1.0]], [[1.0]], 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (lambda: da.Penalty(frequency=50.0), lambda: da.Penalty(omega=50.0)),
        (lambda: da.AugmentedLagrangian(frequency=50.0), lambda: da.AugmentedLagrangian(omega=50.0)),
        (lambda: da.Penalty(omega=50.0).frequency, lambda: 50.0),
        (lambda: Poles(frequency=3.0), lambda: Poles(omega=3.0)),
        (lambda: roll_off("x", "f", frequency=10.0).name, lambda: roll_off("x", "f", omega=10.0).name),
        (lambda: low_pass("u", "y", frequency=3.0).order, lambda: low_pass("u", "y", omega=3.0).order),
        (lambda: zv(frequency=2.0), lambda: zv(omega=2.0)),
        (lambda: LoadReference(da.Quintic(0, 1, 1.0), frequency=2.0).omega, lambda: 2.0),
        (lambda: hinf_norm(LOOP).frequency, lambda: hinf_norm(LOOP).omega),
        (lambda: disk_margins(LOOP)[0].frequency, lambda: disk_margins(LOOP)[0].omega),
        (lambda: cranes.RitzCable(4, 5.0, 4.0).frequencies()[0], lambda: cranes.RitzCable(4, 5.0, 4.0).omega()[0]),
        (
            lambda: cranes.cable_sway_frequencies(1, length=2.0, mass=1.0, payload=5.0)[0],
            lambda: cranes.cable_sway_omega(1, length=2.0, mass=1.0, payload=5.0)[0],
        ),
    ],
)
def test_old_names_warn_and_mean_the_same(old: Any, new: Any) -> None:
    with pytest.warns(DeprecationWarning, match=OLD):
        found = old()
    expected = new()
    assert found == expected or (found != found and expected != expected)


def test_files_may_use_the_old_name() -> None:
    text = """
name: rod
bodies: {a: {point_mass: {mass: 1.0, com: [0, 0, -1]}}}
joints: {j: {kind: revolute, parent: world, child: a, axis: y}}
constraints: {hold: {type: motion, joint: j, value: 0.1}}
simulation: {constraints: {name: penalty, NAME: 60.0}}
"""
    with pytest.warns(DeprecationWarning, match=re.escape("Penalty(frequency=...) is deprecated")):
        old = da.load_experiment(text.replace("NAME", "frequency"))
    assert old == da.load_experiment(text.replace("NAME", "omega")) and "omega: 60" in old.to_yaml()
