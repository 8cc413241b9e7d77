"""Names and kinds of the coordinates of a set of equations, and displacements on their configuration space."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.elastic.contract import Elastic
from dalembert.model.joint import Joint
from dalembert.model.joints import JOINT_KINDS, Coordinates
from dalembert.model.tree import Node

__all__ = ["CoordinateBlock", "Layout"]


@dataclass(frozen=True)
class CoordinateBlock:
    """Coordinates of one joint or beam: its kind and its ranges in ``q`` and ``v``."""

    name: str
    kind: str
    q: slice
    v: slice

    @property
    def coordinates(self) -> type[Coordinates]:
        """How displacements and rates act on the coordinates."""
        return JOINT_KINDS.get(self.kind, Coordinates)


@dataclass(frozen=True)
class Layout:
    """Coordinates of a set of equations, block by block."""

    q_names: tuple[str, ...]
    v_names: tuple[str, ...]
    blocks: tuple[CoordinateBlock, ...]

    @staticmethod
    def of_joints(joints: Iterable[Joint]) -> Layout:
        """Coordinates of joints, in order."""
        joints = tuple(joints)
        blocks, nq, nv = [], 0, 0
        for j in joints:
            q, v = slice(nq, nq + j.info.nq), slice(nv, nv + j.info.nv)
            blocks.append(CoordinateBlock(j.name, j.kind, q, v))
            nq, nv = q.stop, v.stop
        return Layout(
            tuple(s for j in joints for s in j.q_names), tuple(s for j in joints for s in j.v_names), tuple(blocks)
        )

    @staticmethod
    def of_nodes(nodes: Iterable[Node]) -> Layout:
        """Coordinates of the nodes of a tree: joints and modal coordinates of beams, in order."""
        layout = Layout((), (), ())
        for node in nodes:
            layout = layout + Layout.of_joints([node.joint] if node.joint.info.nv else [])
            if node.is_root and node.elastic is not None:
                layout = layout + Layout.modal(node.elastic)
        return layout

    @staticmethod
    def modal(body: Elastic) -> Layout:
        """Modal coordinates of a flexible body."""
        n = slice(0, body.n_modes)
        return Layout(body.q_names, body.v_names, (CoordinateBlock(f"{body.name}.delta", "modal", n, n),))

    def __add__(self, other: Layout) -> Layout:
        def moved(r: slice, by: int) -> slice:
            return slice(r.start + by, r.stop + by)

        blocks = [replace(b, q=moved(b.q, self.nq), v=moved(b.v, self.nv)) for b in other.blocks]
        return Layout(self.q_names + other.q_names, self.v_names + other.v_names, (*self.blocks, *blocks))

    @staticmethod
    def plain(names: Iterable[str]) -> Layout:
        """Independent coordinates whose velocities are their rates."""
        names = tuple(names)
        blocks = tuple(CoordinateBlock(n, "plain", slice(i, i + 1), slice(i, i + 1)) for i, n in enumerate(names))
        return Layout(names, tuple(f"{n}_dot" for n in names), blocks)

    @staticmethod
    def carried(names: Iterable[str]) -> Layout:
        """Coordinates that follow the motion without velocities."""
        names = tuple(names)
        blocks = tuple(CoordinateBlock(n, "carried", slice(i, i + 1), slice(0, 0)) for i, n in enumerate(names))
        return Layout(names, (), blocks)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.q_names)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.v_names)

    @property
    def quaternions(self) -> tuple[tuple[str, int], ...]:
        """Joint name and offset in ``q`` of each unit quaternion."""
        starts = [(b, b.coordinates.quaternion) for b in self.blocks]
        return tuple((b.name, b.q.start + start) for b, start in starts if start is not None)

    @property
    def moving(self) -> tuple[CoordinateBlock, ...]:
        """Blocks that have velocities."""
        return tuple(b for b in self.blocks if b.v.stop > b.v.start)

    def rates(self, q: Expression, v: Expression) -> Expression:
        """Rates of the coordinates, ``B(q) v``."""
        return ca.vertcat(*[b.coordinates.rate(q[b.q], v[b.v]) for b in self.moving])

    def integrate(self, q: Expression, d: Expression) -> Expression:
        """Configuration reached from ``q`` by the tangent displacement ``d``."""
        return ca.vertcat(*[b.coordinates.integrate(q[b.q], d[b.v]) for b in self.moving])

    def difference(self, q0: Expression, q1: Expression) -> Expression:
        """Tangent displacement from ``q0`` to ``q1``."""
        return ca.vertcat(*[b.coordinates.difference(q0[b.q], q1[b.q]) for b in self.moving])

    def flow(self, d: Expression) -> Expression:
        """Tangent displacement that the constant velocity ``d`` makes in one unit of time."""
        return ca.vertcat(*[b.coordinates.flow(d[b.v]) for b in self.moving])

    def transported(self, v: Expression, d: Expression) -> Expression:
        """Velocities after the tangent displacement ``d`` if the moving body keeps its velocity in fixed axes."""
        return ca.vertcat(*[b.coordinates.transported(v[b.v], d[b.v]) for b in self.moving])

    def coasting(self, v: Expression) -> Expression:
        """Rates of the velocities at which the moving body keeps its velocity in fixed axes."""
        return ca.vertcat(*[b.coordinates.coasting(v[b.v]) for b in self.moving])
