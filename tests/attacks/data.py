"""Attacks with data: labels, kinds of arrays, permutations, units, questions of stores, names of columns.

They are made of tables: every verb that takes numbers, times everything that has no plain real numbers in it or says
other names; every key of a machine file that has a unit, times units of other dimensions.
"""

from __future__ import annotations

import functools
import itertools
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from tests.attacks.harness import Attack

import dalembert as da
from dalembert.core.units import UNITS, parse_unit
from dalembert.io.schema_units import expected_unit

__all__ = ["label_attacks", "question_attacks", "unit_attacks"]


@functools.cache
def _cart() -> da.EquationsOfMotion:
    """A cart with a pendulum: coordinates, velocities, inputs and parameters, two of each."""
    bodies = [da.Body("cart", mass=da.Parameter("M", 2.0)), da.Body("bob", mass=da.Parameter("m", 1.0), com=(0, 0, -1))]
    joints = [
        da.Joint("x", "prismatic", "world", "cart", axis="x"),
        da.Joint("swing", "revolute", "cart", "bob", axis="y"),
    ]
    motors = [da.Motor("push", "x"), da.Motor("turn", "swing")]
    return da.equations(da.Machine("cart", bodies=bodies, joints=joints, motors=motors), backend="vm")


_RUN: dict[str, Any] = {"duration": 5e-3, "step": 5e-3}
_REST: dict[str, Any] = {"control": [0.0, 0.0], **_RUN}


def _verbs() -> dict[str, tuple[Callable[[Any], Any], tuple[str, str] | None]]:
    """Verbs that take two numbers, and their names; None where they have none."""
    q, v, p, u = ("x", "swing"), ("x_dot", "swing_dot"), ("M", "m"), ("push", "turn")
    law = {"kp": 1.0, "kd": 1.0, "reference": (0.0, 0.0)}
    eom = _cart()
    return {
        "simulate q0": (lambda a: da.simulate(eom, q0=a, **_REST), q),
        "simulate v0": (lambda a: da.simulate(eom, v0=a, **_REST), v),
        "simulate p": (lambda a: da.simulate(eom, p=a, **_REST), p),
        "simulate control": (lambda a: da.simulate(eom, control=a, **_RUN), u),
        "Start q": (lambda a: da.simulate(eom, start=da.Start(q=a), **_REST), q),
        "rollout q0": (lambda a: da.rollout(eom, q0=a, **_REST), q),
        "rollout v0": (lambda a: da.rollout(eom, v0=a, **_REST), v),
        "rollout p": (lambda a: da.rollout(eom, p=a, **_REST), p),
        "stepper q0": (lambda a: da.stepper(eom, period=5e-3, q0=a), q),
        "stepper.step": (lambda a: da.stepper(eom, period=5e-3).step(a), u),
        "stepper.reset": (lambda a: da.stepper(eom, period=5e-3).reset(q0=a), q),
        "PD kp": (lambda a: da.simulate(eom, control=da.PD(**{**law, "kp": a}), **_RUN), u),
        "PD kd": (lambda a: da.simulate(eom, control=da.PD(**{**law, "kd": a}), **_RUN), u),
        "PD reference": (lambda a: da.simulate(eom, control=da.PD(**{**law, "reference": a}), **_RUN), u),
        "controller": (lambda a: da.simulate(eom, control=da.SampledController(lambda t, q, v: a, 5e-3), **_RUN), u),
        "linearize at": (lambda a: da.linearize(eom, at=a, u=[0.0, 0.0], require_equilibrium=False), q),
        "linearize u": (lambda a: da.linearize(eom, at=[0.0, 0.0], u=a, require_equilibrium=False), None),
        "mass_matrix q": (lambda a: eom.mass_matrix(a), None),
        "mass_matrix p": (lambda a: eom.mass_matrix([0.0, 0.0], p=a), p),
        "energy v": (lambda a: eom.energy([0.0, 0.0], a), None),
        "inverse_dynamics a": (lambda a: eom.inverse_dynamics([0.0, 0.0], [0.0, 0.0], a), None),
        "forward_dynamics tau": (lambda a: eom.forward_dynamics([0.0, 0.0], [0.0, 0.0], a), None),
    }


def _arrays(names: tuple[str, str]) -> dict[str, Any]:
    """Things that hold two numbers, and are no plain real numbers or say other names."""
    a, b = names
    dates = pd.date_range("2020-01-01", periods=2)
    return {
        "masked": np.ma.array([0.1, 0.2], mask=[False, True]),
        "masked, none masked": np.ma.array([0.1, 0.2]),
        "complex": np.array([0.1, 0.2 + 0j]),
        "complex list": [0.1, 0.2 + 0j],
        "complex64": np.array([0.1, 0.2], dtype=np.complex64),
        "datetime64": np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
        "timedelta64": np.array([1, 2], dtype="timedelta64[s]"),
        "truth values": np.array([True, False]),
        "text": np.array(["0.1", "0.2"]),
        "bytes": np.array([b"0.1", b"0.2"]),
        "list of series": [pd.Series({b: 0.1, a: 0.2})],
        "series, other names": pd.Series({a: 0.1, "sving": 0.2}),
        "series, longer name": pd.Series({a: 0.1, f"{b}_": 0.2}),
        "series, name twice": pd.Series([0.1, 0.2], index=[a, a]),
        "series, numbers out of order": pd.Series([0.1, 0.2], index=[1, 0]),
        "series, numbers from 1": pd.Series([0.1, 0.2], index=[1, 2]),
        "series of dates": pd.Series([0.1, 0.2], index=dates),
        "series of text": pd.Series({a: "0.1", b: "0.2"}),
        "series of complex": pd.Series({a: 0.1j, b: 0.2}),
        "series with NaN": pd.Series({a: 0.1, b: np.nan}),
        "series of objects": pd.Series({a: object(), b: 0.2}),
        "frame, no names": pd.DataFrame([[0.1, 0.2]]),
        "frame, rows chosen": pd.DataFrame({a: [0.1, 0.3], b: [0.2, 0.4]}).iloc[1:],
        "frame, other names": pd.DataFrame({a: [0.1], "sving": [0.2]}),
        "frame, several levels": pd.DataFrame([[0.1, 0.2]], columns=pd.MultiIndex.from_tuples([(a, 1), (b, 1)])),
        "index": pd.Index([0.1, 0.2]),
        "date index": dates,
        "categories": pd.Series(["0.1", "0.2"], dtype="category"),
        "xarray, no names": xr.DataArray([0.1, 0.2], dims="name"),
        "xarray, numbers": xr.DataArray([0.1, 0.2], dims="name", coords={"name": [1, 0]}),
        "xarray, other names": xr.DataArray([0.1, 0.2], dims="name", coords={"name": [a, "sving"]}),
        "dataset, other names": xr.Dataset({a: 0.1, "sving": 0.2}),
        "structured, other names": np.array([(0.1, 0.2)], dtype=[(a, float), ("sving", float)])[0],
        "structured of text": np.array([("0.1", 0.2)], dtype=[(a, "U4"), (b, float)])[0],
        "record array": np.rec.array([(0.1, 0.2)], dtype=[("sving", float), (b, float)]),
    }


def label_attacks() -> Iterator[Attack]:
    """Every verb with every array that it must refuse, and permutations that it takes by their labels or refuses."""
    for verb, (call, names) in _verbs().items():
        for label, value in _arrays(names or ("x", "swing")).items():
            yield Attack(verb, label, lambda c=call, v=value: c(v))
        for label, value in _permuted(names or ("x", "swing")).items():
            refused = names is None
            expected = "refused" if refused else "legitimate"
            yield Attack(verb, label, lambda c=call, v=value, n=names: _same(c, v, n), "", expected)


def _permuted(names: tuple[str, str]) -> dict[str, Any]:
    a, b = names
    return {
        "series, backwards": pd.Series({b: 0.2, a: 0.1}),
        "xarray, backwards": xr.DataArray([0.2, 0.1], dims="name", coords={"name": [b, a]}),
        "dataset, backwards": xr.Dataset({b: 0.2, a: 0.1}),
        "structured, backwards": np.array([(0.2, 0.1)], dtype=[(b, float), (a, float)])[0],
    }


def _same(call: Callable[[Any], Any], value: Any, names: tuple[str, str] | None) -> None:
    """Compare what a verb makes of labelled numbers with what it makes of the same in order."""
    got = call(value)
    expected = call(np.array([0.1, 0.2]))
    numbers = [getattr(one, "x", getattr(one, "A", one)) for one in (got, expected)]
    if not np.array_equal(*(np.asarray(x) for x in numbers)):
        raise AssertionError(f"{names} changed places")


_FILE = """
name: arm
bodies:
  link: {mass: 1.0, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}
  slide: {mass: 1.0}
joints:
  turn: {kind: revolute, parent: world, child: link, axis: y}
  push: {kind: prismatic, parent: link, child: slide, axis: z}
motors: {turn: {}, push: {}}
wrenches: {load: {frame: slide}}
simulation: {duration: 0.1, step: 0.01}
"""
_KEYS: dict[str, tuple[str, ...]] = {
    "bodies link": ("mass",),
    "joints turn": ("damping", "stiffness", "rest", "friction", "friction_velocity", "armature"),
    "joints push": ("damping", "stiffness", "rest", "friction", "armature"),
    "joints turn limits": ("lower", "upper", "velocity", "effort", "restitution"),
    "joints push limits": ("lower", "upper", "velocity", "effort"),
    "motors turn": ("effort", "damping", "rotor_inertia", "ratio"),
    "simulation": ("duration", "step", "record", "t0", "reach"),
}
_WRONG_UNITS = ("deg", "kg", "mm", "ms", "N", "Nm", "rpm", "Hz", "GPa", "J/s", "kg/m^3", "A")
_FAULTS = "unit|adds|sin|exponent|read"


def unit_attacks() -> Iterator[Attack]:
    """Every key with units of other dimensions; units that do not exist; sums and functions that mix them."""
    import yaml

    from dalembert.io.machine_schema import machine_file

    good = yaml.safe_load(_FILE)
    file = machine_file().model_validate(good)

    def load(path: tuple[str, ...], value: str) -> None:
        data = yaml.safe_load(_FILE)
        entry = data
        for step in path[:-1]:
            entry = entry.setdefault(step, {})
        entry[path[-1]] = value
        da.load_experiment(yaml.safe_dump(data, sort_keys=False))

    for where, keys in _KEYS.items():
        for key in keys:
            path = (*where.split(), key)
            admitted = [parse_unit(one).dimension for one in expected_unit(file, path).split("|") if one]
            for unit in _WRONG_UNITS:
                if not any(one.admits(parse_unit(unit).dimension) for one in admitted):
                    yield Attack("units", f"{key}: 2 {unit}", lambda p=path, u=unit: load(p, f"2 {u}"), key)
            for text in ("2 parsec", "2 m + 3 kg", "sin(2 kg)", "2 ** (3 m)", "2 kg kg2", "2 deg deg deg"):
                yield Attack("units", f"{key}: {text}", lambda p=path, t=text: load(p, t), f"{key}|{_FAULTS}")
    for name, unit in UNITS.items():
        if not parse_unit("kg").dimension.admits(unit.dimension):
            for text in (f"{{m: 2 {name}}}", f"{{m: 2 * 3 {name} / 4}}"):
                source = _FILE.replace("mass: 1.0, com", "mass: m, com") + f"parameters: {text}\n"
                yield Attack("units", f"parameter {text}", lambda s=source: da.load_machine(s), "mass")


def question_attacks() -> Iterator[Attack]:
    """Stores that are asked another question, and columns that would take each other's place."""

    def ask(make: Callable[[float], Any]) -> None:
        folder = tempfile.mkdtemp()
        for k in (1.0, 1000.0):
            da.campaign(make(k), vary={"x": (0.0, 1.0)}, n=1, store=f"{folder}/store", workers=1, progress=False)

    for label, make in _questions().items():
        yield Attack("store", label, lambda m=make: ask(m), "changed|version")
    for name, others in itertools.product(("x", "status", "reason", "member"), ((), ("y",), ("y", "z"))):
        vary = dict.fromkeys(("x", *others), (0.0, 1.0))
        call = lambda n=name, v=vary: da.campaign(lambda **a: {n: 1.0}, vary=v, n=1, workers=1)  # noqa: E731
        yield Attack("columns", f"{name} of {', '.join(vary)}", call, f"measure '{name}'")
        measure = {name: da.Measure("x", "max"), **{o: da.Measure("x", "min") for o in others}}
        spread = {"q0.x": (0.0, 1.0)} if name != "x" else {"M": (1.0, 2.0), "x": (0.0, 1.0)}
        call = lambda m=measure, s=spread: da.campaign(_cart(), vary=s, n=1, measure=m, **_REST)  # noqa: E731
        yield Attack("columns", f"{name} of a machine, {len(measure)} measures", call, f"measure '{name}'")


class _Plant:
    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, x: float) -> float:
        return self.k * x

    def response(self, x: float) -> float:
        return self.k * x

    def ignoring(self, x: float) -> float:
        return x


def _questions() -> dict[str, Callable[[float], Any]]:
    def default(k: float) -> Any:
        return lambda x, gain=k: gain * x

    def attribute(k: float) -> Any:
        def run(x: float) -> float:
            return x

        run.gain = k  # type: ignore[attr-defined]
        return run

    def handle(k: float) -> Any:
        import threading

        lock = threading.Lock()
        return lambda x: x if lock else k

    holders: dict[str, Callable[[float], Any]] = {
        "number": lambda k: k, "list": lambda k: [1.0, k], "tuple": lambda k: (k,), "mapping": lambda k: {"k": k},
        "array": lambda k: np.array([k]), "series": lambda k: pd.Series([k]), "object": _Plant, "text": str,
        "frame": lambda k: pd.DataFrame({"k": [k]}), "xarray": lambda k: xr.DataArray([k]), "set": lambda k: {k},
        "parameter": lambda k: da.Parameter("k", k), "law": lambda k: da.PD(kp=k, kd=1.0, reference=(0.0,)),
        "body": lambda k: da.Body("b", mass=k), "function": default, "partial": lambda k: functools.partial(max, k),
    }  # fmt: skip

    def over(make: Callable[[float], Any]) -> Callable[[float], Any]:
        def closed(k: float) -> Any:
            held = make(k)
            return lambda x: x if held is not None else 0.0

        return closed

    def within(make: Callable[[float], Any]) -> Callable[[float], Any]:
        return lambda k: functools.partial(_Plant(make(k)).ignoring)

    closures = {f"closure over a {name}": over(make) for name, make in holders.items()}
    attributes = {f"attribute, a {name}": within(make) for name, make in holders.items()}
    return {
        "partial": lambda k: functools.partial(lambda x, k: k * x, k=k),
        "object": _Plant,
        "method": lambda k: _Plant(k).response,
        "default": default,
        "attribute": attribute,
        "lock": handle,
        **closures,
        **attributes,
    }
