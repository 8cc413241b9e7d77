"""The computed quantities of the benchmark and their states: the same for all contenders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.benchmarks.machines import chain
from dalembert.benchmarks.peers.pinocchio_model import pinocchio_model
from dalembert.benchmarks.robots import ROBOTS, robot_machine, robot_pinocchio
from dalembert.compile import Kernel
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive

__all__ = ["MACHINES", "QUANTITIES", "Case", "Contender", "Quantity", "Skipped", "make_case"]


TWO_LINK = "two-link"
MACHINES = (TWO_LINK, *ROBOTS)
"""Names of the topic ``arms``: a chain of two links, small enough for symbolic formulas, and the published robots."""


@dataclass(frozen=True)
class Quantity:
    """Something to compute from a state.

    Parameters
    ----------
    key, title
        Its name on the command line and in tables.
    function
        Its name in the equations of motion.
    inputs
        Its arguments: q, v, and a force ``tau`` or an acceleration ``a``.
    parts
        Number of results; the matrices of the derivatives are three.
    matrices
        Whether the results are matrices. A compiled loop then leaves them in one place, as Pinocchio does; vectors are
        kept, one for each state.
    """

    key: str
    title: str
    function: str
    inputs: tuple[str, ...]
    parts: int = 1
    matrices: bool = False

    def join(self, results: Array | tuple[Array, ...]) -> Array:
        """Results of one or many states as one array (..., parts, numbers)."""
        several = tuple(results)[: self.parts] if self.parts > 1 else (results,)
        axes = 2 if self.matrices else 1
        flat = [np.reshape(x, (*np.shape(x)[: np.ndim(x) - axes], -1)) for x in several]
        return np.stack(flat, axis=-2)


QUANTITIES: dict[str, Quantity] = {
    q.key: q
    for q in (
        Quantity("forward", "forward dynamics", "forward_dynamics", ("q", "v", "tau")),
        Quantity("inverse", "inverse dynamics", "inverse_dynamics", ("q", "v", "a")),
        Quantity("mass-matrix", "mass matrix", "mass_matrix", ("q",), matrices=True),
        Quantity(
            "derivatives",
            "derivatives of forward dynamics",
            "forward_dynamics_derivatives",
            ("q", "v", "tau"),
            parts=3,
            matrices=True,
        ),
    )
}


@dataclass(frozen=True)
class Contender:
    """One way to compute a quantity for all states.

    Parameters
    ----------
    key, title
        Its name in files and in tables.
    run
        Computes all states.
    values
        The results for all states, in the machine's coordinates: (states, parts, numbers).
    repeats
        How often one run computes all states.
    rows
        States that one call takes: more than one in a batch.
    keep
        Objects that must live as long as the contender: memory that native code points to.
    accuracy
        Relative error of its method where it does not compute to rounding, as finite differences do not.
    """

    key: str
    title: str
    run: Callable[[], object]
    values: Callable[[], Array]
    repeats: int = 1
    rows: int = 1
    keep: tuple[object, ...] = ()
    accuracy: float = 0.0


@dataclass(frozen=True)
class Skipped:
    """A contender that is skipped, and why."""

    key: str
    title: str
    reason: str


@dataclass(frozen=True)
class Case:
    """A machine, a quantity, and the states that all contenders get.

    Parameters
    ----------
    name, title
        Name in files and in tables.
    eom
        Equations of motion.
    q, v, x
        States, one per row; ``x`` is the third input, forces or accelerations.
    model
        Makes the model of Pinocchio.
    quantity
        The computed quantity.
    continuous
        Whether that model stores revolute joints without limits as (cos, sin).
    """

    name: str
    title: str
    eom: EquationsOfMotion
    q: Array
    v: Array
    x: Array
    model: Callable[[], Any]
    quantity: Quantity = QUANTITIES["forward"]
    continuous: bool = True

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.q)

    @property
    def inputs(self) -> tuple[Array, ...]:
        """The arrays that the quantity depends on."""
        return (self.q, self.v, self.x)[: len(self.quantity.inputs)]

    @property
    def kernel(self) -> Kernel:
        """The compiled function."""
        return self.eom.kernel(self.quantity.function)

    def reference(self) -> Array:
        """Our results, from Python."""
        return self.quantity.join(getattr(self.eom, self.quantity.function)(*self.inputs))


def make_case(name: str, states: int, quantity: str = "forward", seed: int = 0) -> Case:
    """Load a machine of `MACHINES` and draw random states."""
    two_link = name == TWO_LINK
    machine = chain(2) if two_link else robot_machine(name)
    eom = derive(machine)
    rng = np.random.default_rng(seed)
    q = np.array([eom.random_configuration(rng) for _ in range(states)])
    v, x = rng.normal(size=(2, states, eom.nv))
    title = "Chain of two links" if two_link else ROBOTS[name].title

    def model() -> Any:
        return pinocchio_model(machine) if two_link else robot_pinocchio(name)

    return Case(name, title, eom, q, v, 10.0 * x, model, QUANTITIES[quantity], continuous=not two_link)
