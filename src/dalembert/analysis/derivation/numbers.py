"""Numbers of the steps of a derivation from the compiled functions of a machine, without its symbols."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.analysis.derivation.formula import State
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.body import Body
from dalembert.model.joint import WORLD

__all__ = ["BodyNumbers", "Numbers"]


class BodyNumbers:
    """Numbers of one rigid body at a state: the vectors of `BodyTerms`."""

    def __init__(self, eom: EquationsOfMotion, body: Body, state: State) -> None:
        machine = eom.machine
        self.joint = next(joint for joint in machine.joints if joint.child == body.name)
        pose = eom.pose(body.name, state.q)
        above = np.eye(4) if self.joint.parent == WORLD else eom.pose(self.joint.parent, state.q)
        self.placement = np.linalg.inv(above) @ pose
        R, self.position = pose[:3, :3], pose[:3, 3]
        self.jacobian = eom.jacobian(body.name, state.q)
        rate = self.jacobian @ state.a + eom.jacobian_rate(body.name, state.q, state.v) @ state.v
        twist = self.jacobian @ state.v
        v, w, dv, dw = twist[:3], twist[3:], rate[:3], rate[3:]
        m, self.com = nominal(body.mass), np.array([nominal(x) for x in body.com])
        I = np.array([[nominal(x) for x in row] for row in body.inertia])
        g = np.array([nominal(x) for x in machine.gravity])
        self.centre = self.position + R @ self.com
        v_c = v + np.cross(w, self.com)
        self.velocity, self.angular, self.angular_acceleration = R @ v_c, w, dw
        self.kinetic = m * v_c @ v_c / 2 + w @ I @ w / 2
        self.potential = -m * g @ self.centre
        turning = np.cross(dw, self.com) + np.cross(w, np.cross(w, self.com))
        self.acceleration = dv + np.cross(w, v) + turning - R.T @ g
        self.force, self.moment = m * self.acceleration, I @ dw + np.cross(w, I @ w)


class Numbers:
    """Numbers of a machine, body by body.

    Parameters
    ----------
    eom
        Its equations, compiled.
    """

    def __init__(self, eom: EquationsOfMotion) -> None:
        self.eom = eom
        self._known: tuple[State | None, dict[str, BodyNumbers]] = (None, {})

    def body(self, name: str, state: State) -> BodyNumbers:
        """Numbers of a body."""
        if self._known[0] is not state:
            bodies = [body for body in self.eom.machine.bodies if isinstance(body, Body)]
            self._known = (state, {body.name: BodyNumbers(self.eom, body, state) for body in bodies})
        return self._known[1][name]

    def wrench(self, name: str, state: State) -> tuple[Array, Array]:
        """Force and moment that the joint of a body transmits, in its axes at its origin."""
        body = self.body(name, state)
        f, n = body.force, body.moment + np.cross(body.com, body.force)
        for joint in self.eom.machine.joints:
            if joint.parent == name:
                placement = self.body(joint.child, state).placement
                R, p = placement[:3, :3], placement[:3, 3]
                f_child, n_child = self.wrench(joint.child, state)
                f = f + R @ f_child
                n = n + R @ n_child + np.cross(p, R @ f_child)
        return f, n

    def inertial(self, state: State) -> Array:
        """Inertial forces of the coordinates, Coriolis forces and gravity: ``M a + c + g``."""
        eom = self.eom
        c = eom.coriolis_matrix(state.q, state.v) @ state.v
        total: Any = eom.mass_matrix(state.q) @ state.a + c + eom.gravity(state.q)
        return np.asarray(total)

    def christoffel(self, k: int, state: State) -> Array:
        """Matrix of the Christoffel symbols of one coordinate, by central differences of the mass matrix."""
        eom, step = self.eom, 1e-6
        n = eom.nq
        change = np.stack([
            (eom.mass_matrix(state.q + step * e) - eom.mass_matrix(state.q - step * e)) / (2 * step) for e in np.eye(n)
        ])  # change[i] = dM/dq_i  # fmt: skip
        first = change[:, k, :]  # dM_kj/dq_i
        return np.asarray((first + first.T - change[k]) / 2)
