"""Friction of a joint or a motor: levels of Coulomb, static and Stribeck friction, and the law that holds at rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import casadi as ca

from dalembert.core.errors import MachineError, did_you_mean
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Expression
from dalembert.core.validation import Bound, field_scalar

__all__ = ["FRICTION_LAWS", "Friction", "JointFriction"]

FRICTION_LAWS = ("smooth", "stick", "lugre")
"""Friction laws: a function of the rate, Coulomb's law with stick, or the bristles of LuGre."""

_SPEED = 1e-3


@dataclass(frozen=True)
class Friction:
    """Friction of a joint or of a motor.

    While it moves with the rate ``v``, its friction has the size (R. Stribeck, 1902; B. Armstrong-Helouvry, 1991)

        F(v) = F_c + (F_s - F_c) exp(-(v / v_s)^2),

    and ``F_c`` without a Stribeck speed ``v_s``. ``law`` says what happens at rest.

    Parameters
    ----------
    coulomb
        Kinetic friction ``F_c`` [N m or N].
    static
        Friction ``F_s`` that a load must exceed to break it away; by default ``F_c``. It is not below ``F_c``.
    stribeck
        Stribeck speed ``v_s`` [rad/s or m/s]; 0: friction falls to ``F_c`` as soon as it moves.
    viscous
        Viscous friction [N m s/rad or N s/m], in addition.
    law
        ``"stick"``: it rests until a load exceeds ``F_s``, located as an event. ``"smooth"``: the friction is
        ``F(v) tanh(v / velocity)``, which creeps under any load. ``"lugre"``: bristles, a state of each joint (C.
        Canudas de Wit and others, 1995), which creep a little under loads that vary.
    velocity
        Smoothing speed of the law ``"smooth"``.
    bristle_stiffness, bristle_damping
        ``sigma_0`` [N m/rad or N/m] and ``sigma_1`` of the law ``"lugre"``.

    Examples
    --------
    >>> import dalembert as da
    >>> rail = da.Friction(coulomb=50.0, static=60.0, stribeck=0.01)
    >>> da.Joint("x", "prismatic", "world", "trolley", axis="x", friction=rail).sticks
    True
    """

    coulomb: Scalar = 0.0
    static: Scalar | None = None
    stribeck: Scalar = 0.0
    viscous: Scalar = 0.0
    law: str = "stick"
    velocity: Scalar = _SPEED
    bristle_stiffness: Scalar | None = None
    bristle_damping: Scalar = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.law, str) or self.law not in FRICTION_LAWS:
            hint = did_you_mean(self.law, FRICTION_LAWS) if isinstance(self.law, str) else ""
            raise MachineError(f"friction has the law {self.law!r}{hint}; known laws: {', '.join(FRICTION_LAWS)}")
        for name in ("coulomb", "stribeck", "viscous", "bristle_damping"):
            value = field_scalar(getattr(self, name), f"{name.replace('_', ' ')} of friction", lower=0.0)
            object.__setattr__(self, name, value)
        velocity = field_scalar(self.velocity, "smoothing velocity of friction", lower=0.0, strict=True)
        object.__setattr__(self, "velocity", velocity)
        if self.static is not None:
            object.__setattr__(self, "static", field_scalar(self.static, "static friction", lower=0.0))
            if nominal(self.static) < nominal(self.coulomb):
                raise MachineError(
                    f"static friction must not be below the coulomb friction {nominal(self.coulomb):g}, got "
                    f"{nominal(self.static):g}"
                )
        if _given(self.stribeck) and self.static is None:
            raise MachineError("friction with a stribeck speed needs its static level; give static=")
        if self.law != "smooth" and self.velocity != _SPEED:
            raise MachineError(
                f"friction with law={self.law!r} has no smoothing velocity, got {self.velocity}; leave out velocity="
            )
        if self.law == "smooth" and self.static is not None and not _given(self.stribeck):
            raise MachineError(
                "smooth friction with a static level needs a stribeck speed; give stribeck=, or law='stick'"
            )
        if self.law == "lugre":
            if self.bristle_stiffness is None:
                raise MachineError("friction with law='lugre' needs bristle_stiffness=")
            what = "bristle stiffness of friction"
            object.__setattr__(
                self, "bristle_stiffness", field_scalar(self.bristle_stiffness, what, lower=0.0, strict=True)
            )
            if not _given(self.coulomb):
                raise MachineError("friction with law='lugre' needs coulomb= above 0")
            if self.static is not None and not _given(self.stribeck):
                raise MachineError(
                    "friction with law='lugre' and a static level needs a stribeck speed; give stribeck="
                )
        elif self.bristle_stiffness is not None or _given(self.bristle_damping):
            raise MachineError(f"friction with law={self.law!r} has no bristles; leave them out, or use law='lugre'")

    @property
    def sticks(self) -> bool:
        """Whether it holds a load at rest."""
        return self.law == "stick" and (_given(self.coulomb) or _given(self.static))

    @property
    def bristles(self) -> bool:
        """Whether it has the state of LuGre."""
        return self.law == "lugre"

    @property
    def rubs(self) -> bool:
        """Whether it has any friction besides the viscous one."""
        return _given(self.coulomb) or _given(self.static)

    @property
    def plain(self) -> bool:
        """Whether a Coulomb level and a law describe it: no static level, viscous part or bristles."""
        return self.static is None and not _given(self.viscous) and self.law != "lugre"

    def holding(self, value: Callable[[Scalar], Expression | float]) -> Expression:
        """Largest friction at rest, ``F_s``."""
        return ca.SX(value(self.coulomb if self.static is None else self.static))

    def kinetic(self, rate: Expression, value: Callable[[Scalar], Expression | float]) -> Expression:
        """Friction ``F(v)`` while it moves, without the viscous part."""
        coulomb = ca.SX(value(self.coulomb))
        if self.static is None or not _given(self.stribeck):
            return coulomb
        return coulomb + (self.holding(value) - coulomb) * ca.exp(-((rate / value(self.stribeck)) ** 2))

    def smooth(self, rate: Expression, value: Callable[[Scalar], Expression | float]) -> Expression:
        """Friction of the law ``"smooth"`` against a rate, and the viscous part of any law."""
        force = ca.SX(value(self.viscous)) * rate
        if self.law == "smooth" and self.rubs:
            force = force + self.kinetic(rate, value) * ca.tanh(rate / value(self.velocity))
        return force

    def bristle(
        self, deflection: Expression, rate: Expression, value: Callable[[Scalar], Expression | float]
    ) -> tuple[Expression, Expression]:
        """Rate of the deflection of the bristles and their force, LuGre (Canudas de Wit and others, 1995, (2), (3)).

        ``z' = v - sigma_0 |v| z / F(v)``, ``f = sigma_0 z + sigma_1 z'``.
        """
        sigma = value(self.bristle_stiffness if self.bristle_stiffness is not None else 0.0)
        change = rate - sigma * ca.fabs(rate) / self.kinetic(rate, value) * deflection
        return change, sigma * deflection + value(self.bristle_damping) * change

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars."""
        values = (getattr(self, f.name) for f in fields(self) if f.name != "law")
        return tuple(value for value in values if value is not None)

    def bounds(self, of: str) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        yield Bound(f"friction of {of}", self.coulomb)
        if self.static is not None:
            yield Bound(f"static friction beyond the coulomb friction of {of}", self.static - self.coulomb)
        for name in ("stribeck", "viscous", "bristle_damping"):
            yield Bound(f"{name.replace('_', ' ')} friction of {of}", getattr(self, name))
        yield Bound(f"friction velocity of {of}", self.velocity, strict=True)

    def map(self, change: Callable[[str, Scalar], Scalar]) -> Friction:
        """Return it with ``change(name, value)`` in the place of each scalar."""
        given = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "law"}
        changed: dict[str, Any] = {name: change(name, value) for name, value in given.items() if value is not None}
        return replace(self, **changed)


@dataclass(frozen=True)
class JointFriction:
    """All friction on a joint: its own and that of its motors, each with the ratio of its rate to that of the joint.

    Parameters
    ----------
    parts
        Ratios ``n`` and frictions: each acts on the joint with ``n f(n v)``.
    geared
        Whether a gear adds friction in proportion to the effort of its motor.
    """

    parts: tuple[tuple[Scalar, Friction], ...]
    geared: bool = False

    @property
    def sticks(self) -> bool:
        """Whether any of it holds a load at rest."""
        return self.geared or any(friction.sticks for _, friction in self.parts)

    @property
    def bristles(self) -> tuple[tuple[Scalar, Friction], ...]:
        """Parts with the law ``"lugre"``."""
        return tuple(part for part in self.parts if part[1].bristles)

    def holding(self, value: Callable[[Scalar], Expression | float]) -> Expression:
        """Largest friction at rest of the parts that stick."""
        sticking = ((n, f) for n, f in self.parts if f.sticks)
        return sum((ca.fabs(value(n)) * f.holding(value) for n, f in sticking), ca.SX(0))

    def kinetic(self, rate: Expression, value: Callable[[Scalar], Expression | float]) -> Expression:
        """Friction of the parts that stick while the joint moves."""
        sticking = ((n, f) for n, f in self.parts if f.sticks)
        return sum((ca.fabs(value(n)) * f.kinetic(value(n) * rate, value) for n, f in sticking), ca.SX(0))

    def smooth(self, rate: Expression, value: Callable[[Scalar], Expression | float]) -> Expression | None:
        """Friction that is a function of the rate; None if there is none."""
        smooth = [(n, f) for n, f in self.parts if _given(f.viscous) or (f.law == "smooth" and f.rubs)]
        if not smooth:
            return None
        return sum((value(n) * f.smooth(value(n) * rate, value) for n, f in smooth), ca.SX(0))


def _given(value: Scalar | None) -> bool:
    return value is not None and not (isinstance(value, float) and value == 0.0)
