"""Vibration of an assembled machine about a configuration: frequencies, shapes, modal reduction, frequency response.

With the mass matrix ``M`` and the tangent stiffness ``K = d(dV/dq)/dq`` of gravity, strain and springs at rest, the
modes solve ``K phi = w^2 M phi``. Motions that meet no stiffness (joints that turn freely, a floating base) have
frequency zero. Constraints leave the motions ``N`` with ``J N = 0``, and their reactions add the stiffness
``d(J^T lambda)/dq``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.analysis.elastic_friction import with_held_spans
from dalembert.analysis.equilibrium import Equilibrium, check_rest, contact_equations, equilibrium, with_contacts
from dalembert.analysis.linearize import HELD_OR_FREE, linearize, reduction
from dalembert.analysis.sheaves import with_sheaves
from dalembert.core.constraint_algebra import allowed_motions
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.renamed import renamed
from dalembert.core.types import Array, StateLike
from dalembert.formulations.constraints.reduction import check_regular, locked_rows, present_rows
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive
from dalembert.model.checks import refuse_stick
from dalembert.model.machine import Machine

if TYPE_CHECKING:
    import control

__all__ = ["MachineModes", "frequency_response", "machine_modes", "modal_reduction", "natural_frequencies"]

RIGID = 1e-6


@renamed("rad/s", frequencies="omega")
@dataclass(frozen=True)
class MachineModes:
    """Modes of a machine about a configuration.

    Parameters
    ----------
    equations
        The equations of motion.
    q
        The configuration.
    omega
        Angular frequencies [rad/s], increasing; zero for motions without stiffness. A motion that grows (a pendulum
        upside down) has the negative of its rate.
    shapes
        Mode shapes in the velocities as columns, with ``phi^T M phi = 1``.
    damping
        Damping ratio of each mode from the losses, the coupling between modes left out; NaN at frequency zero.
    """

    equations: EquationsOfMotion
    q: Array
    omega: Array
    shapes: Array
    damping: Array

    @property
    def elastic(self) -> NDArray[np.intp]:
        """Indices of the modes with stiffness."""
        return np.flatnonzero(self.omega > RIGID * np.abs(self.omega).max(initial=0.0))

    def participation(self) -> Array:
        """Share of each velocity in the kinetic energy of each mode (rows sum to one per column)."""
        M = self.equations.mass_matrix(self.q)
        return self.shapes * (M @ self.shapes)

    def __str__(self) -> str:
        share = self.participation()
        lines = [f"modes of '{self.equations.machine.name}'"]
        lines += [f"{'omega [rad/s]':>14} {'frequency [Hz]':>15} {'damping':>9}  mostly"]
        for k, w in enumerate(self.omega):
            most = self.equations.v_names[int(np.argmax(np.abs(share[:, k])))]
            lines.append(f"{w:14.5g} {w / (2 * np.pi):15.4g} {self.damping[k]:9.3g}  {most}")
        return "\n".join(lines)


def machine_modes(
    machine: Machine | EquationsOfMotion,
    at: StateLike = None,
    *,
    locked: Sequence[str] = (),
    active: Mapping[str, bool] | None = None,
    u: ArrayLike | None = None,
    allow_singular: bool = False,
    t: float = 0.0,
    p: Parameters = None,
) -> MachineModes:
    """Frequencies and mode shapes of a machine about a configuration at rest.

    Parameters
    ----------
    machine
        The machine, or its equations.
    at
        Configuration: numbers, or a mapping of names (the others are neutral, or follow from the constraints; of
        several assemblies give the numbers that `dalembert.assemblies` lists). With constraints it must be an
        equilibrium, since their reactions count.
    locked
        Joints that do not move.
    active, u, allow_singular
        Constraints that act, inputs that hold a machine with constraints, and whether it may be in a singular position,
        as in `dalembert.linearize`.
    t, p
        Time (of wrenches) and parameter values.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.analysis import machine_modes
    >>> beam = da.Beam("beam", 1.0, da.Section.tube(0.01), E=7e10, density=2700, modes={"y": 2}, rotary_inertia=False)
    >>> clamped = da.Machine("clamped beam", [beam], [da.Joint("wall", "fixed", "world", "beam")], gravity=(0, 0, 0))
    >>> machine_modes(clamped).omega.round(2).tolist() == beam.omega.round(2).tolist()
    True
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    refuse_stick(eom.machine, "modes of vibration", HELD_OR_FREE, locked, sheaves=False)
    p = eom.parameter_values(p)
    eom = contact_equations(eom, at, active=active, t=t, p=p)
    point = equilibrium(eom, at, u=u, locked=locked, active=active, t=t, p=p)
    eom, _ = with_held_spans(eom, point.q, np.zeros(eom.nv), t=t, p=p)
    point = with_contacts(eom, point, np.zeros(eom.nv), locked_rows(eom, locked), active=active, t=t, p=p)
    point = with_sheaves(eom, point, np.zeros(eom.nv), t=t, p=p)
    M, K, D = _matrices(eom, point, t, p)
    if eom.constrained or point.multipliers.any():
        check_rest(eom, point, np.zeros(eom.nv), 1e-6, t=t, p=p)
    if eom.constrained and not allow_singular:
        check_regular(eom, point.q, point.J, point.latches, t=t, p=p, rows=locked_rows(eom, locked))
    N = allowed_motions(M, present_rows(point.J))
    values, Y = np.linalg.eigh(N.T @ K @ N)
    shapes = N @ Y
    floor = 1e-12 * np.abs(values).max(initial=0.0)
    values = np.where(np.abs(values) < floor, 0.0, values)
    frequencies = np.sign(values) * np.sqrt(np.abs(values))
    order = np.argsort(frequencies, kind="stable")
    frequencies, shapes = frequencies[order], shapes[:, order]
    signs = np.sign(shapes[np.argmax(np.abs(shapes), axis=0), np.arange(len(frequencies))])
    shapes = shapes * signs
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(frequencies > 0, np.einsum("ik,ij,jk->k", shapes, D, shapes) / (2 * frequencies), np.nan)
    return MachineModes(eom, point.q, frequencies, shapes, ratios)


def _matrices(eom: EquationsOfMotion, point: Equilibrium, t: float, p: Array) -> tuple[Array, Array, Array]:
    """Mass, tangent stiffness (with that of the reactions) and damping matrix at rest."""
    s, nv, q = eom.symbolic, eom.nv, point.q
    rates = ca.Function("rates", [s.q, s.v, s.p], [s.coordinate_rate])
    d = ca.SX.sym("d", nv)
    moved = ca.DM(q) + rates(ca.DM(q), d, s.p)  # the chart to first order
    pull, latches = s.bias - s.wrenches, ca.SX.sym("latches", len(point.latches))
    if eom.constrained or point.multipliers.any():
        system = eom.constraint_system
        pull, latches = pull + system.jacobian.T @ ca.DM(point.multipliers), system.latches
    arguments = [s.q, s.v, s.t, s.p, latches]
    force = ca.Function("pull", arguments, [pull])(moved, ca.DM.zeros(nv), s.t, s.p, latches)
    K = ca.Function("K", [d, s.t, s.p, latches], [ca.jacobian(force, d)])(np.zeros(nv), t, p, point.latches)
    D = ca.Function("D", [s.q, s.v, s.t, s.p], [-ca.jacobian(s.losses, s.v)])(q, np.zeros(nv), t, p)
    stiffness = np.array(ca.DM(K).full())
    if not np.isfinite(stiffness).all():
        raise InputError(f"machine '{eom.machine.name}' has no tangent stiffness at this configuration")
    return eom.mass_matrix(q, p=p), (stiffness + stiffness.T) / 2, np.array(ca.DM(D).full())


def natural_frequencies(
    machine: Machine | EquationsOfMotion,
    at: StateLike = None,
    *,
    locked: Sequence[str] = (),
    u: ArrayLike | None = None,
    allow_singular: bool = False,
    t: float = 0.0,
    p: Parameters = None,
) -> Array:
    """Natural frequencies [Hz] about a rest position, ascending; imaginary ones (unstable) are returned as negative.

    On the motions that the constraints allow, ``N`` the null space of ``J``: ``N^T M N``, ``N^T (K + dJ^T lambda) N``.
    The shapes, and damping, are those of `machine_modes`; state-space models come from
    `dalembert.linearize`.

    Parameters
    ----------
    machine
        The machine, or its equations.
    at
        Configuration at rest.
    locked
        Joints that do not move, such as winches with their brakes on.
    u
        Torques of the winches that are not locked; default the least ones that hold the platform. They set the
        tensions of redundant robots, and so their stiffness.
    allow_singular
        Whether to accept a singular position, as in `dalembert.linearize`: a symmetric platform on four locked winches
        is in one.
    t, p
        Time and parameter values.
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, backend="vm")
    return machine_modes(eom, at, locked=locked, u=u, allow_singular=allow_singular, t=t, p=p).omega / (2 * np.pi)


def modal_reduction(
    machine: Machine | EquationsOfMotion,
    count: int,
    at: StateLike = None,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    **options: Any,
) -> control.StateSpace:
    """Linear model in the lowest modes of a machine, as a python-control StateSpace.

    Parameters
    ----------
    machine, at, inputs, outputs, **options
        As in `dalembert.linearize`.
    count
        Number of modes to keep, motions without stiffness included.

    Returns
    -------
    control.StateSpace
        States ``eta1 ..`` (modal displacements) and their rates.
    """
    import control

    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    if not 1 <= count <= eom.nv:
        raise InputError(f"the number of modes to keep must lie between 1 and {eom.nv}, got {count}")
    full = linearize(eom, at, inputs=inputs, outputs=outputs, **options)
    at_rest = {k: options[k] for k in ("locked", "active", "allow_singular", "t", "p") if k in options}
    modes = machine_modes(eom, at, u=options.get("u"), **at_rest)
    coordinates = reduction(eom, at, independent=options.get("independent"), **at_rest)
    if count > len(modes.omega):
        raise InputError(f"machine '{eom.machine.name}' has {len(modes.omega)} modes there, cannot keep {count}")
    Phi = modes.shapes[list(coordinates.independent), :count]
    left = coordinates.S.T @ eom.mass_matrix(modes.q, p=options.get("p")) @ modes.shapes[:, :count]
    zero = np.zeros_like(Phi)
    Z, W = np.block([[Phi, zero], [zero, Phi]]), np.block([[left, zero], [zero, left]])
    names = [f"eta{i + 1}" for i in range(count)]
    return control.ss(
        W.T @ full.A @ Z,
        W.T @ full.B,
        full.C @ Z,
        full.D,
        inputs=full.input_labels,
        outputs=full.output_labels,
        states=[*names, *(f"{n}_dot" for n in names)],
        name=f"{full.name} reduced",
    )


def frequency_response(
    machine: Machine | EquationsOfMotion,
    omega: ArrayLike,
    at: StateLike = None,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    **options: Any,
) -> NDArray[np.complex128]:
    """Frequency response from inputs to outputs, shape (outputs, inputs, frequencies).

    Parameters
    ----------
    machine, at, inputs, outputs, **options
        As in `dalembert.linearize`.
    omega
        Angular frequencies [rad/s].
    """
    w = np.atleast_1d(as_numbers(omega))
    if w.ndim != 1 or not np.isfinite(w).all():
        raise InputError(f"omega must be finite numbers, got {omega!r}")
    plant = linearize(machine, at, inputs=inputs, outputs=outputs, **options)
    unit = np.eye(len(plant.A))
    columns = [plant.C @ np.linalg.solve(1j * x * unit - plant.A, plant.B) + plant.D for x in w]
    return np.stack(columns, axis=-1)
