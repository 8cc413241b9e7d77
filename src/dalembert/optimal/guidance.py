"""Predictive controllers above an inner law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from dalembert.core.types import Array
from dalembert.optimal.stage import StageCode, StageView

__all__ = ["PredictiveGuidance"]


@dataclass(frozen=True, eq=False)
class PredictiveGuidance:
    """A predictive controller above an inner law (`PredictiveLaw.guidance`): it holds its inputs by name.

    The inner law reads ``mpc.u.INPUT`` (`dalembert.control.read`) and may run at a shorter period, such as nozzles
    that are on or off.

    Parameters
    ----------
    law
        The controller, a `PredictiveLaw`.
    inputs
        Names of its inputs.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert import control
    >>> cart = da.Machine(
    ...     "cart",
    ...     bodies=[da.point_mass("cart", 2.0)],
    ...     joints=[da.Joint("x", "prismatic", "world", "cart", axis="x")],
    ...     motors=[da.Motor("push", "x")],
    ... )
    >>> cost = da.Cost(states={"x": 1.0, "x_dot": 1.0}, inputs=0.1, terminal="lqr")
    >>> law = da.mpc(cart, horizon=2.0, intervals=10, cost=cost, reference={"x": 1.0}, limits={"push": (-1, 1)})
    >>> inner = control.Sampled(control.Feedforward({"push": "mpc.u.push"}), 0.05)
    >>> run = da.simulate(cart, duration=10.0, control=control.Cascade(inner, [law.guidance]))
    >>> bool(abs(run["x"][-1] - 1.0) < 1e-3)
    True
    """

    law: Any
    inputs: tuple[str, ...]
    commands: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Name of the controller."""
        return str(self.law.name)

    @property
    def period(self) -> float:
        """Seconds between samples."""
        return float(self.law.period)

    @property
    def feedback(self) -> Mapping[str, str]:
        """None: laws see the state itself."""
        return {}

    @property
    def shown(self) -> Mapping[str, float]:
        """Names of its recorded values and their first values, the inputs first."""
        return {f"{self.name}.u.{u}": 0.0 for u in self.inputs} | dict(self.law.shown)

    @property
    def memory(self) -> Array:
        """First values of its memory."""
        memory: Array = self.law.memory
        return memory

    def check_start(self, values: Mapping[str, float]) -> None:
        """Refuse a start beyond hard limits of states."""
        self.law.check_start(values)

    def compose(self, view: StageView) -> StageCode:
        """Return its code in a loop."""
        code: StageCode = self.law.compose(view)
        return code
