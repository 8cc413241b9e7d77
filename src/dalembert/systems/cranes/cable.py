"""Link data of a lumped-mass cable: masses at the nodes, lengths, elasticity, bending (CRANE sections 2, 4.3, 7, 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import field_scalar

__all__ = ["LumpedCable", "uniform_cable"]

LUMPINGS = ("trapezoid", "nodes")


@dataclass(frozen=True)
class LumpedCable:
    """N links in series; link ``i`` ends at node ``A_i``, which carries the mass ``m_i``.

    A number given for a field of several links stands for all of them.

    Parameters
    ----------
    masses
        Masses ``m_1 .. m_N`` at the nodes; the last one is the payload (with its share of the cable).
    lengths
        Lengths ``l_1 .. l_N``; of elastic links, the lengths at rest ``l_{i,r}``.
    axial_stiffness, axial_damping
        Springs ``k_i`` and dampers ``c_i`` along the links (CRANE 192, 193); no stiffness: inextensible links.
    bending_stiffness, bending_damping
        Angular springs ``kappa_0 .. kappa_{N-1}`` and dampers at ``A_0 .. A_{N-1}`` (CRANE 87).
    link_masses
        Masses of the links themselves, as homogeneous slender rods (CRANE 8.1); zero: all mass is at the nodes.
    top_mass
        Share of the cable that moves with the trolley.
    """

    masses: Sequence[Scalar]
    lengths: Sequence[Scalar]
    axial_stiffness: Any = 0.0
    axial_damping: Any = 0.0
    bending_stiffness: Any = 0.0
    bending_damping: Any = 0.0
    link_masses: Any = 0.0
    top_mass: Scalar = 0.0

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        n = len(_listed(self.masses, "masses of a cable"))
        if n == 0:
            raise MachineError("a cable must have at least one link, got none")
        set_(self, "lengths", _each(self.lengths, n, "length", strict=True))
        for field in ("axial_stiffness", "axial_damping", "bending_stiffness", "bending_damping", "link_masses"):
            what = "mass" if field == "link_masses" else field.replace("_", " ")
            set_(self, field, _each(getattr(self, field), n, what))
        set_(self, "masses", _each(self.masses, n, "node mass"))
        set_(self, "top_mass", field_scalar(self.top_mass, "the cable's share of the trolley", lower=0.0))
        stiff = [nominal(k) > 0 for k in self.axial_stiffness]
        if any(stiff) and not all(stiff):
            raise MachineError(
                "all links of a cable are elastic or none is, got the axial stiffness 0 at link "
                f"{stiff.index(False) + 1}"
            )
        for i, (node, link) in enumerate(zip(self.masses, self.link_masses, strict=True), start=1):
            if nominal(node) + nominal(link) <= 0:
                raise MachineError(
                    f"node A{i} of the cable must have a mass > 0, got 0: without it the mass matrix is singular "
                    "(CRANE, Lemma 1 item 8); give the cable a mass, or use fewer links"
                )

    @property
    def n(self) -> int:
        """Number of links."""
        return len(self.masses)

    @property
    def is_elastic(self) -> bool:
        """Whether the links stretch."""
        return nominal(self.axial_stiffness[0]) > 0

    @property
    def has_rods(self) -> bool:
        """Whether links have masses."""
        return any(nominal(m) > 0 for m in self.link_masses)


def uniform_cable(
    n: int,
    length: Scalar,
    *,
    payload: Scalar,
    mass: Scalar = 0.0,
    stiffness: Scalar = 0.0,
    damping: Scalar = 0.0,
    bending_stiffness: Scalar = 0.0,
    bending_damping: Scalar = 0.0,
    clamped: bool = False,
    rods: bool = False,
    lumping: str = "trapezoid",
) -> LumpedCable:
    """Link data of a homogeneous cable cut into ``n`` equal links.

    Parameters
    ----------
    n
        Number of links.
    length, mass
        Length and mass of the whole cable.
    payload
        Mass at its end.
    stiffness, damping
        Stiffness and damping of the whole cable in tension: ``E A / L`` [N/m] and its damper [N s/m]. ``n`` links in
        series have ``n`` times as much each.
    bending_stiffness, bending_damping
        ``E I`` [N m2] and its damping [N m2 s]: a joint between links of length ``l`` has the angular stiffness
        ``E I / l``.
    clamped
        Whether the joint at the trolley resists bending too (twice as much: half a link bends there).
    rods
        Links as homogeneous rigid rods (CRANE 8.1) instead of lumped masses.
    lumping
        ``"trapezoid"``: half of each link's mass at either of its ends, so that frequencies converge with ``1/n^2``;
        ``"nodes"``: all of it at its lower end, equal masses at the nodes as in CRANE 8.3 and one more with the
        payload, which converges with ``1/n``.

    Examples
    --------
    >>> cable = uniform_cable(4, 8.0, payload=100.0, mass=8.0)
    >>> cable.masses, cable.top_mass
    ((2.0, 2.0, 2.0, 101.0), 1.0)
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise MachineError(f"the number of links of a cable must be an integer >= 1, got {n!r}")
    if lumping not in LUMPINGS:
        raise MachineError(f"the lumping of a cable must be one of {', '.join(LUMPINGS)}, got {lumping!r}")
    if rods and lumping != LUMPINGS[0]:
        raise MachineError(f"rods keep their mass along their length: expected no lumping, got {lumping!r}")
    n = int(n)
    total = field_scalar(mass, "the mass of a cable", lower=0.0)
    load = field_scalar(payload, "the payload of a cable", lower=0.0)
    L = field_scalar(length, "the length of a cable", lower=0.0, strict=True)
    K = field_scalar(stiffness, "the stiffness of a cable", lower=0.0)
    c = field_scalar(damping, "the damping of a cable", lower=0.0)
    EI = field_scalar(bending_stiffness, "the bending stiffness of a cable", lower=0.0)
    eta = field_scalar(bending_damping, "the bending damping of a cable", lower=0.0)
    link, l = total / n, L / n
    masses: list[Scalar]
    links: Scalar = 0.0
    top: Scalar = 0.0
    ends = [2.0 if clamped else 0.0] + [1.0] * (n - 1)
    if rods:
        masses, links = [0.0] * (n - 1) + [load], link
    elif lumping == "nodes":
        masses = [link] * (n - 1) + [link + load]
    else:
        masses, top = [link] * (n - 1) + [link / 2 + load], link / 2
    return LumpedCable(
        masses=masses,
        lengths=[l] * n,
        axial_stiffness=K * n,
        axial_damping=c * n,
        bending_stiffness=[EI / l * e for e in ends],
        bending_damping=[eta / l * e for e in ends],
        link_masses=links,
        top_mass=top,
    )


def _listed(value: Any, what: str) -> list[Any]:
    if isinstance(value, str | bytes | dict) or not isinstance(value, Iterable):
        raise MachineError(f"the {what} must be a list of numbers, got {value!r}")
    return list(value)


def _each(value: Any, n: int, what: str, *, strict: bool = False) -> tuple[Scalar, ...]:
    """One scalar per link; a single one stands for all."""
    many = isinstance(value, Iterable) and not isinstance(value, str | bytes | dict)
    items = list(value) if many else [value] * n
    if len(items) != n:
        raise MachineError(f"the {what} of a cable of {n} links must be one number or {n}, got {len(items)}")
    return tuple(
        field_scalar(x, f"the {what} of link {i} of a cable", lower=0.0, strict=strict)
        for i, x in enumerate(items, start=1)
    )
