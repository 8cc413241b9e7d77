"""A rope: its path, length and elasticity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, depends_on_time, nominal
from dalembert.core.validation import Bound, check_name, field_scalar
from dalembert.model.context import MachineContext
from dalembert.model.ropes.axes import NeutralContext
from dalembert.model.ropes.elements import Anchor, Drum, Guide, PathElement, RopeObstacle, Sheave
from dalembert.model.ropes.route import RopeBase, Route
from dalembert.model.ropes.routing import Routing

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["Rope"]


@dataclass(frozen=True)
class Rope(RopeBase):
    """A rope over sheaves, which pulls, or is slack; or a heavy cable between two anchors.

    Its path begins and ends at an anchor or a drum, and leads over sheaves and guides. The rope runs counter-clockwise
    about the axis of each of them. Sheaves with teeth cut it into sections, which have separate tensions and
    lengths; over an ideal sheave the tension is the same on both sides.

    Parameters
    ----------
    name
        Unique name; it names the tensions.
    path
        `Anchor`, `Drum`, `Sheave`, `Guide` and `RopeObstacle` elements in the order in which the rope runs.
    length
        Unstretched length, when drums are at angle zero; without a drum it may depend on time. None: the one that makes
        the rope taut at the start of a run, or in the neutral configuration if it is elastic.
    stiffness
        Axial stiffness EA [N]; None: the rope is inextensible.
    damping
        Axial damping EA' [N s] of an elastic rope, on its rate of strain.
    pretension
        Tension of an elastic rope without given length in the neutral configuration.
    closed
        Whether the last element of the path is followed by the first: a belt. It has sheaves and guides only.
    weight
        Weight per unstretched length [N/m] of an elastic cable between two anchors, which then sags: an elastic
        catenary at every instant, without inertia. It acts along gravity, or along -z where there is none.

    Examples
    --------
    >>> import dalembert as da
    >>> fall = da.Rope("fall", [da.Drum("winch", 0.2), da.Sheave("block", 0.1, "y"), da.Anchor("beam")])
    >>> fall.tension_names
    ('fall[0]', 'fall[1]')
    """

    name: str
    path: tuple[PathElement, ...]
    length: Scalar | None = None
    stiffness: Scalar | None = None
    damping: Scalar = 0.0
    pretension: Scalar = 0.0
    closed: bool = False
    weight: Scalar = 0.0

    bilateral = False

    def __post_init__(self) -> None:
        name, set_ = check_name(self.name, "rope"), object.__setattr__
        if isinstance(self.path, str) or not isinstance(self.path, Iterable):
            raise MachineError(f"path of rope '{name}' must be a list of its elements, got {self.path!r}")
        set_(self, "path", tuple(self.path))
        for element in self.path:
            if not isinstance(element, PathElement):
                kinds = "Anchor, Drum, Sheave, Guide and RopeObstacle"
                raise MachineError(f"path of rope '{name}' must be a list of {kinds}, got {element!r}")
        if not isinstance(self.closed, bool):
            raise MachineError(f"'closed' of rope '{name}' must be true or false, got {self.closed!r}")
        self._check_path()
        has_drum = any(isinstance(element, Drum) for element in self.path)
        if self.length is not None:
            what = f"length of rope '{name}'"
            set_(self, "length", field_scalar(self.length, what, time=not has_drum))
            if not nominal(self.length) > 0.0 and not has_drum:
                raise MachineError(f"{what} must be > 0, got {nominal(self.length):g}")
        if self.stiffness is not None:
            what = f"axial stiffness of rope '{name}'"
            set_(self, "stiffness", field_scalar(self.stiffness, what, lower=0.0, strict=True))
        set_(self, "damping", field_scalar(self.damping, f"damping of rope '{name}'", lower=0.0))
        set_(self, "pretension", field_scalar(self.pretension, f"pretension of rope '{name}'", lower=0.0))
        if self.stiffness is None:
            for what in ("damping", "pretension"):
                if getattr(self, what) != 0.0:
                    raise MachineError(f"rope '{name}' is inextensible: it takes no {what}")
        elif self.pretension != 0.0 and self.length is not None:
            raise MachineError(f"rope '{name}' has a length: it takes no pretension, which would set it")
        self._check_indeterminate()
        set_(self, "weight", field_scalar(self.weight, f"weight of rope '{name}'", lower=0.0))
        if self.heavy:
            self._check_heavy(
                "rope", (f"{element.what} in its path" for element in self.path if not isinstance(element, Anchor))
            )

    def _check_path(self) -> None:
        name, path = self.name, self.path
        ends = () if self.closed else (path[0], path[-1]) if path else ()
        if len(path) < 2:
            raise MachineError(f"path of rope '{name}' must have two elements or more, got {len(path)}")
        for element in ends:
            if not isinstance(element, Anchor | Drum):
                raise MachineError(f"path of rope '{name}' must begin and end at an anchor or drum, got {element.what}")
        for element in path if self.closed else path[1:-1]:
            if not isinstance(element, Sheave | Guide | RopeObstacle):
                where = "has no ends" if self.closed else "has anchors and drums at its ends only"
                raise MachineError(f"rope '{name}' {where}, got {element.what} in its path")
        for first, second in pairwise([*path, path[0]] if self.closed else path):
            if isinstance(first, RopeObstacle) and isinstance(second, RopeObstacle):
                raise MachineError(
                    f"rope '{name}' has {first.what} and {second.what} next to each other, of which either may come "
                    "first; lead it over a guide between them"
                )
        labels = [element.label for element in self.path if not isinstance(element, Anchor)]
        for label in labels:
            if labels.count(label) > 1:
                raise MachineError(
                    f"rope '{name}' has {labels.count(label)} elements named '{label}'; give them different names"
                )

    def _check_indeterminate(self) -> None:
        passed = [element.what for element in self.path if isinstance(element, RopeObstacle)]
        for element in self.path:
            if isinstance(element, RopeObstacle) and element.axis is None and element.rubs:
                raise MachineError(
                    f"{element.what} of rope '{self.name}' is a sphere, on which the rope slides sideways, too: its "
                    "friction is not supported; give the axis of a cylinder, or leave out its friction"
                )
        if passed and self.elastic:
            raise MachineError(f"rope '{self.name}' is elastic: {passed[0]} is not supported for elastic ropes")
        if self.length is not None and depends_on_time(self.length) and len(self.section_names) > 1:
            raise MachineError(f"length of rope '{self.name}' must not depend on time: teeth cut it into sections")
        if self.length is not None and self.elastic and len(self.section_names) > 1:
            raise MachineError(
                f"rope '{self.name}' is elastic and cut by teeth: give its pretension, from which each section has its "
                "length, instead of the length of the whole"
            )
        if self.closed and self.length is None and self.stiffness is not None and self.pretension == 0.0:
            raise MachineError(f"rope '{self.name}' is closed: give its pretension, or its unstretched length")
        toothed = [element.what for element in self.path if isinstance(element, Sheave) and element.teeth]
        rubbing = [element.what for element in self.path if element.rubs]
        if self.closed and self.stiffness is None and len(toothed) + len(rubbing) > 1:
            first, second = (*toothed, *rubbing)[:2]
            raise MachineError(
                f"rope '{self.name}' is closed, inextensible and drives both {first} and {second}: its tensions are "
                "indeterminate; give its stiffness"
            )

    @property
    def frames(self) -> tuple[str, ...]:
        """Frames that it refers to."""
        return tuple(frame for element in self.path for frame in element.frames)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints whose coordinate it refers to."""
        return tuple(joint for element in self.path for joint in element.joints)

    @property
    def rheonomous(self) -> bool:
        """Whether its length or a position on its path depends on time."""
        lengths = () if self.length is None else (self.length,)
        return any(depends_on_time(x) for x in lengths) or any(element.rheonomous for element in self.path)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the rope."""
        own = [x for x in (self.length, self.stiffness) if x is not None]
        own.append(self.weight)
        return (*(x for element in self.path for x in element.scalars), self.damping, self.pretension, *own)

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        for element in self.path:
            yield from element.bounds()
        yield Bound(f"damping of rope '{self.name}'", self.damping)
        yield Bound(f"pretension of rope '{self.name}'", self.pretension)
        if self.heavy:
            yield Bound(f"weight of rope '{self.name}'", self.weight, strict=True)
        if self.stiffness is not None:
            yield Bound(f"axial stiffness of rope '{self.name}'", self.stiffness, strict=True)

    @property
    def cuts(self) -> tuple[int, ...]:
        """Places in the path at which the rope is fixed."""
        return tuple(k for k, element in enumerate(self.path) if element.cuts)

    @property
    def rubbing(self) -> tuple[PathElement, ...]:
        """Elements with friction or losses."""
        return tuple(element for element in self.path if element.rubs)

    @property
    def bearings(self) -> tuple[str, ...]:
        """Names of the bearings of turning sheaves with losses."""
        turning = (element for element in self.path if isinstance(element, Sheave) and element.has_bearing)
        return tuple(f"{self.name}.{element.label}.bearing" for element in turning)

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of the angles that runs count over turns, of an inextensible rope on its wheels."""
        if self.elastic:
            return ()
        inner = self.path if self.closed else self.path[1:-1]
        wraps = [e.label for e in inner if e.axis is not None]
        zeros = [f"{e.label}.zero" for e in self.path if e.cuts and not isinstance(e, Anchor)]
        return tuple(f"{self.name}.{name}" for name in (*wraps, *zeros))

    @property
    def section_names(self) -> tuple[str, ...]:
        """Names of its sections: its own, or numbered."""
        count = max(len(self.cuts), 1) if self.closed else len(self.cuts) - 1
        return (self.name,) if count == 1 else tuple(f"{self.name}[{k}]" for k in range(count))

    @property
    def tension_names(self) -> tuple[str, ...]:
        """Names of the tensions of its spans."""
        return tuple(f"{self.name}[{k}]" for k in range(len(self.path) - (not self.closed)))

    def route(self, context: MachineContext) -> Route:
        """Where it runs."""
        return self._with_sag(Routing(self, context).route(), context)

    def ends(self, context: MachineContext) -> tuple[ca.SX, ca.SX]:
        """Places of the anchors of a heavy one."""
        points = []
        for anchor in (self.path[0], self.path[-1]):
            R, p = context.pose(anchor.on)
            points.append(p + R @ ca.vertcat(*[context.value(x) for x in anchor.at]))
        return points[0], points[1]

    def check_wheels(self, machine: Machine) -> None:
        """Refuse wheels that do not turn about their axes, and arcs on drums that begin nowhere."""
        self.route(NeutralContext(machine))
