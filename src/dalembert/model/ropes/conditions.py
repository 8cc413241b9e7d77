"""Conditions under which a rope has a route: lines between its wheels, wraps that are positive, rope on its drums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.model.ropes.elements import Drum, RopeObstacle
from dalembert.model.ropes.route import Condition, WrappedWheel

if TYPE_CHECKING:
    from dalembert.model.ropes.routing import Routing

__all__ = ["conditions", "doubts"]

_FARTHEST = 3.0  # angle from the zero direction up to which arcs are known at the start: beyond half a turn they jump
_WITHIN = np.pi - 0.05  # the same from the centre of a turn
_SHORTEST = 1e-3  # free line, as part of the radii at its ends, below which tensions grow beyond bounds
_ASIDE = 1e-6  # distance between the planes of two wheels, as part of their radii, from which on these pass each other
_CONVERGED = 1e-9  # error of a point of contact, as part of the distance, at which it is none any more


def conditions(way: Routing, wraps: dict[int, WrappedWheel]) -> Iterator[Condition]:
    """Yield the conditions under which the route exists, which has wheels that it wraps around."""
    rope, path, n = way.rope, way.rope.path, len(way.rope.path)
    for k, line in enumerate(way.lines):
        a, b = path[k], path[(k + 1) % n]
        if line.out is not None and line.into is not None:
            message = f"{a.what} and {b.what} of rope '{rope.name}' overlap or touch: there is no tangent between them"
        else:
            wheel, point = (a, b) if line.out is not None else (b, a)
            message = f"{point.what} of rope '{rope.name}' is inside {wheel.what}, or touches it"
        radii = [w.radius for w in (way.wheels[k], way.wheels[(k + 1) % n]) if w.radius is not None]
        if line.out is not None or line.into is not None:
            least = (_SHORTEST * sum(radii, ca.SX(0))) ** 2
            event = f"{a.label}.overlap" if line.out is not None else f"{b.label}.inside"
            yield Condition(f"{rope.name}.{event}", line.clear - least, message, passes=True)
        if line.error is not None:
            message = f"no line from {a.what} to {b.what} of rope '{rope.name}' was found that touches both"
            yield Condition(f"{rope.name}.{a.label}.tangent", _CONVERGED * line.length - line.error, message)
    for k in range(n):
        zero = way.counted.get(f"{rope.name}.{path[k].label}.zero")
        if zero is not None and way.wheels[k].axis is not None and (path[k].cuts or rope.elastic):
            yield Condition(
                f"{rope.name}.{path[k].label}.lap",
                _FARTHEST - ca.fabs(zero.angle - zero.centre),
                f"rope '{rope.name}' touches {path[k].what} almost opposite of its zero direction, up to which its "
                "arc counts; give a 'zero' nearer to where the rope touches it",
            )
    for k, side in way.sides.items():
        yield Condition(
            f"{rope.name}.{path[k].label}.side",
            side,
            f"rope '{rope.name}' meets {path[k].what} from the other side, where it would run clockwise about it",
        )
    for k in (0, n - 1) if not rope.closed else ():
        element = path[k]
        if isinstance(element, Drum) and element.layers is not None:
            turns = way.wound(k, way.wheels[k].carrier, np.array(way.wheels[k].direction))
            room = element.layers.count * way.context.value(element.layers.turns) - turns
            what = f"{element.what} of rope '{rope.name}'"
            yield Condition(f"{rope.name}.{element.label}.empty", turns, f"{what} is empty: no turn is left on it")
            yield Condition(
                f"{rope.name}.{element.label}.full", room, f"{what} is full: it takes no more turns of rope"
            )
    for k, wrap in wraps.items():
        element = path[k]
        if isinstance(element, RopeObstacle):
            continue
        yield Condition(
            f"{rope.name}.{wrap.name}.leave",
            wrap.arc.angle,
            f"rope '{rope.name}' leaves {element.what}: it does not run counter-clockwise about its axis; turn the "
            f"axis round, or give turns: {int(element.turns) + 1} if the rope goes round once more",
        )
        if rope.elastic:  # runs count the turns of inextensible ropes only
            turn = way.counted[f"{rope.name}.{wrap.name}"]
            yield Condition(
                f"{rope.name}.{wrap.name}.turn",
                _WITHIN - ca.fabs(turn.angle - turn.centre),
                f"the wrap of rope '{rope.name}' on {element.what} leaves the turn between "
                f"{int(element.turns) * 360 - 90} and {int(element.turns) * 360 + 270} degrees: turns of elastic ropes "
                "are not counted; give other 'turns', or leave out the stiffness",
            )


def doubts(way: Routing) -> Iterator[Condition]:
    """Yield what a route does not need, but a machine: room for neighbouring wheels that the rope rounds alike."""
    rope, path, n = way.rope, way.rope.path, len(way.rope.path)
    for k in range(len(way.lines)):
        a, b = path[k], path[(k + 1) % n]
        first, second = way.wheels[k], way.wheels[(k + 1) % n]
        if any(isinstance(x, RopeObstacle) for x in (a, b)) or first.axis is None or first.sense_along(second) != 1:
            continue
        assert first.radius is not None and second.radius is not None
        d, reach = second.centre - first.centre, first.radius + second.radius
        aside = ca.dot(d, first.axis)
        between = ca.norm_2(d - aside * first.axis)
        yield Condition(
            f"{rope.name}.{a.label}.crowded",
            ca.fmax(between - (1 - _ASIDE) * reach, ca.fabs(aside) - _ASIDE * reach),
            f"{a.what} and {b.what} of rope '{rope.name}' overlap in their plane: the rope runs between them as if one "
            "were beside the other",
        )
