"""Coordinates of cranes: the document's order, relative and absolute angles, hanging states."""

from __future__ import annotations

import re
from collections.abc import Callable

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.formulations.mapped import CoordinateMap
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run

__all__ = [
    "Columns",
    "check_run",
    "columns",
    "crane_coordinates",
    "document_order",
    "hanging",
    "link_count",
    "link_lengths",
    "node_masses",
    "rod_masses",
]

VERTICAL = 1e-3  # angle at which a link counts as vertical [rad]
CHOICES = ("theta", "alpha", "horizontal")


class Columns:
    """Positions of a crane's coordinates by kind, and their names in the document's order.

    Attributes
    ----------
    cart
        Trolley and bridge.
    angle
        Angles of the links.
    length
        Lengths that vary.
    """

    def __init__(self, machine: Machine) -> None:
        if not isinstance(machine, Machine):
            raise InputError(f"expected a crane of dalembert.systems, got {machine!r}")
        self.names = machine.q_names
        kinds = {name: _kind(name) for name in self.names}
        strange = [name for name, kind in kinds.items() if kind is None]
        if strange or link_count(machine) == 0:
            raise InputError(
                f"machine '{machine.name}' is not a crane of dalembert.systems: "
                f"it has {'the coordinate ' + repr(strange[0]) if strange else 'no links'}"
            )
        at = {kind: [i for i, n in enumerate(self.names) if kinds[n] == kind] for kind in ("cart", "angle", "length")}
        self.cart, self.angle, self.length = at["cart"], at["angle"], at["length"]
        self.spatial = any(n.startswith("phi") for n in self.names)

    @property
    def order(self) -> list[int]:
        """Document order: trolley, angles, lengths."""
        return self.cart + self.angle + self.length


def _kind(name: str) -> str | None:
    if name in ("x", "y"):
        return "cart"
    if re.fullmatch(r"(theta|phi)\d+", name):
        return "angle"
    return "length" if re.fullmatch(r"l\d+", name) else None


def columns(machine: Machine) -> Columns:
    """Sort the coordinates of a crane by kind."""
    return Columns(machine)


def document_order(machine: Machine) -> list[int]:
    """Permutation that puts the machine's coordinates into the order ``(x, theta_1 .., l_1 ..)`` of CRANE.

    Examples
    --------
    >>> from dalembert.systems.cranes import hook_crane
    >>> machine = hook_crane()
    >>> [machine.q_names[i] for i in document_order(machine)]
    ['x', 'theta1', 'theta2', 'l1']
    """
    return Columns(machine).order


def link_count(machine: Machine) -> int:
    """Number of links N."""
    return sum(1 for b in machine.bodies if re.fullmatch(r"node\d+", b.name))


def node_masses(machine: Machine) -> Array:
    """Nominal masses ``m_1 .. m_N`` at the nodes."""
    return np.array([nominal(machine.body(f"node{i}").mass) for i in range(1, link_count(machine) + 1)])


def rod_masses(machine: Machine) -> Array:
    """Nominal masses of the links themselves; zero where all mass is at the nodes."""
    parts = {b.name: nominal(b.mass) for b in machine.bodies}
    names = ("link", "middle", "foot")
    return np.array([sum(parts.get(f"{n}{i}", 0.0) for n in names) for i in range(1, link_count(machine) + 1)])


def link_lengths(machine: Machine) -> Array:
    """Lengths of the links; of those that vary, the lengths at rest."""
    result = []
    for i in range(1, link_count(machine) + 1):
        joint = machine.joint(f"l{i}")
        fixed = not joint.info.nv
        result.append(-nominal(joint.origin.translation[2]) if fixed else nominal(joint.rest))
    return np.array(result)


def check_run(machine: Machine, run: Run) -> None:
    """Refuse a run of anything but a crane."""
    expected = (*machine.q_names, *machine.v_names)
    names = run.state_names[: len(expected)] if isinstance(run, Run) else ()
    if names != expected:
        got = f"one with {', '.join(names)}" if names else repr(run)
        raise InputError(f"run must be one of crane '{machine.name}', with {', '.join(expected)}; got {got}")


def hanging(machine: Machine, **others: float) -> dict[str, float]:
    """The crane at rest below its trolley, as initial coordinates for `simulate`.

    Elastic links are stretched by the load that hangs on them (unless the winch carries it, which the user decides);
    other lengths are those of the cable.

    Parameters
    ----------
    machine
        A crane of this package.
    **others
        Coordinates to set otherwise, by name.
    """
    col = Columns(machine)
    unknown = [name for name in others if name not in col.names]
    if unknown:
        raise InputError(f"no coordinate {unknown[0]!r} of the crane; known: {', '.join(col.names)}")
    for name, value in others.items():
        if not isinstance(value, int | float | np.number) or not np.isfinite(value):
            raise InputError(f"coordinate {name!r} of the crane must be a finite number, got {value!r}")
    lengths = link_lengths(machine)
    rods = rod_masses(machine)
    carried = np.cumsum((node_masses(machine) + rods)[::-1])[::-1] - rods / 2
    g = -nominal(machine.gravity[2])
    q = dict.fromkeys(col.names, 0.0)
    for i in col.length:
        joint = machine.joint(col.names[i])
        k = int(joint.name[1:]) - 1
        stretch = g * carried[k] / nominal(joint.stiffness) if nominal(joint.stiffness) > 0 else 0.0
        q[joint.name] = float(lengths[k] + stretch)
    return q | others


def crane_coordinates(machine: Machine, choice: str = "theta") -> CoordinateMap:
    """The coordinates of CRANE as a map for ``da.equations(machine, coordinates=...)``.

    Parameters
    ----------
    machine
        A crane of this package.
    choice
        ``"theta"``: relative angles, ``q = (x, theta_1 .., l_1 ..)``; ``"alpha"``: absolute angles of the links,
        ``alpha_i = theta_1 + .. + theta_i`` in 2-D (CRANE 155). In 3-D the absolute angles ``alpha_i, beta_i`` are
        those of the link's direction ``(sin(alpha) cos(beta), sin(beta), -cos(alpha) cos(beta))`` in world axes.
        ``"horizontal"``: ``q_x = (x, theta_1 .., x_1 ..)`` with the horizontal positions of the masses instead of the
        lengths, ``x_i = x + sum_j l_j sin(a_j)`` (CRANE 6.2.3, there for small angles), in 2-D with all lengths
        varying. They do not exist where a link is vertical (within 1 mrad), the hanging crane included: a run does not
        start there, and stops there by name, such as ``link2 vertical``.
    """
    col = Columns(machine)
    if not isinstance(choice, str) or choice not in CHOICES:
        raise InputError(f"the choice of coordinates must be one of {', '.join(CHOICES)}, got {choice!r}")
    order = col.order
    back = np.argsort(order).tolist()
    names = [col.names[i] for i in order]
    if choice == "horizontal":
        return _horizontal(machine, col)
    if choice == "theta":
        return CoordinateMap(names, lambda y, p: y[back], lambda q, p: q[order])
    if len(col.angle) != link_count(machine) * (2 if col.spatial else 1):
        raise InputError("absolute angles need all links to turn; some angles of this crane are locked")
    names = [n.replace("theta", "alpha").replace("phi", "beta") for n in names]
    a, b = len(col.cart), len(col.cart) + len(col.angle)
    relative, absolute = (_relative_3d, _absolute_3d) if col.spatial else (_relative_2d, _absolute_2d)

    def to_machine(y: Expression, p: dict[str, Expression]) -> Expression:
        return ca.vertcat(y[:a], relative(y[a:b]), y[b:])[back]

    def from_machine(q: Expression, p: dict[str, Expression]) -> Expression:
        x = q[order]
        return ca.vertcat(x[:a], absolute(x[a:b]), x[b:])

    return CoordinateMap(names, to_machine, from_machine)


def _horizontal(machine: Machine, col: Columns) -> CoordinateMap:
    n = link_count(machine)
    if col.spatial or len(col.length) < n or len(col.angle) < n or not col.cart:
        raise InputError(
            "horizontal coordinates need a planar crane with lengths='variable', nothing locked; crane "
            f"'{machine.name}' has {', '.join(col.names)}"
        )
    order = col.order
    back = np.argsort(order).tolist()
    names = [*(col.names[i] for i in order[: n + 1]), *(f"x{i}" for i in range(1, n + 1))]

    def to_machine(y: Expression, p: dict[str, Expression]) -> Expression:
        x = ca.vertcat(y[0], y[n + 1 :])
        return ca.vertcat(y[: n + 1], (x[1:] - x[:-1]) / ca.sin(ca.cumsum(y[1 : n + 1])))[back]

    def from_machine(q: Expression, p: dict[str, Expression]) -> Expression:
        y = q[order]
        return ca.vertcat(y[: n + 1], y[0] + ca.cumsum(y[n + 1 :] * ca.sin(ca.cumsum(y[1 : n + 1]))))

    def upright(k: int) -> Callable[[Expression, dict[str, Expression]], Expression]:
        return lambda y, p: ca.sin(ca.sum1(y[1 : k + 1])) ** 2 - np.sin(VERTICAL) ** 2

    singular = {f"link{k} vertical": upright(k) for k in range(1, n + 1)}  # det Q_theta = 0, after (189)
    return CoordinateMap(names, to_machine, from_machine, singular)


def _relative_2d(alpha: Expression) -> Expression:
    """``theta = J^-1 alpha`` (CRANE 156)."""
    n = alpha.shape[0]
    return ca.vertcat(*[alpha[i] - alpha[i - 1] if i else alpha[0] for i in range(n)])


def _absolute_2d(theta: Expression) -> Expression:
    """``alpha = J theta`` (CRANE 155)."""
    return ca.cumsum(theta)


def _turn(theta: Expression, phi: Expression | float) -> Expression:
    """Rotation by ``theta`` about -y, then by ``phi`` about x."""
    c, s, cp, sp = ca.cos(theta), ca.sin(theta), ca.cos(phi), ca.sin(phi)
    about_y = ca.vertcat(ca.horzcat(c, 0, -s), ca.horzcat(0, 1, 0), ca.horzcat(s, 0, c))
    about_x = ca.vertcat(ca.horzcat(1, 0, 0), ca.horzcat(0, cp, -sp), ca.horzcat(0, sp, cp))
    return about_y @ about_x


def _direction(alpha: Expression, beta: Expression) -> Expression:
    return ca.vertcat(ca.sin(alpha) * ca.cos(beta), ca.sin(beta), -ca.cos(alpha) * ca.cos(beta))


def _angles_of(d: Expression) -> tuple[Expression, Expression]:
    return ca.atan2(d[0], -d[2]), ca.asin(d[1])


def _relative_3d(absolute: Expression) -> Expression:
    R, out = ca.SX.eye(3), []
    for i in range(0, absolute.shape[0], 2):
        theta, phi = _angles_of(R.T @ _direction(absolute[i], absolute[i + 1]))
        out += [theta, phi]
        R = R @ _turn(theta, phi)
    return ca.vertcat(*out)


def _absolute_3d(relative: Expression) -> Expression:
    R, out = ca.SX.eye(3), []
    for i in range(0, relative.shape[0], 2):
        R = R @ _turn(relative[i], relative[i + 1])
        out += [*_angles_of(-R[:, 2])]
    return ca.vertcat(*out)
