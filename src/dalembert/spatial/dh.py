"""Denavit-Hartenberg tables in three conventions, and conversion between them (SPACE, Appendix A.1).

With Z(theta, d) a rotation about and a translation along z, and X(a, alpha) the same about x, a row stands
for

    classic    Z(theta, d) X(a, alpha)                                       SPACE A.1.1
    modified   X(a, alpha) Z(theta, d)             Khalil                    SPACE A.1.2
    adapted    Trans(d, z) X(a, alpha) Rot(theta, z)                         SPACE A.1.3

The joint of a classic row moves about or along the z axis of the frame *before* the row, so that its variable
is added to theta (revolute) or d (prismatic). The joint of a modified or an adapted row moves about or along
the z axis of the frame *after* it. In the adapted convention d belongs to the axis of the joint before; a
prismatic variable is therefore a translation after the row, and the frame stays at the base of its segment.

All three write the same product of alternating factors,

    ... Z X | Z_1 X_1 Z_2 X_2 ... Z_n | X_n Z X ...

in which Z_i carries joint i; they differ in where they cut it into rows. A conversion therefore moves entries
from row to row and computes nothing: [alpha_i+1, a_i+1, d_i+1, theta_i+1] modified = [alpha_i, a_i, d_i+1,
theta_i+1] classic, and [d_i+1, a_i+1, alpha_i+1, theta_i+1] adapted = [d_i, a_i, alpha_i, theta_i+1] classic.
The remaining transforms at the ends become fixed rows before the first and after the last joint: the base and the tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array
from dalembert.core.validation import check_angle, field_scalar

__all__ = ["CONVENTIONS", "DHRow", "DHTable"]

CONVENTIONS = ("classic", "modified", "adapted")
KINDS = ("revolute", "prismatic")


@dataclass(frozen=True)
class DHRow:
    """A row: angle and offset along z, length and twist along x, and the kind of its joint.

    Parameters
    ----------
    theta, d, a, alpha
        Parameters [rad, m, m, rad]; they may be `Parameter`s. The joint's variable is added to ``theta`` or
        ``d``.
    kind
        ``"revolute"`` or ``"prismatic"``; of no meaning in the rows of base and tool, which are fixed.
    """

    theta: Scalar = 0.0
    d: Scalar = 0.0
    a: Scalar = 0.0
    alpha: Scalar = 0.0
    kind: str = "revolute"

    def __post_init__(self) -> None:
        for name in ("theta", "d", "a", "alpha"):
            object.__setattr__(self, name, field_scalar(getattr(self, name), f"{name} of a DH row"))
        for name in ("theta", "alpha"):
            check_angle(getattr(self, name), f"{name} of a DH row")
        if self.kind not in KINDS:
            raise MachineError(f"the kind of a DH row must be one of {', '.join(KINDS)}, got {self.kind!r}")

    @property
    def is_identity(self) -> bool:
        """Whether the row moves nothing."""
        return all(isinstance(x, float) and x == 0.0 for x in (self.theta, self.d, self.a, self.alpha))


_Pair = tuple[Scalar, Scalar]  # theta and d of a Z, a and alpha of an X
_NOTHING: _Pair = (0.0, 0.0)


@dataclass(frozen=True)
class DHTable:
    """A serial chain as a table.

    Parameters
    ----------
    convention
        ``"classic"``, ``"modified"`` or ``"adapted"``.
    rows
        One row per joint: `DHRow` objects, or (theta, d, a, alpha) with an optional kind.
    base, tool
        Fixed rows before the first and after the last joint, in the same convention.

    Examples
    --------
    A planar arm with two links of 1 m:

    >>> arm = DHTable("classic", [(0, 0, 1, 0), (0, 0, 1, 0)])
    >>> arm.to("modified").rows[1].a, arm.to("modified").tool[0].a
    (1.0, 1.0)
    >>> arm.pose([0, 0])[:3, 3].tolist()
    [2.0, 0.0, 0.0]
    """

    convention: str
    rows: tuple[DHRow, ...]
    base: tuple[DHRow, ...] = ()
    tool: tuple[DHRow, ...] = ()

    def __post_init__(self) -> None:
        _check_convention(self.convention)
        for field in ("rows", "base", "tool"):
            listed = getattr(self, field)
            if isinstance(listed, DHRow | str) or not isinstance(listed, Sequence | np.ndarray):
                raise MachineError(f"{field} of a DH table must be a list of rows, got {listed!r}")
            rows = tuple(_row(row, f"row {i + 1} in {field} of a DH table") for i, row in enumerate(listed))
            object.__setattr__(self, field, rows)
        if not self.rows:
            raise MachineError("a DH table must have at least one row")

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kind of each joint."""
        return tuple(row.kind for row in self.rows)

    def to(self, convention: str) -> DHTable:
        """Return the table of the same chain in another convention: the same pose of the tool for every q."""
        _check_convention(convention)
        if convention == self.convention:
            return self
        return _cut(_line(self), convention, self.kinds)

    def frames(self, q: ArrayLike) -> Array:
        """Poses of base, each row's frame and tool for the variables ``q``: (n + 2, 4, 4)."""
        try:
            q = np.asarray(q, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"q of a DH table must be numbers, got {q!r}") from None
        if q.shape != (len(self.rows),):
            raise InputError(f"q must have the shape ({len(self.rows)},), got {q.shape}")
        if not np.isfinite(q).all():
            raise InputError(f"q of a DH table must be finite, got {q.tolist()}")
        pose = np.eye(4)
        for row in self.base:
            pose = pose @ self._matrix(row)
        poses = [pose]
        for row, x in zip(self.rows, q, strict=True):
            motion = _z(x, 0.0) if row.kind == "revolute" else _z(0.0, x)
            fixed = self._matrix(row)
            pose = pose @ motion @ fixed if self.convention == "classic" else pose @ fixed @ motion
            poses.append(pose)
        for row in self.tool:
            pose = pose @ self._matrix(row)
        return np.array([*poses, pose])

    def pose(self, q: ArrayLike) -> Array:
        """Pose of the tool for the variables ``q``, at the nominal parameters: (4, 4)."""
        return self.frames(q)[-1]

    def _matrix(self, row: DHRow) -> Array:
        theta, d, a, alpha = (nominal(x) for x in (row.theta, row.d, row.a, row.alpha))
        if self.convention == "classic":
            return _z(theta, d) @ _x(a, alpha)
        if self.convention == "modified":
            return _x(a, alpha) @ _z(theta, d)
        return _z(0.0, d) @ _x(a, alpha) @ _z(theta, 0.0)


def _check_convention(convention: object) -> None:
    if convention not in CONVENTIONS:
        known = ", ".join(CONVENTIONS)
        raise MachineError(f"the convention of a DH table must be one of {known}, got {convention!r}")


def _row(row: object, what: str) -> DHRow:
    if isinstance(row, DHRow):
        return row
    values = list(row) if isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) else []
    if len(values) not in (4, 5):
        raise MachineError(f"{what} must be (theta, d, a, alpha) with an optional kind, got {row!r}")
    try:
        return DHRow(*values)
    except MachineError as error:
        raise MachineError(f"{what}: {error}") from None


def _z(theta: float, d: float) -> Array:
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[c, -s, 0.0, 0.0], [s, c, 0.0, 0.0], [0.0, 0.0, 1.0, d], [0.0, 0.0, 0.0, 1.0]])


def _x(a: float, alpha: float) -> Array:
    c, s = np.cos(alpha), np.sin(alpha)
    return np.array([[1.0, 0.0, 0.0, a], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]])


@dataclass(frozen=True)
class _Line:
    """The product X_0 Z_0 X_1 Z_1 ... of a table; Z of the index ``first`` carries the first joint."""

    x: list[_Pair]
    z: list[_Pair]
    first: int


def _line(table: DHTable) -> _Line:
    rows = (*table.base, *table.rows, *table.tool)
    first = len(table.base)
    x: list[_Pair] = [(r.a, r.alpha) for r in rows]
    z: list[_Pair] = [(r.theta, r.d) for r in rows]
    if table.convention == "classic":
        return _Line([_NOTHING, *x], [*z, _NOTHING], first)
    if table.convention == "modified":
        return _Line(x, z, first)
    # Trans(d) of a row stands right after Rot(theta) of the row before: together they are one Z.
    theta = [0.0, *(r.theta for r in rows)]
    d = [*(r.d for r in rows), 0.0]
    return _Line([_NOTHING, *x], list(zip(theta, d, strict=True)), first + 1)


def _cut(line: _Line, convention: str, kinds: tuple[str, ...]) -> DHTable:
    first, x, z = line.first, line.x, line.z
    if convention == "classic":
        rows = [DHRow(*zi, *xi) for zi, xi in zip([_NOTHING, *z], [*x, _NOTHING], strict=True)]
        first += 1
    elif convention == "modified":
        rows = [DHRow(*zi, *xi) for zi, xi in zip(z, x, strict=True)]
    else:
        theta = [*(zi[0] for zi in z), 0.0]
        d = [0.0, *(zi[1] for zi in z)]
        rows = [DHRow(*row) for row in zip(theta, d, *zip(*x, _NOTHING, strict=True), strict=True)]
    last = first + len(kinds)
    joints = (replace(row, kind=kind) for row, kind in zip(rows[first:last], kinds, strict=True))
    base, tool = (tuple(row for row in end if not row.is_identity) for end in (rows[:first], rows[last:]))
    return DHTable(convention, tuple(joints), base, tool)
