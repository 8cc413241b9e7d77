"""Attacks on assembly: branches, reach, names and labels of starts, and what no linkage can do.

Every verb that assembles a start, times everything that is wrong with one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from tests.attacks.harness import Attack

import dalembert as da
from dalembert.analysis import equilibrium, mobility

__all__ = ["assembly_attacks"]


@functools.cache
def _linkage() -> da.EquationsOfMotion:
    """A four-bar linkage: crank ``a`` of 0.4, coupler ``b`` of 1.0, rocker ``c`` of 0.8, ground of 1.0."""
    hinge: dict[str, Any] = {"kind": "revolute", "axis": (0.0, 0.0, 1.0)}
    machine = da.Machine(
        "linkage",
        [da.rod(name, 1.0, x, com=(x / 2, 0, 0)) for name, x in (("A", 0.4), ("B", 1.0), ("C", 0.8))],
        [
            da.Joint("a", parent="world", child="A", **hinge),
            da.Joint("b", parent="A", child="B", origin=da.Transform((0.4, 0, 0)), **hinge),
            da.Joint("c", parent="world", child="C", origin=da.Transform((1.0, 0, 0)), **hinge),
        ],
        frames=[da.Frame("end", "B", da.Transform((1.0, 0, 0))), da.Frame("tip", "C", da.Transform((0.8, 0, 0)))],
        constraints=[da.BallConstraint("loop", "end", "tip", components="xy")],
    )
    return da.equations(machine, backend="vm")


@functools.cache
def _pendulum() -> da.EquationsOfMotion:
    bob = da.point_mass("bob", 1.0, com=(0, 0, -1.0))
    joint = da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))
    return da.equations(da.Machine("pendulum", [bob], [joint]), backend="vm")


_RUN: dict[str, Any] = {"duration": 2e-3, "step": 1e-3}

Verb = Callable[..., Any]


def _verbs() -> dict[str, Verb]:
    """Verbs that assemble a start: coordinates, branch and reach in, something out."""

    def linearize(q0: Any, **f: Any) -> Any:
        return da.linearize(_linkage(), q0, **f)

    return {
        "simulate": lambda q0, **f: da.simulate(_linkage(), q0=q0, **f, **_RUN),
        "Start": lambda q0, **f: da.simulate(_linkage(), start=da.Start(q=q0, **f), **_RUN),
        "rollout": lambda q0, **f: da.rollout(_linkage(), q0=q0, **f, **_RUN),
        "stepper": lambda q0, **f: da.stepper(_linkage(), period=1e-3, q0=q0, **f),
        "linearize": linearize,
        "mobility": lambda q0, **f: mobility(_linkage(), q0, **f),
        "equilibrium": lambda q0, **f: equilibrium(_linkage(), q0, **f),
    }


_BRANCHES: dict[str, Any] = {
    "negative": -1, "beyond": 99, "text": "up", "true": True, "part": 1.5, "nan": float("nan"), "list": [0],
    "unknown name": {"elbow": 1.0}, "nan by name": {"c": float("nan")}, "text by name": {"c": "up"},
    "what is given": {"a": 0.7}, "other label": pd.Series({"d": 1.0}), "frame": pd.DataFrame({"c": [1.0, 2.0]}),
    "array": np.array([0, 1]), "complex": 1j,
}  # fmt: skip
_REACHES: dict[str, Any] = {
    "negative": -0.1, "nan": float("nan"), "text": "far", "true": True, "list": [0.1], "complex": 0.1j,
    "series": pd.Series([0.1]),
}  # fmt: skip
_STARTS: dict[str, tuple[Any, str]] = {
    "unknown name": ({"d": 0.1}, "'d'"),
    "unknown label": (pd.Series({"a": 0.7, "d": 0.1}), "'d'"),
    "label twice": (pd.Series([0.7, 0.8], index=["a", "a"]), "'a'|label"),
    "numbers as labels": (pd.Series([0.7, 0.8, 0.9], index=[3, 1, 2]), "label"),
    "masked": (np.ma.array([0.7, 0.0, 0.0], mask=[1, 0, 0]), "masked|q0"),
    "complex": (np.array([0.7 + 0j, 0, 0]), "complex|q0"),
    "nan": ({"a": float("nan")}, "'a'|a is|q0|finite"),
    "infinite": ({"a": float("inf")}, "'a'|a is|q0|finite"),
    "text": ({"a": "up"}, "'a'|a"),
    "too few": ([0.7], "q0|components|shape"),
    "too many": ([0.7, 0.0, 0.0, 0.0], "q0|components|shape"),
    "out of range": ({"c": -0.1}, "loop|c ="),
    "out of range by a turn": ({"c": -0.1 + 2 * np.pi}, "loop|c ="),
    "two on one freedom": ({"a": 0.7, "c": -1.0}, "loop|a ="),
    "all, torn apart": ([0.7, 0.0, 0.0], "loop|a ="),
}
_COUNTS: dict[str, Any] = {"none": 0, "negative": -3, "part": 1.5, "true": True, "text": "many", "nan": float("nan")}


def assembly_attacks() -> Iterator[Attack]:
    """Attacks on every verb that assembles, and on the list of assemblies."""
    for verb, call in _verbs().items():
        for label, branch in _BRANCHES.items():
            yield Attack(verb, f"branch: {label}", functools.partial(call, {"a": 0.7}, branch=branch), "branch")
        for label, reach in _REACHES.items() if verb != "equilibrium" else ():  # which has none
            yield Attack(verb, f"reach: {label}", functools.partial(call, {"a": 0.7}, reach=reach), "reach")
        for label, (q0, names) in _STARTS.items():
            yield Attack(verb, f"start: {label}", functools.partial(call, q0), names)
    for label, (q0, names) in _STARTS.items():
        yield Attack("assemblies", label, functools.partial(da.assemblies, _linkage(), q0), names)
    for label, count in _COUNTS.items():
        call = functools.partial(da.assemblies, _linkage(), {"a": 0.7}, starts=count)
        yield Attack("assemblies", f"starts: {label}", call, "starts")
    yield Attack("assemblies", "no constraints", lambda: da.assemblies(_pendulum()), "constraints")
    yield Attack("simulate", "branch of a tree", lambda: da.simulate(_pendulum(), branch=0, **_RUN), "branch")
    yield Attack("rollout", "branch of a tree", lambda: da.rollout(_pendulum(), branch=0, **_RUN), "branch")
