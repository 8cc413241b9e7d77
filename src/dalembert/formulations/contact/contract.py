"""The part of the contract of `EquationsOfMotion` that is about contacts, as functions of NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import Kernel, compile_function
from dalembert.core.kept import Kept
from dalembert.core.ports import Formulation
from dalembert.core.types import Array
from dalembert.formulations.contact.system import ContactSystem

if TYPE_CHECKING:
    from dalembert.formulations.states import Parameters

__all__ = ["ContactContract", "ContactTerms"]


class ContactTerms(NamedTuple):
    """Data of k contact pairs at a state; batch axes lead.

    Parameters
    ----------
    gap
        Distances (..., k) [m or rad], negative where solid and surface overlap.
    jacobian
        Rows of the normal and the two tangents of each pair, (..., k, 3, nv).
    velocity
        Relative velocities along them, (..., k, 3); the first is the rate of the gap.
    bias
        ``J' v``, (..., k, 3): the rates of the velocities are ``J v' + bias``.
    """

    gap: Array
    jacobian: Array
    velocity: Array
    bias: Array


class ContactContract:
    """Functions of the contacts; each takes arrays with any leading batch axes.

    Pairs are the points in which the contacts of the machine may touch (``contact_names``), then, where ``limits`` is
    true, the ends of the ranges of its joints.
    """

    machine: Any
    formulation: Formulation
    symbolic: Any
    kept: Kept
    backend: Any
    nv: int
    parameter_values: Any

    def contact_system(self, *, limits: bool = False) -> ContactSystem:
        """Return the expressions of the contacts, and of the limits of the joints if these are contacts too."""
        return self.kept.once("contacts", limits, lambda: ContactSystem(self.formulation, limits=limits))

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Names of the contact pairs."""
        return self.contact_system().names

    def contact_gaps(self, q: ArrayLike, *, p: Parameters = None, limits: bool = False) -> Array:
        """Distances of the pairs, shape (..., k)."""
        return self._contact_kernel("gaps", limits)(q, self.parameter_values(p))

    def contact_terms(self, q: ArrayLike, v: ArrayLike, *, p: Parameters = None, limits: bool = False) -> ContactTerms:
        """Gaps, rows, relative velocities and their bias."""
        outputs = self._contact_kernel("terms", limits)(q, v, self.parameter_values(p))
        k = self.contact_system(limits=limits).k
        gap, J, u, b = (np.asarray(x) for x in outputs)
        lead = gap.shape[:-1]
        return ContactTerms(gap, J.reshape(*lead, k, 3, self.nv), u.reshape(*lead, k, 3), b.reshape(*lead, k, 3))

    def contact_points(self, q: ArrayLike, *, p: Parameters = None) -> tuple[Array, Array]:
        """Points that touch (..., k, 3), and normal and tangents as rows (..., k, 3, 3), in the world."""
        points, axes = self._contact_kernel("points", False)(q, self.parameter_values(p))
        k, lead = self.contact_system().k, points.shape[:-1]
        return points.reshape(*lead, k, 3), axes.reshape(*lead, k, 3, 3)

    def _contact_kernel(self, name: str, limits: bool) -> Kernel:
        return self.kept.once("contact kernel", (name, limits), lambda: self._compiled_contacts(name, limits))

    def _compiled_contacts(self, name: str, limits: bool) -> Kernel:
        s, e = self.contact_system(limits=limits), self.symbolic
        k, nv = s.k, self.nv
        with_v = name == "terms"
        table: dict[str, tuple[list[Any], list[tuple[int, ...]]]] = {
            "gaps": ([s.gaps], [(k,)]),
            "terms": ([s.gaps, s.jacobian, s.velocity, s.bias], [(k,), (3 * k, nv), (3 * k,), (3 * k,)]),
            "points": ([s.points, s.axes.T], [(3 * k,), (3 * k, 3)]),
        }
        outputs, shapes = table[name]
        names = [f"out{i}" for i in range(len(outputs))]
        arguments = [e.q, *([e.v] if with_v else []), e.p]
        labels = ["q", *(["v"] if with_v else []), "p"]
        dense = ca.cse([ca.densify(ca.SX(x)) for x in outputs])
        function = ca.Function(f"contact_{name}", arguments, dense, labels, names)
        return compile_function(function, backend=self.backend, shapes=dict(zip(names, shapes, strict=True)))
