"""Short forms of grouped settings: what a verb shows, takes and refuses."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pydoc
from dataclasses import dataclass, field, fields
from typing import TypedDict, Unpack

import pytest

from dalembert import systems
from dalembert.analysis import IKSettings, inverse_kinematics
from dalembert.control import Holding, design_lqr
from dalembert.control.structured import TuneSettings, tune
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.plan import (
    CaptureApproach,
    MotionConditions,
    MotionCost,
    MotionSettings,
    optimal_motion,
    plan_robot_capture,
)
from dalembert.view import Look, animate, draw_scene


@dataclass(frozen=True)
class Tolerances:
    relative: float = 1e-6
    absolute: float = 1e-9

    def __post_init__(self) -> None:
        if self.relative <= 0:
            raise InputError("relative must be > 0")


@dataclass(frozen=True)
class Colours:
    colours: dict[str, str] = field(default_factory=dict)


class Keywords(TypedDict, total=False):
    relative: float
    absolute: float
    colours: dict[str, str] | None


@flat_keywords(Keywords, defaults=field_defaults(Tolerances, Colours))
def solve(
    x: float, y: float = 0.0, *, tolerances: Tolerances | None = None, **keywords: Unpack[Keywords]
) -> tuple[float, Tolerances, Colours]:
    """Solve."""
    return x + y, grouped(Tolerances, tolerances, keywords), grouped(Colours, None, keywords)


class Solver:
    @flat_keywords(Keywords, defaults=field_defaults(Tolerances, Colours))
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
    assert solve(1.0, 2.0, relative=1e-3) == (3.0, Tolerances(relative=1e-3), Colours())
    assert solve(1.0, y=2.0, colours={"a": "b"})[2] == Colours({"a": "b"})
    coarse = Tolerances(1e-2, 1e-2)
    assert solve(1.0, tolerances=coarse)[1] is coarse
    assert solve(1.0, tolerances=coarse, absolute=1e-4)[1] == Tolerances(1e-2, 1e-4)
    with pytest.raises(InputError, match="relative must be > 0"):
        solve(1.0, relative=-1.0)
    with pytest.raises(InputError, match="expected Tolerances, got 1e-06"):
        solve(1.0, tolerances=1e-6)  # type: ignore[arg-type]


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
        flat_keywords(Keywords, defaults=field_defaults(Colours))
    decorate = flat_keywords(Keywords, defaults=field_defaults(Tolerances, Colours))
    with pytest.raises(TypeError, match=r"must take \*\*keywords"):
        decorate(lambda x: x)
    with pytest.raises(TypeError, match=r"\['relative'\]"):
        decorate(lambda relative, **keywords: relative)


VERBS = {
    inverse_kinematics: (IKSettings,),
    design_lqr: (Holding,),
    tune: (TuneSettings,),
    optimal_motion: (MotionConditions, MotionCost, MotionSettings),
    plan_robot_capture: (CaptureApproach,),
    animate: (Look,),
    draw_scene: (Look,),
}


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_verbs_take_every_field_of_their_groups(verb):
    """Names, types and defaults of the short forms are those of the fields; the docstring names each."""
    parameters = inspect.signature(verb).parameters
    short = {name: p for name, p in parameters.items() if name not in verb.__own_parameters__}
    all_fields = [f for group in VERBS[verb] for f in fields(group)]
    assert [f.name for f in all_fields] == list(short)
    assert {f.name: f.type for f in all_fields} == {name: p.annotation for name, p in short.items()}
    assert {f.name: f.default for f in all_fields} == {name: p.default for name, p in short.items()}
    assert not [name for name in short if f"``{name}``" not in verb.__doc__]
    with pytest.raises(UnknownNameError, match=rf"in {verb.__name__}\(\) \(did you mean '{next(iter(short))}'"):
        verb(**{next(iter(short)) + "_": None})


@pytest.mark.parametrize(
    "room",
    ["analysis", "control", "control.structured", "control.mu", "control.uncertain", "control.varying", "plan", "view"],
)
def test_no_verb_has_more_than_eight_parameters_of_its_own(room):
    package = importlib.import_module(f"dalembert.{room}")
    verbs = {name: getattr(package, name) for name in package.__all__}
    methods = {
        f"{n}.{m}": f for n, c in verbs.items() if inspect.isclass(c) for m, f in vars(c).items() if m != "__init__"
    }
    counts = {
        name: len(getattr(f, "__own_parameters__", set(inspect.signature(f).parameters) - {"self"}))
        for name, f in {**verbs, **methods}.items()
        if inspect.isfunction(f)
    }
    counts.pop("linearize", None)  # its groups are to be those of an experiment
    assert not {name: n for name, n in counts.items() if n > 8}


def test_groups_and_short_forms_say_the_same():
    arm = systems.flexible_arms.canadarm()
    target = (arm.bodies[-1].name, (3.0, 2.0, 1.0))
    short = inverse_kinematics(arm, *target, restarts=1, max_iterations=5)
    group = inverse_kinematics(arm, *target, settings=IKSettings(restarts=1, max_iterations=5))
    assert short.q.tolist() == group.q.tolist()
    assert short.iterations == group.iterations <= 10
