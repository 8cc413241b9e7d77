"""A control designed on a crane of few links, applied to one of many, to study spill-over."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.ports import Law
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.states import Parameters
from dalembert.model.machine import Machine
from dalembert.systems.cranes.coordinates import Columns, _angles_of, _turn, link_count

__all__ = ["DesignedOn", "sway_angle"]


@dataclass(frozen=True)
class DesignedOn:
    """A law of a crane with few links, fed with the state of one with many.

    The measured nodes of the plant stand for the nodes of the design: node ``k`` of ``n`` is node ``round(k N / n)`` of
    ``N``, and the angles (and lengths, where the design has them) are those of the chords between them. A design with
    one link measures the line from the trolley to the payload.

    Parameters
    ----------
    law
        A law for the design.
    design
        The crane it was designed on: the same trolley, bridge and motors.
    """

    law: Law
    design: Machine

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            raise InputError(f"DesignedOn needs a law, got {self.law!r}")
        Columns(self.design)

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """States of the law."""
        return self.law.state_names(self._model())

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Initial states of the law."""
        return self.law.initial_state(self._model())

    def _model(self) -> EquationsOfMotion:
        return derive(self.design)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs of the law at the design's state."""
        model = self._model()
        if model.u_names != eom.u_names:
            raise InputError(
                f"the design has the motors {', '.join(model.u_names)}, machine '{eom.machine.name}' has "
                f"{', '.join(eom.u_names)}; they must be the same"
            )
        s = eom.symbolic
        q_m = design_coordinates(eom, model)
        w_m = ca.jtimes(q_m, s.q, s.coordinate_rate)
        seen = ca.Function("seen", [s.q, s.v, s.p], [ca.densify(q_m), ca.densify(w_m)])
        q_seen, v_seen = seen(q, v, p)
        return self.law.expression(model, t, q_seen, v_seen, z, ca.SX(model.parameter_values(None)))


def design_coordinates(eom: EquationsOfMotion, model: EquationsOfMotion) -> Expression:
    """Coordinates of the design as expressions of the plant's."""
    plant, design = eom.machine, model.machine
    N, n = link_count(plant), link_count(design)
    if n > N:
        raise InputError(f"the design has {n} links, the crane only {N}")
    col = Columns(design)
    s = eom.symbolic
    points = [s.pose("trolley")[:3, 3]]
    points += [s.pose(f"node{round(k * N / n)}")[:3, 3] for k in range(1, n + 1)]
    values = {"x": points[0][0], "y": points[0][1]}
    R = ca.SX.eye(3)
    for k in range(1, n + 1):
        chord = points[k] - points[k - 1]
        values[f"l{k}"] = ca.norm_2(chord)
        here = R.T @ chord / values[f"l{k}"]
        theta, phi = _angles_of(here)
        values[f"theta{k}"], values[f"phi{k}"] = theta, phi
        R = R @ _turn(theta, phi if col.spatial else 0.0)
    return ca.vertcat(*[values[name] for name in model.q_names])


def sway_angle(eom: EquationsOfMotion, q: ArrayLike, *, p: Parameters = None) -> Array:
    """Angle between the vertical and the line from the trolley to the payload [rad], of configurations (..., nq)."""
    line = eom.pose("payload", q, p=p)[..., :3, 3] - eom.pose("trolley", q, p=p)[..., :3, 3]
    return np.arctan2(np.hypot(line[..., 0], line[..., 1]), -line[..., 2])
