"""The manoeuvre on cranes that the laws were not designed for: other payloads, other lengths, same gains."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from dalembert import Parameter, equations
from dalembert.studies.crane.transport import TASK, Manoeuvre, Performance, laws, perform, transport_crane
from dalembert.systems.cranes import DesignedOn

__all__ = ["CASES", "compare_robustness", "robustness_table"]

CASES: dict[str, dict[str, float]] = {
    "nominal": {},
    "payload -30 %": {"payload": 350.0},
    "payload +30 %": {"payload": 650.0},
    "length -10 %": {"length": 4.5},
    "length +10 %": {"length": 5.5},
}


def compare_robustness(
    links: int = 10,
    cases: Mapping[str, dict[str, float]] = CASES,
    task: Manoeuvre = TASK,
    names: Collection[str] | None = None,
) -> dict[str, dict[str, Performance]]:
    """Performance of each law (or of those named) in each case.

    Every law keeps the gains, the reference and the model of the nominal crane; only the crane is that of the case.

    Examples
    --------
    >>> from dalembert.studies import compare_robustness
    >>> table = compare_robustness(1, {"nominal": {}, "load + 30 %": {"payload": 650.0}}, names=["PD, quintic"])
    >>> {case: round(performance.residual_sway, 1) for case, performance in table["PD, quintic"].items()}
    {'nominal': ..., 'load + 30 %': ...}
    """
    nominal = transport_crane(links)
    plant = transport_crane(links, payload=Parameter("payload", 500.0), length=Parameter("length", 5.0))
    eom = equations(plant)
    performances: dict[str, dict[str, Performance]] = {}
    for name, law in laws(nominal, task).items():
        if names is not None and name not in names:
            continue
        fixed: Any = law if isinstance(law, DesignedOn) else DesignedOn(law, nominal)
        performances[name] = {case: perform(eom, name, fixed, task, p) for case, p in cases.items()}
    return performances


def robustness_table(performances: Mapping[str, Mapping[str, Performance]]) -> str:
    """Residual sway of each law in each case, as text.

    Examples
    --------
    >>> from dalembert.studies import compare_robustness, robustness_table
    >>> print(robustness_table(compare_robustness(1, {"nominal": {}}, names=["PD, quintic"])))
    residual sway                           nominal
    PD, quintic                               ...°
    """
    cases = next(iter(performances.values()))
    lines = [f"{'residual sway':32}" + "".join(f"{case:>15}" for case in cases)]
    for name, row in performances.items():
        lines.append(f"{name:32}" + "".join(f"{performance.residual_sway:14.2f}°" for performance in row.values()))
    return "\n".join(lines)
