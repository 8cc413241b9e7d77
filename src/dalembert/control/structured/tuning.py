"""Tuning of structured controllers: the verb that users call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

from dalembert.control.structured.plants import named_plants
from dalembert.control.structured.ranges import tune_over_ranges
from dalembert.control.structured.requirements import Requirement
from dalembert.control.structured.results import TuneResult, TuneSettings
from dalembert.control.structured.scheduling import tune_scheduled
from dalembert.control.structured.structures import Structure
from dalembert.control.structured.synthesis import tune_models
from dalembert.control.uncertain.lft import LFT
from dalembert.control.uncertain.machines import UncertainMachine
from dalembert.core.errors import InputError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.renamed import renamed_keywords

if TYPE_CHECKING:
    from dalembert.control.structured.plants import Plant

__all__ = ["tune"]


class _Keywords(TypedDict, total=False):
    """Short forms of `TuneSettings`."""

    starts: int
    seed: int
    evaluations: int | None
    time_limit: float | None
    omega: float | None
    fast_poles: float
    progress: Callable[[str, float], object] | None


@renamed_keywords("rad/s", frequency="omega")
@flat_keywords(_Keywords, defaults=field_defaults(TuneSettings))
def tune(
    plant: Plant | Sequence[Plant] | Mapping[str, Plant] | UncertainMachine | LFT,
    structure: Structure,
    *,
    hard: Sequence[Requirement] = (),
    soft: Sequence[Requirement] = (),
    robust: bool = False,
    schedule: Mapping[str, int] | None = None,
    settings: TuneSettings | None = None,
    **keywords: Unpack[_Keywords],
) -> TuneResult:
    """Tune a structured controller on one or several plants, or on an uncertain one.

    Parameters
    ----------
    plant
        Continuous plant with named inputs and outputs (as `dalembert.linearize` returns it; transfer functions of
        python-control are realised), or several of them, which
        one controller must serve; with ``robust`` an uncertain model (`uncertain`), or an LFT in blocks between -1
        and 1.
    structure
        The controller's structure.
    hard
        Requirements that must be met.
    soft
        Requirements of which the largest is minimised. Without any, tuning ends where the hard ones are met.
    robust
        Whether the loop must be proven over all ranges of an uncertain model: it is tuned at the middle of the ranges,
        the worst values that are found join the models, and so on until stability, hard gains and a hard rate of
        decay are proven, or the reason why not is given. Other hard requirements hold on the models that joined.
    schedule
        For an uncertain model of a machine: quantities and degrees, such as ``{"length": 2}``. The gains of a static
        structure become polynomials of these measured quantities (``result.scheduled``, and `scheduled_feedback` for
        the law). Bounds of the numbers then hold in the middle of the ranges.
    settings
        How long and how often it searches.
    **keywords
        Fields of `TuneSettings`: ``starts``, ``seed``, ``evaluations``, ``time_limit``, ``omega``,
        ``fast_poles``, ``progress``.

    Returns
    -------
    TuneResult
        Never fails for lack of a solution: its status and message report the result.

    Examples
    --------
    >>> import control
    >>> mass = control.ss([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 1]], 0, inputs=["f"], outputs=["x", "v"])
    >>> from dalembert.control.structured import ControllerGain, Gain, pd_gains
    >>> stiff = [Gain("f", "x")]
    >>> result = tune(mass, pd_gains({"f": ("x", "v")}), soft=stiff, hard=[ControllerGain(10.0)], starts=1)
    >>> result.status, round(max(result.requirements.values()), 3) <= 1.001
    ('met', True)
    """
    if not (hard or soft):
        raise InputError("tune needs at least one requirement, hard or soft")
    if not structure.tunables:
        raise InputError("the structure has nothing to tune")
    settings = grouped(TuneSettings, settings, keywords)
    if isinstance(plant, UncertainMachine | LFT) != robust:
        needed = "an uncertain model (uncertain(machine, ranges)) or an LFT" if robust else "robust=True"
        raise InputError(f"tune needs {needed} here, got {type(plant).__name__} with robust={robust}")
    if schedule is not None:
        if not isinstance(plant, UncertainMachine):
            got = type(plant).__name__
            raise InputError(f"a schedule needs an uncertain model of a machine and robust=True, got {got}")
        return tune_scheduled(plant, structure, hard, soft, settings, schedule)
    if isinstance(plant, UncertainMachine | LFT):
        return tune_over_ranges(plant, structure, hard, soft, settings)
    return tune_models(named_plants(plant), structure, hard, soft, settings)
