"""Constraints between frames and between coordinates: they close loops of a tree, join bodies, prescribe motion.

Kinds of constraint are one module each; `CONSTRAINT_KINDS` is their register. A new kind is a module with a subclass of
`Constraint` and one line here, or a class of the user's with the decorator `register_constraint`;
``model/constraints/kind.py`` has the contract. ``formulations/constraints`` differentiates its rows. A constraint with
``switchable=True`` can be added and removed during a run (`Switch`), which never compiles anything.
"""

from inspect import isabstract
from typing import TypeVar

from dalembert.core.errors import MachineError
from dalembert.model.constraints.ball import BallConstraint
from dalembert.model.constraints.distance import DistanceConstraint
from dalembert.model.constraints.gear import GearConstraint
from dalembert.model.constraints.kind import Constraint, FramePair, RelativeRates, RowContext, Rubbing
from dalembert.model.constraints.loop import LoopConstraint
from dalembert.model.constraints.motion import MotionConstraint
from dalembert.model.constraints.orthogonal import OrthogonalConstraint
from dalembert.model.constraints.parallel import ParallelConstraint
from dalembert.model.constraints.weld import WeldConstraint
from dalembert.model.register import add_kind, check_registered

__all__ = [
    "CONSTRAINT_KINDS",
    "BallConstraint",
    "Constraint",
    "DistanceConstraint",
    "FramePair",
    "GearConstraint",
    "LoopConstraint",
    "MotionConstraint",
    "OrthogonalConstraint",
    "ParallelConstraint",
    "RelativeRates",
    "RowContext",
    "Rubbing",
    "WeldConstraint",
    "check_constraint_kind",
    "register_constraint",
]

CONSTRAINT_KINDS: dict[str, type[Constraint]] = {
    kind.key: kind
    for kind in (
        BallConstraint,
        DistanceConstraint,
        WeldConstraint,
        ParallelConstraint,
        OrthogonalConstraint,
        LoopConstraint,
        GearConstraint,
        MotionConstraint,
    )
}

C = TypeVar("C", bound=type[Constraint])


def register_constraint(kind: C) -> C:
    """Register a kind of constraint, so that machines and machine files take it: a decorator of its class.

    Parameters
    ----------
    kind
        A frozen dataclass that inherits `Constraint` or `FramePair`, with a ``key`` and ``rows``.
    """
    if not (isinstance(kind, type) and issubclass(kind, Constraint)):
        raise MachineError(f"a kind of constraint must inherit dalembert.model.Constraint, got {kind!r}")
    if isabstract(kind):
        raise MachineError(f"{kind.__name__} must define rows(context), its equations Phi = 0")
    if kind.holds_pose is not Constraint.holds_pose and not issubclass(kind, FramePair):
        raise MachineError(f"{kind.__name__} holds a pose: it must inherit dalembert.model.FramePair")
    add_kind(CONSTRAINT_KINDS, kind, "constraint")
    return kind


def check_constraint_kind(constraint: Constraint) -> None:
    """Refuse a constraint of a kind that is not registered."""
    what = f"constraint '{constraint.name}'"
    check_registered(CONSTRAINT_KINDS, type(constraint), what, "constraint", "register_constraint")
