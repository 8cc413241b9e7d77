"""Short forms of grouped settings: what a verb shows, takes and refuses."""

from __future__ import annotations

import inspect
import pickle
import pydoc
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

import pytest

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped


@dataclass(frozen=True)
class Tolerances:
    relative: float = 1e-6
    absolute: float = 1e-9

    def __post_init__(self) -> None:
        if self.relative <= 0:
            raise InputError("relative must be > 0")


@dataclass(frozen=True)
class Look:
    colours: dict[str, str] = field(default_factory=dict)


class Keywords(TypedDict, total=False):
    relative: float
    absolute: float
    colours: dict[str, str] | None


@flat_keywords(Keywords, defaults=field_defaults(Tolerances, Look))
def solve(
    x: float, y: float = 0.0, *, tolerances: Tolerances | None = None, **keywords: Unpack[Keywords]
) -> tuple[float, Tolerances, Look]:
    """Solve."""
    return x + y, grouped(Tolerances, tolerances, keywords), grouped(Look, None, keywords)


class Solver:
    @flat_keywords(Keywords, defaults=field_defaults(Tolerances, Look))
    def solve(self, x: float, **keywords: Unpack[Keywords]) -> Tolerances:
        return grouped(Tolerances, None, keywords)


def test_signature_lists_own_parameters_then_keywords():
    parameters = inspect.signature(solve).parameters
    assert list(parameters) == ["x", "y", "tolerances", "relative", "absolute", "colours"]
    assert parameters["absolute"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["absolute"].default == 1e-9
    assert parameters["absolute"].annotation == "float"
    assert parameters["colours"].annotation == "dict[str, str] | None"
    assert solve.__own_parameters__ == ("x", "y", "tolerances")
    assert "absolute: 'float' = 1e-09" in pydoc.plain(pydoc.render_doc(solve))


def test_keywords_reach_their_group_and_win_over_it():
    assert solve(1.0, 2.0, relative=1e-3) == (3.0, Tolerances(relative=1e-3), Look())
    assert solve(1.0, y=2.0, colours={"a": "b"})[2] == Look({"a": "b"})
    coarse = Tolerances(1e-2, 1e-2)
    assert solve(1.0, tolerances=coarse)[1] is coarse
    assert solve(1.0, tolerances=coarse, absolute=1e-4)[1] == Tolerances(1e-2, 1e-4)
    with pytest.raises(InputError, match="relative must be > 0"):
        solve(1.0, relative=-1.0)


@pytest.mark.parametrize("error", [UnknownNameError, TypeError])
def test_unknown_keyword_is_refused_with_a_hint(error):
    with pytest.raises(
        error, match=r"no keyword named 'absolut' in solve\(\) \(did you mean 'absolute'\?\); known: abs"
    ):
        solve(1.0, absolut=1e-3)


def test_missing_parameter_is_refused_as_ever():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        solve(relative=1e-3)


def test_methods():
    assert Solver().solve(1.0, relative=0.1) == Tolerances(0.1)
    assert Solver.solve.__own_parameters__ == ("x",)
    assert list(inspect.signature(Solver().solve).parameters) == ["x", "relative", "absolute", "colours"]
    with pytest.raises(UnknownNameError) as caught:
        Solver().solve(1.0, relativ=0.1)
    assert "self" not in str(caught.value)


def test_verbs_can_be_pickled():
    assert pickle.loads(pickle.dumps(solve)) is solve


def test_required_keys_have_no_default():
    class Required(TypedDict):
        mass: float

    @flat_keywords(Required, defaults={})
    def weigh(**keywords: Unpack[Required]) -> float:
        return 9.81 * keywords["mass"]

    assert inspect.signature(weigh).parameters["mass"].default is inspect.Parameter.empty
    assert weigh(mass=2.0) == 2 * 9.81


def test_what_does_not_fit_together_is_refused_at_once():
    with pytest.raises(TypeError, match=r"defaults and optional keys differ: \['absolute', 'relative'\]"):
        flat_keywords(Keywords, defaults=field_defaults(Look))
    decorate = flat_keywords(Keywords, defaults=field_defaults(Tolerances, Look))
    with pytest.raises(TypeError, match=r"must take \*\*keywords"):
        decorate(lambda x: x)
    with pytest.raises(TypeError, match=r"\['relative'\]"):
        decorate(lambda relative, **keywords: relative)
