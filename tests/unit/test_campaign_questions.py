"""A store answers the question that it was asked, and no other; columns have one name each."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.digest import digest, digests
from dalembert.core.errors import InputError

GAIN = 1.0


def _scaled(x: float, k: float = 1.0) -> float:
    return k * x


def _with_global(x: float) -> float:
    return GAIN * x


class _Plant:
    def __init__(self, k: float) -> None:
        self.k = k

    @functools.cached_property
    def twice(self) -> float:
        return 2.0 * self.k

    def __call__(self, x: float) -> float:
        return self.twice * x

    def response(self, x: float) -> float:
        return self.k * x


class _Slotted:
    __slots__ = ("k",)

    def __init__(self, k: float) -> None:
        self.k = k

    def __call__(self, x: float) -> float:
        return self.k * x


def _closure(k: float) -> Callable[..., float]:
    return lambda x: k * x


def _nested(k: float) -> Callable[..., float]:
    table = {"rows": [np.array([k, 1.0])]}
    return lambda x: float(table["rows"][0][0] * x)


def _default(k: float) -> Callable[..., float]:
    def run(x: float, gain: float = k) -> float:
        return gain * x

    return run


def _keyword_default(k: float) -> Callable[..., float]:
    def run(x: float, *, gain: float = k) -> float:
        return gain * x

    return run


def _attribute(k: float) -> Callable[..., float]:
    def run(x: float) -> float:
        return float(run.gain * x)  # type: ignore[attr-defined]

    run.gain = k  # type: ignore[attr-defined]
    return run


def _written(text: str) -> Callable[[float], Callable[..., float]]:
    """Functions of a text with {k} in it, as a notebook would define them."""

    def make(k: float) -> Callable[..., float]:
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(text.format(k=k), names)
        return names["run"]  # type: ignore[no-any-return]

    return make


def _expression(k: float) -> Callable[..., float]:
    x = ca.SX.sym("x")
    function = ca.Function("f", [x], [k * x])
    return lambda x: float(function(x))


def _symbols(k: float) -> Callable[..., float]:
    s = ca.SX.sym("s")
    y = k * s
    return lambda x: float(ca.Function("f", [s], [y])(x))


def _equations(k: float) -> Callable[..., float]:
    bob = da.Body("bob", mass=k, com=(0, 0, -1))
    eom = da.equations(da.Machine("p", bodies=[bob], joints=[da.Joint("j", "revolute", "world", "bob", axis="y")]))
    return lambda x: x * float(eom.machine.bodies[0].mass)  # type: ignore[arg-type]


HELPERS = "def helper(x):\n    return {k} * x\ndef run(x):\n    return helper(x)\n"
DEEP = "def inner(x):\n    return {k} * x\ndef helper(x):\n    return inner(x)\ndef run(x):\n    return helper(x)\n"
CLASSES = "class Plant:\n    def f(self, x):\n        return {k} * x\ndef run(x):\n    return Plant().f(x)\n"
CONSTANTS = "def run(x):\n    return {k} * x\n"
QUESTIONS: dict[str, tuple[Callable[[float], Callable[..., Any]], str]] = {
    "partial": (lambda k: functools.partial(_scaled, k=k), "keyword k of partial"),
    "positional partial": (lambda k: functools.partial(lambda a, x: a * x, k), "argument 0 of partial"),
    "callable object": (_Plant, "attribute k"),
    "slots": (_Slotted, "attribute k"),
    "bound method": (lambda k: _Plant(k).response, "attribute k"),
    "closure": (_closure, "closure variable k"),
    "nested data": (_nested, r"closure variable table\['rows'\]\[0\]"),
    "default": (_default, "default of gain"),
    "keyword-only default": (_keyword_default, "default of gain"),
    "attribute": (_attribute, "attribute gain"),
    "helper": (_written(HELPERS), "helper: code"),
    "helper of a helper": (_written(DEEP), "helper: inner: code"),
    "class": (_written(CLASSES), "Plant: f: code"),
    "code": (_written(CONSTANTS), "run: code"),
    "cached": (lambda k: functools.cache(_closure(k)), "closure variable k"),
    "casadi function": (_expression, "closure variable function: attribute serialization"),
    "casadi expression": (_symbols, "closure variable y"),
    "equations": (_equations, r"closure variable eom: machine: bodies\[0\]: mass"),
}


def _ask(function: Callable[..., Any], store: Path) -> da.Campaign:
    return da.campaign(function, vary={"x": (0.0, 1.0)}, n=2, store=store, workers=1, progress=False)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_store_refuses_a_changed_function(kind: str, tmp_path: Path) -> None:
    """The same question, made anew, is resumed; with another number in it, it is refused by the name of the part."""
    make, words = QUESTIONS[kind]
    first = _ask(make(1.0), tmp_path / "store")
    assert first.complete and _ask(make(1.0), tmp_path / "store").complete
    with pytest.raises(InputError, match=rf"contains a different campaign \([^()]*{words} changed\)"):
        _ask(make(1000.0), tmp_path / "store")


def test_store_refuses_a_changed_global(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _ask(_with_global, tmp_path / "store")
    monkeypatch.setitem(globals(), "GAIN", 1000.0)
    with pytest.raises(InputError, match="_with_global: global GAIN changed"):
        _ask(_with_global, tmp_path / "store")


def test_store_refuses_a_changed_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Helpers in modules of the user count; libraries count by name."""
    monkeypatch.syspath_prepend(str(tmp_path))
    run = _written("import helping\ndef run(x):\n    return helping.scale(x)\n")
    (tmp_path / "helping.py").write_text("def scale(x):\n    return x\n")
    _ask(run(0.0), tmp_path / "store")
    monkeypatch.delitem(sys.modules, "helping")
    (tmp_path / "helping.py").write_text("def scale(x):\n    return 1000 * x  # another size, another time\n")
    with pytest.raises(InputError, match=r"run: helping\.scale: code changed"):
        _ask(run(0.0), tmp_path / "store")


def test_store_asks_for_a_version(tmp_path: Path) -> None:
    """What nothing is known of needs a version; the version counts, and so does all else."""

    def make(k: float) -> Any:
        lock = threading.Lock()

        def run(x: float) -> float:
            with lock:
                return k * x

        return run

    with pytest.raises(InputError, match=r"closure variable lock is a lock.*'version'"):
        _ask(make(1.0), tmp_path / "store")
    assert da.campaign(make(1.0), vary={"x": (0.0, 1.0)}, n=2, workers=1).complete  # nothing is kept, nothing to ask
    first, again, other, changed = make(1.0), make(1.0), make(1.0), make(2.0)
    first.version = again.version = changed.version = 1
    other.version = 2
    _ask(first, tmp_path / "store")
    _ask(again, tmp_path / "store")
    for function, words in ((other, "attribute version"), (changed, "closure variable k")):
        with pytest.raises(InputError, match=f"{words} changed"):
            _ask(function, tmp_path / "store")


def test_store_names_what_changed_of_an_experiment(tmp_path: Path) -> None:
    bob = da.Body("bob", mass=1.0, com=(0, 0, -1))
    joint = da.Joint("theta", "revolute", "world", "bob", axis="y")
    machine = da.Machine("p", bodies=[bob], joints=[joint], motors=[da.Motor("theta", "theta")])

    def ask(level: float = 0.1, **changes: Any) -> None:
        event = da.Event("level", lambda t, q, v: q[0] - level)
        settings = {"duration": 0.01, "step": 1e-3, "control": [0.0], "events": event, "vary": {"q0.theta": (0.0, 1.0)}}
        measure = {"peak": da.Measure("theta", "max")}
        da.campaign(
            machine, n=2, measure=measure, store=tmp_path / "store", backend="vm", progress=False, **settings | changes
        )

    ask()
    ask()
    with pytest.raises(InputError, match=r"\(experiment: control\[0\] changed\)"):
        ask(control=[1.0])
    with pytest.raises(InputError, match=r"\(experiment: method: step changed\)"):
        ask(step=2e-3)
    with pytest.raises(InputError, match=r"closure variable level changed\)"):
        ask(level=0.2)


def test_digest_is_the_same_in_every_process(tmp_path: Path) -> None:
    """Hashes of texts, order of sets, and numbers of references differ between processes; digests do not."""
    (tmp_path / "asked.py").write_text(
        "WORDS = {'a', 'b', 'c', 'd'}\ndef helper(x):\n    return x in {'p', 'q', 'r'} or x in WORDS\n"
        "class Plant:\n    def f(self, x): return helper(x)\ndef run(x, k=Plant()): return k.f(x)\n"
    )
    script = "from asked import run; from dalembert.core.digest import digest; print(digest(run, {'a', 'b', 'c'}))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True, text=True, check=True, cwd=tmp_path,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join([str(tmp_path), *sys.path])},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(printed) == 1


def test_digest_of_what_refers_to_itself() -> None:
    data: dict[str, Any] = {"k": 1.0}
    data["self"] = data
    again: dict[str, Any] = {"k": 1.0}
    again["self"] = again
    other: dict[str, Any] = {"k": 2.0}
    other["self"] = other
    assert digest(data) == digest(again) != digest(other)
    assert digests([1.0, {"a": 2.0}], "x").keys() == {"x", "x[0]", "x[1]", "x[1]['a']"}


@pytest.mark.parametrize("name", ["x", "member", "status", "reason"])
def test_columns_have_one_name_each(name: str) -> None:
    """A measure named like a varied quantity would take its place, one named like our own columns would be lost."""
    with pytest.raises(InputError, match=f"the measure '{name}' needs another name"):
        da.campaign(lambda x: {name: 2.0}, vary={"x": (0.0, 1.0)}, n=2, workers=1)
    bob = da.Body("bob", mass=da.Parameter("x", 1.0), com=(0, 0, -1))
    machine = da.Machine("p", bodies=[bob], joints=[da.Joint("j", "revolute", "world", "bob", axis="y")])
    with pytest.raises(InputError, match=f"the measure '{name}' needs another name"):
        da.campaign(machine, vary={"x": (0.0, 1.0)}, n=2, measure={name: da.Measure("j", "max")}, duration=0.01)
    if name != "x":
        with pytest.raises(InputError, match=f"the quantity '{name}' needs another name"):
            da.campaign(lambda **values: 1.0, vary={name: (0.0, 1.0)}, n=2, workers=1)
