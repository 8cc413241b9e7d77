"""Formulations in the coordinates of a machine's tree: what does not depend on how the equations are derived."""

from __future__ import annotations

from dalembert.core.errors import UnknownNameError
from dalembert.core.types import Expression
from dalembert.formulations.base import FormulationBase
from dalembert.formulations.layout import Layout
from dalembert.formulations.tree.model import TreeModel
from dalembert.model.machine import Machine
from dalembert.model.tree import Node

__all__ = ["TreeFormulation"]


class TreeFormulation(FormulationBase):
    """Poses, rates and loads of a tree; the equations are those of the formulation.

    A formulation that inherits this adds ``mass_matrix``, ``coriolis_matrix``, ``gravity``, ``bias``,
    ``inverse_dynamics``, ``forward_dynamics``, ``kinetic_energy``, ``potential_energy``, ``momentum``,
    ``center_of_mass`` and ``jacobian``. The symbols are in ``self.variables``; ``self.model`` has the poses of bodies
    and frames, gravity, springs and armatures.

    Parameters
    ----------
    machine
        The machine.
    model
        Its kinematics and loads, if they are not the usual ones.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.formulations import TreeFormulation
    >>> from dalembert.systems import load_system
    >>> eom = da.equations(load_system("double-pendulum"), by="gibbs-appell", backend="vm")
    >>> isinstance(eom.formulation, TreeFormulation)
    True
    """

    def __init__(self, machine: Machine, model: TreeModel | None = None) -> None:
        self.machine = machine
        self.model = TreeModel(machine) if model is None else model
        self.variables = self.model.variables
        self.layout = Layout.of_nodes(machine.tree.nodes)

    def coordinate_rates(self) -> Expression:
        """Rates of the coordinates, ``B(q) v``."""
        return self.model.coordinate_rates()

    def frame_pose(self, frame: str) -> tuple[Expression, Expression]:
        """Pose (R, p) of a frame in the world."""
        return self.model.frame_pose(frame)

    def actuation(self) -> Expression:
        """Generalised forces of the motors."""
        return self.model.actuation

    def losses(self) -> Expression:
        """Generalised forces of dampers, friction, motor losses and structural damping."""
        return self.model.losses

    def joint_coordinate(self, joint: str) -> Expression:
        """Coordinate of a joint that has one."""
        return self.variables.q[self._node(joint).q.start]

    def joint_rate(self, joint: str) -> Expression:
        """Rate of a joint that has one coordinate."""
        return self.variables.v[self._node(joint).v.start]

    def _node(self, joint: str) -> Node:
        moving = {n.joint.name: n for n in self.machine.tree.nodes if n.joint.info.nv}
        if joint not in moving:
            raise UnknownNameError("moving joint", joint, moving, f"machine '{self.machine.name}'")
        return moving[joint]
