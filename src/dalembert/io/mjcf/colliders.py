"""Geoms of a compiled model that collide, as colliders: pairs are found at run time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.collide import joined_bodies
from dalembert.io.mjcf.compiled import Compiled, unique
from dalembert.io.mjcf.geometry import PairOfGeoms, colliding_geoms, geom_kind, geom_place, static_body
from dalembert.io.mjcf.tree import Placed
from dalembert.model.body import Body
from dalembert.model.colliders import Collider
from dalembert.model.contacts import HalfSpace
from dalembert.model.joint import WORLD
from dalembert.model.machine import Machine

__all__ = ["read_colliders"]

_SAME = 1e-9
"""Deviation of a coefficient that is rounding."""


@dataclass(frozen=True)
class _Coefficients:
    """Friction, and resistance against spinning and rolling [m]."""

    friction: float
    spinning: float
    rolling: float

    def with_(self, other: _Coefficients) -> _Coefficients:
        """Return those of a pair of colliders."""
        friction = float(np.sqrt(self.friction * other.friction))
        return _Coefficients(friction, max(self.spinning, other.spinning), max(self.rolling, other.rolling))

    def differs(self, other: _Coefficients) -> bool:
        """Whether one of them is not the same."""
        pairs = ((getattr(self, k), getattr(other, k)) for k in ("friction", "spinning", "rolling"))
        return any(abs(a - b) > _SAME * max(1.0, abs(a)) for a, b in pairs)


def read_colliders(source: Compiled, tree: Placed, machine: Machine) -> Machine:
    """Return the machine, whose bodies have their geometry, with colliders of all geoms that collide in MuJoCo.

    A collider has all bodies with its coefficients; where masks or exclusions keep more pairs apart than joints do,
    each body has its own. Differences that remain are noted as left out.
    """
    if source.disabled("CONTACT") or source.disabled("CONSTRAINT"):
        return machine
    m, pairs = source.model, colliding_geoms(source)
    static = static_body(machine, tree)
    shaped = {b.name for b in machine.bodies if isinstance(b, Body) and any(g.collision for g in b.geometry)}

    def owner(g: int) -> str:
        """Body of a geom, or the name of a plane."""
        name = tree.names[int(m.geom_bodyid[g])]
        if geom_kind(source, g) == "plane":
            return f"plane {g}"
        return static if name == WORLD else name

    found: dict[str, list[_Coefficients]] = {}
    for g in range(m.ngeom):
        touches = bool(m.geom_contype[g] or m.geom_conaffinity[g]) or any(g in (p.first, p.second) for p in pairs)
        if touches and (geom_kind(source, g) == "plane" or owner(g) in shaped):
            found.setdefault(owner(g), []).append(_own(m, g))
    own = {name: _largest(values) for name, values in found.items()}
    meet = {frozenset((owner(p.first), owner(p.second))) for p in pairs}
    apart = {frozenset(names) for names in joined_bodies(machine)}
    never = _apart(list(own), meet, apart, _still(machine, static))
    _note_differences(source, pairs, own, owner)
    for both in sorted(sorted(names) for names in meet & apart):
        source.leave_out(f"contact between {both[0]!r} and {both[-1]!r}, which a joint connects")
    colliders = _made(own, never, {name: _plane(source, tree, name) for name in own if name.startswith("plane ")})
    return machine.with_(colliders=colliders) if any(c.surface is None for c in colliders) else machine


def _own(m: Any, g: int) -> _Coefficients:
    """Coefficients of a geom, as far as its contacts have them."""
    slide, spin, roll = (float(x) for x in m.geom_friction[g])
    rows = int(m.geom_condim[g])
    return _Coefficients(slide if rows > 1 else 0.0, spin if rows > 3 else 0.0, roll if rows > 4 else 0.0)


def _largest(values: Iterable[_Coefficients]) -> _Coefficients:
    """Largest coefficients of the geoms of a body."""
    rows = [(v.friction, v.spinning, v.rolling) for v in values]
    return _Coefficients(*(max(column) for column in zip(*rows, strict=True)))


def _still(machine: Machine, static: str) -> set[str]:
    return {static, *(b.name for b in machine.bodies if machine.tree.frames[b.name][0] < 0)}


def _apart(
    names: list[str], meet: set[frozenset[str]], joined: set[frozenset[str]], still: set[str]
) -> set[frozenset[str]]:
    """Pairs that never touch, other than neighbours, bodies that do not move, and the geoms of a body."""
    rests = {name for name in names if name in still or name.startswith("plane ")}
    pairs = (frozenset((a, b)) for k, a in enumerate(names) for b in names[k + 1 :] if not (a in rests and b in rests))
    return {pair for pair in pairs if pair not in meet and pair not in joined}


def _note_differences(source: Compiled, pairs: list[PairOfGeoms], own: dict[str, _Coefficients], owner: Any) -> None:
    """Note pairs of geoms whose coefficients differ from those of their colliders."""
    found = []
    for p in pairs:
        if owner(p.first) not in own or owner(p.second) not in own:
            continue
        have, want = own[owner(p.first)].with_(own[owner(p.second)]), _Coefficients(p.friction, p.spinning, p.rolling)
        if have.differs(want):
            found.append((p, have, want))
    if found:
        p, have, want = found[0]
        names = " and ".join(repr(source.name("geom", g)) for g in (p.first, p.second))
        values = ("friction", "spinning", "rolling")
        changes = [f"{k} {getattr(want, k):g} is {getattr(have, k):g}" for k in values]
        shown = ", ".join(c for c, k in zip(changes, values, strict=True) if getattr(want, k) != getattr(have, k))
        source.leave_out(f"coefficients of {len(found)} pair{'s' * (len(found) > 1)} of geoms (of {names}: {shown})")


def _plane(source: Compiled, tree: Placed, name: str) -> HalfSpace:
    g = int(name.split()[1])
    place = geom_place(source, tree, g)
    return HalfSpace(tuple(row[2] for row in place.rotation), place.translation)  # type: ignore[arg-type]


def _made(
    own: dict[str, _Coefficients], never: set[frozenset[str]], planes: dict[str, HalfSpace]
) -> tuple[Collider, ...]:
    """Return the colliders: by coefficients, or one for each body where some pairs never touch."""
    groups: dict[str, list[str]] = {}
    kinds = list(dict.fromkeys(value for name, value in own.items() if name not in planes))
    for name, value in own.items():
        alone = name in planes or never
        groups.setdefault(name if alone else f"geoms{kinds.index(value) or ''}", []).append(name)
    labels = dict(zip(groups, unique([_label(name, planes) for name in groups]), strict=True))
    colliders = []
    for name, members in groups.items():
        value = own[members[0]]
        ignores = tuple(labels[other] for other in groups if never and frozenset((name, other)) in never)
        settings: dict[str, Any] = {"friction": value.friction, "spinning": value.spinning, "rolling": value.rolling}
        where: dict[str, Any] = {"surface": planes[name]} if name in planes else {"bodies": tuple(members)}
        colliders.append(Collider(labels[name], ignores=ignores, **where, **settings))
    return tuple(colliders)


def _label(name: str, planes: dict[str, HalfSpace]) -> str:
    return "plane" if name in planes else name
