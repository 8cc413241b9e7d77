"""Starts of structured synthesis: mixtures of gains, and the message about values that one start alone has reached."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import control
import numpy as np
import pytest

from dalembert.control.structured import ControllerGain, Gain, gains, pd_gains, synthesis, tune
from dalembert.control.structured.mixtures import gain_mixture
from dalembert.control.structured.nonsmooth import Budget
from dalembert.control.structured.objective import Objective
from dalembert.control.structured.plants import LoopPlant, loop_plant
from dalembert.control.structured.ranges import tune_over_ranges
from dalembert.control.structured.results import TuneResult, TuneSettings
from dalembert.control.structured.scales import Range, ranges
from dalembert.control.structured.structures import Structure
from dalembert.control.structured.synthesis import _Search, _starts
from dalembert.control.structured.terms import terms_of
from dalembert.control.uncertain import constant, parameter
from dalembert.core.types import Array

STRUCTURE = gains({u: dict.fromkeys(("y1", "y2", "y3")) for u in ("u1", "u2")})


def plant(measured: Array, actuated: Array) -> control.StateSpace:
    """A random plant with mixed measurements and controls."""
    rng = np.random.default_rng(5)
    A, B, C = rng.normal(size=(5, 5)), rng.normal(size=(5, 4)), rng.normal(size=(5, 5))
    A -= (np.linalg.eigvals(A).real.max() - 0.3) * np.eye(5)  # one pole is not stable
    B[:, 2:], C[2:] = B[:, 2:] @ actuated, measured @ C[2:]
    names = {"inputs": ["w1", "w2", "u1", "u2"], "outputs": ["z1", "z2", "y1", "y2", "y3"]}
    return control.ss(A, B, C, 0, **names)


def objective(measured: Array, actuated: Array) -> Objective:
    loops = [loop_plant(plant(measured, actuated), STRUCTURE, "p")]
    terms = terms_of(Gain(("w1", "w2"), ("z1", "z2")), loops, STRUCTURE)
    return Objective(STRUCTURE, loops, [], terms, ranges(STRUCTURE, loops, 1.0))


def test_mixtures_do_not_depend_on_units_and_axes_of_measurements_and_controls() -> None:
    """``y -> S y`` and ``u -> T u`` make ``T^-1 K S^-1`` of gains ``K``: their sizes by effect stay."""
    S = np.array([[3.0, 2.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.3, 0.5]])
    T = np.array([[2.0, 0.5], [0.0, 0.7]])
    one, other = gain_mixture(objective(np.eye(3), np.eye(2)), 2.0), gain_mixture(objective(S, T), 2.0)
    assert one is not None and other is not None
    for K in np.random.default_rng(2).normal(size=(3, 2, 3)):
        moved = np.linalg.inv(T) @ K @ np.linalg.inv(S)
        sizes = [np.linalg.norm(np.linalg.solve(m, x.ravel())) for m, x in ((one, K), (other, moved))]
        assert sizes[1] == pytest.approx(sizes[0], rel=1e-6)


def test_slopes_along_mixtures_equal_differences() -> None:
    plain = objective(np.eye(3), np.eye(2))
    mixture = gain_mixture(plain, 1.0)
    assert mixture is not None
    mixed = plain.mixed(mixture)
    y = np.random.default_rng(1).normal(size=6)
    assert mixed.variables(mixed.numbers(y).tolist()) == pytest.approx(y)
    value, slope = mixed.abscissa(y)
    steps = 1e-6 * np.eye(6)
    assert value == pytest.approx(plain.abscissa(plain.variables(mixed.numbers(y).tolist()))[0], rel=1e-9)
    differences = [(mixed.abscissa(y + e)[0] - mixed.abscissa(y - e)[0]) / 2e-6 for e in steps]
    assert slope == pytest.approx(differences, rel=1e-4)


def test_mixtures_are_for_gains_without_bounds_and_starts() -> None:
    bounded = gains({"u1": {"y1": (-1.0, 1.0)}, "u2": {"y2": None}})
    loops = [loop_plant(plant(np.eye(3), np.eye(2)), bounded, "p")]
    terms = terms_of(Gain("w1", "z1"), loops, bounded)
    assert gain_mixture(Objective(bounded, loops, [], terms, ranges(bounded, loops, 1.0)), 1.0) is None


def test_starts_are_spread_over_frequencies_and_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Odd ones have gains of one scale, about none, even ones those of frequencies nearby; 72 numbers of each."""
    function, loops = objective(np.eye(3), np.eye(2)), [loop_plant(plant(np.eye(3), np.eye(2)), STRUCTURE, "p")]
    asked: list[float] = []
    found: dict[tuple[float, bool], list[Range]] = {}

    def noted(structure: Structure, plants: list[LoopPlant], w: float, *, alike: Any = None) -> list[Range]:
        asked.append(w)
        if (w, alike is None) not in found:
            found[w, alike is None] = ranges(structure, plants, w, alike=alike)
        return found[w, alike is None]

    monkeypatch.setattr("dalembert.control.structured.synthesis.ranges", noted)
    apart: list[list[Array]] = [[] for _ in range(9)]
    for seed in range(12):
        asked.clear()
        for k, (made, y) in enumerate(_starts(function, loops, [2.0], TuneSettings(starts=9, seed=seed))):
            if k == 0:
                np.testing.assert_array_equal(y, function.start())
                continue
            middle = made.start() if k % 2 else function.variables([r.start for r in found[asked[-1], True]])
            apart[k].append(y - middle)
        np.testing.assert_allclose(np.log10(np.array(asked) / 2.0), [0, 0.5, 0, -0.5, 0, 1.0, 0, 0.0], atol=1e-12)
    sizes = [np.sqrt(np.mean(np.square(x))) for x in apart[1:]]
    np.testing.assert_allclose(sizes, [1.0, 3.0, 0.3, 0.1, 3.0, 1.0, 1.0, 3.0], rtol=0.25)  # three times 1 / sqrt(144)


def _by_weight(h: Any) -> Any:
    """Requirements that depend on the weight of the hard ones alone, which a polish does not change."""
    made = SimpleNamespace(hard=[1], soft=[1], weight=0.0)

    def worst(y: Array, weight: float) -> tuple[float, Array]:
        made.weight = weight
        return weight * h(weight), np.zeros(1)

    made.worst = worst
    return made


def test_weights_of_hard_requirements_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst hard requirement falls with its weight: to just below one if it can, else 16 weights are tried."""
    monkeypatch.setattr(synthesis, "_polish", lambda objective, search, y, f, budget: (y, f))
    for h, least, most in ((lambda w: 5.0 / np.sqrt(w), 2, 8), (lambda w: 0.3 / w**2, 2, 8), (lambda w: 2.0, 16, 16)):
        function = _by_weight(h)
        monkeypatch.setattr(synthesis, "_split", lambda objective, y, h=h: (h(objective.weight), 1.0))
        search = _Search()
        search.offer("start", function, np.zeros(1), function.worst(np.zeros(1), 1.0)[0])
        assert synthesis._finish(search, Budget(), None) is not None
        polishes = [label for label, _ in search.history if label.startswith("polish")]
        assert least <= len(polishes) <= most
        assert 0.99 <= h(search.weight) <= 1.001 or most == 16


def test_tuning_over_ranges_ends_after_twelve_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worst value joins the models, until there are as many as rounds; the message has the last one."""
    sizes: list[int] = []
    values = dict.fromkeys((t.name for t in STRUCTURE.tunables), 0.0)
    result = TuneResult("met", "", values, (), {}, (), (), STRUCTURE, 0.0, 5)

    def tuned(models: dict[str, Any], *rest: Any) -> TuneResult:
        sizes.append(len(models))
        return result

    def worst(*arguments: Any, **settings: Any) -> Any:
        return SimpleNamespace(values={"d": 1.0 - 0.01 * len(sizes)}, value=2.0, message=f"worst {len(sizes)}")

    for name, function in (("tune_models", tuned), ("worst_values", worst)):
        monkeypatch.setattr(f"dalembert.control.structured.ranges.{name}", function)
    monkeypatch.setattr(TuneResult, "controller", property(lambda self: None))
    loop = constant([[1.0]]) + parameter("d")
    model: Any = SimpleNamespace(sizes={"d": 1}, at=lambda **values: values, loop=lambda *rest: loop)
    found = tune_over_ranges(model, STRUCTURE, [], [], TuneSettings())
    assert found.status == "missed" and found.message == "after 12 rounds worst 12" and found.evaluations == 60
    assert sizes == list(range(1, 13)) and [v["d"] for v in found.joined] == [1.0 - 0.01 * k for k in sizes]


def test_a_value_that_one_start_alone_has_reached_is_named() -> None:
    mass = control.ss([[0, 1], [0, 0]], [[0], [1]], np.eye(2), 0, inputs=["f"], outputs=["x", "v"])
    soft, hard = [Gain("f", "x")], [ControllerGain(10.0)]
    sure = tune(mass, pd_gains({"f": ("x", "v")}), soft=soft, hard=hard, starts=3, evaluations=4000)
    assert sure.status == "met" and "more starts" not in sure.message
    search, function = _Search(), objective(np.eye(3), np.eye(2))
    for value in (1.0, 1.2, 1.3):
        search.offer("start", function, np.zeros(6), value)
    assert search.place is not None
    search.compare(search.place, 0.99)
    assert search.alone
    search.offer("start", function, np.ones(6), 1.005)
    search.compare(search.place, 1.0)
    assert not search.alone
