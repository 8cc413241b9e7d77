"""Equations of motion: one contract for every formulation, as functions of NumPy arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import Kernel
from dalembert.compile.backend import BACKENDS, Backend
from dalembert.compile.export import export_c
from dalembert.core.doing import doing
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.kept import Kept
from dalembert.core.ports import Formulation
from dalembert.core.types import Array
from dalembert.core.validation import check_names
from dalembert.formulations.constraints.contract import ConstraintContract
from dalembert.formulations.constraints.elastic_ropes import with_elastic_ropes
from dalembert.formulations.contact.contract import ContactContract
from dalembert.formulations.contract import GEOMETRIC, compile_contract
from dalembert.formulations.derivatives import Derivatives
from dalembert.formulations.forces import forces_of
from dalembert.formulations.impact import ContactImpact, contact_impact
from dalembert.formulations.mapped import CoordinateMap, couple, in_coordinates, in_machine_coordinates
from dalembert.formulations.registry import formulate, kind_of
from dalembert.formulations.states import Parameters, StateContract, plain_numbers
from dalembert.formulations.symbolic import Symbolic
from dalembert.model.machine import Machine

__all__ = ["Energy", "EquationsOfMotion", "MachineOrEquations", "Parameters", "derive"]

_DIRECT = (
    "mass_matrix",
    "coriolis_matrix",
    "gravity",
    "bias",
    "inverse_dynamics",
    "forward_dynamics",
    "energy",
    "momentum",
    "center_of_mass",
    "coordinate_rate",
)
"""Functions that are called so often, and are so short, that a step in Python less is worth a table."""


class Energy(NamedTuple):
    """Kinetic and potential energy.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis="y")],
    ... )
    >>> energy = da.equations(pendulum, backend="vm").energy([0.0], [2.0])
    >>> float(energy.kinetic)
    1.0
    """

    kinetic: Array
    potential: Array


_as_energy: Callable[[tuple[Array, Array]], Energy] = functools.partial(tuple.__new__, Energy)
"""The same as ``Energy._make``, in a quarter of the time, which counts next to a call of 0.2 us."""


def _key(name: str, frame: str | None, axes: str) -> str:
    return name if frame is None else f"{name}:{frame}:{axes}"


def _with_last(call: Callable[..., Any], last: Array) -> Callable[..., Any]:
    return lambda *arguments: call(*arguments, last)


def derive(
    machine: Machine,
    by: str = "newton-euler",
    *,
    coordinates: CoordinateMap | None = None,
    backend: Backend = "auto",
    **options: str,
) -> EquationsOfMotion:
    """Derive the equations of motion of a machine; see `dalembert.equations`."""
    if not isinstance(machine, Machine):
        raise InputError(f"equations need a Machine, got {type(machine).__name__}")
    if backend not in BACKENDS:
        raise InputError(f"backend must be one of {', '.join(BACKENDS)}, got {backend!r}")
    kind_of(by, options)
    if coordinates is not None:
        formulation = in_coordinates(formulate(machine, by, options), coordinates)
        return EquationsOfMotion(machine, with_elastic_ropes(formulation), backend, variant=(options, coordinates))

    def make() -> EquationsOfMotion:
        with doing(f"deriving equations of '{machine.name}' by {by}"):
            formulation = formulate(machine, by, options)
            if machine.couplings and formulation.minimal:
                formulation = couple(formulation)
            return EquationsOfMotion(machine, with_elastic_ropes(formulation), backend, variant=(options, None))

    # A machine is frozen: its equations are derived once and kept with it.
    return machine.kept.once("equations", (by, backend, *sorted(options.items())), make)


class EquationsOfMotion(StateContract, ConstraintContract, ContactContract):
    """Equations ``M(q) a + C(q, v) v + dV/dq = tau`` of a machine.

    Every function takes arrays with any leading batch axes, and ``p`` (a mapping of parameter names to values, or an
    array with the parameters as last axis) to override parameter values. Each is compiled when it is first called.

    Attributes
    ----------
    machine
        The machine.
    by
        Name of the formulation.
    formulation
        The formulation, which fulfils the contract ``Formulation`` (``core/ports.py``).
    symbolic
        The CasADi expressions behind the functions.
    q_names, v_names, u_names, p_names
        Names of the coordinates, velocities, inputs and parameters.
    stops
        Whether the limits of the joints are contacts, see `with_stops`.
    variant
        Options of the formulation and the coordinate map with which they were derived.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis="y")],
    ... )
    >>> eom = da.equations(pendulum, backend="vm")
    >>> eom.gravity([0.0]).round(9), eom.forward_dynamics([0.0], [0.0], [1.0])
    (array([0.]), array([2.]))
    """

    def __init__(
        self,
        machine: Machine,
        formulation: Formulation,
        backend: Backend = "auto",
        stops: bool = False,
        variant: tuple[Mapping[str, Any], CoordinateMap | None] = (MappingProxyType({}), None),
    ) -> None:
        self.machine = machine
        self.stops = stops
        self.variant = variant
        self.formulation = formulation
        self.by = formulation.name
        self.layout = layout = formulation.layout
        self.backend = backend
        self.symbolic = Symbolic(formulation)
        self.kept = Kept()
        self.q_names, self.v_names = layout.q_names, layout.v_names
        self.u_names = machine.u_names
        self.p_names = tuple(p.name for p in machine.parameters)
        self.nq, self.nv, self.nu = layout.nq, layout.nv, machine.nu
        self._p_nominal = machine.p_nominal
        self._admitted: tuple[bytes, ...] = ()
        self._quaternions = layout.quaternions
        self._kernels: dict[str, Kernel] = {}
        # Calls without p. Kernels to which the arguments need no more than passing on take the place of the first call.
        self._plain: dict[str, Callable[..., Any]] = {}
        self._direct: dict[str, Callable[..., Any]] = {name: functools.partial(self._checked, name) for name in _DIRECT}

    @property
    def identity(self) -> dict[str, Any]:
        """The values that identify the equations, by name: two equations with equal values are interchangeable."""
        options, coordinates = self.variant
        return {"machine": self.machine, "by": self.by, "options": dict(options), "coordinates": coordinates,
                "stops": self.stops}  # fmt: skip

    def __repr__(self) -> str:
        return f"<EquationsOfMotion of '{self.machine.name}' by {self.by}: nq={self.nq}, nv={self.nv}, nu={self.nu}>"

    def _repr_html_(self) -> str:
        """Names of the inputs of the equations, for notebooks."""
        from dalembert.view.notebook import equations_html

        return equations_html(self)

    # -- the contract ---------------------------------------------------------------------------------------------

    def mass_matrix(self, q: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Array:
        """Mass matrix ``M``, shape (..., nv, nv)."""
        return self._direct["mass_matrix"](q) if p is None else self._call("mass_matrix", (q,), t, p)

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Array:
        """Coriolis matrix ``C`` with ``M' - 2 C`` skew-symmetric, shape (..., nv, nv)."""
        return self._direct["coriolis_matrix"](q, v) if p is None else self._call("coriolis_matrix", (q, v), t, p)

    def gravity(self, q: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Array:
        """Gravity part of ``dV/dq``, shape (..., nv)."""
        return self._direct["gravity"](q) if p is None else self._call("gravity", (q,), t, p)

    def bias(self, q: ArrayLike, v: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Array:
        """``C v + dV/dq`` (gravity and springs), shape (..., nv)."""
        return self._direct["bias"](q, v) if p is None else self._call("bias", (q, v), t, p)

    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        wrenches: Mapping[str, ArrayLike] | None = None,
        t: float = 0.0,
        p: Parameters = None,
    ) -> Array:
        """Generalised forces ``M a + C v + dV/dq`` less those of the given wrenches.

        ``wrenches`` maps frames to [f; n] acting on the machine at the frame's origin, in the frame's axes.
        """
        if p is None and not wrenches:
            return self._direct["inverse_dynamics"](q, v, a)
        tau = self._call("inverse_dynamics", (q, v, a), t, p)
        return tau - self.wrench_force(q, wrenches, t=t, p=p) if wrenches else tau

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | dict[str, float] | None = None,
        *,
        u: ArrayLike | Mapping[str, float] | None = None,
        wrenches: Mapping[str, ArrayLike] | None = None,
        t: float = 0.0,
        p: Parameters = None,
    ) -> Array:
        """Accelerations that solve ``M a + C v + dV/dq = tau``, plus the forces of the inputs and wrenches.

        Parameters
        ----------
        q, v
            The state.
        tau
            Generalised forces in the order of ``v_names``, or by these names. Where inputs and velocities have equal
            numbers but different orders, an array of inputs has the right length and gives wrong accelerations.
        u
            Inputs of motors and thrusters in the order of ``u_names``, or by these names, ``{name: value}``. Their
            forces are those of `applied`: saturation, gears, losses and the machine's own wrenches included.
        wrenches
            Frames with [f; n] acting on the machine at the frame's origin, in the frame's axes.
        t, p
            Time, and values of the parameters.
        """
        if u is not None or tau is None or isinstance(tau, dict):
            tau = forces_of(self, (q, v), tau, u, t, p)
        if wrenches:
            tau = plain_numbers(tau, "tau") + self.wrench_force(q, wrenches, t=t, p=p)
        if p is None:
            return self._direct["forward_dynamics"](q, v, tau)
        return self._call("forward_dynamics", (q, v, tau), t, p)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, t: float = 0.0, p: Parameters = None
    ) -> Derivatives:
        """Derivatives of the inverse dynamics by q (tangent space), v, a (the mass matrix) and p."""
        return Derivatives(*self._call("inverse_dynamics_derivatives", (q, v, a), t, p))

    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, t: float = 0.0, p: Parameters = None
    ) -> Derivatives:
        """Derivatives of the forward dynamics by q (tangent space), v, tau (the inverse mass matrix) and p."""
        return Derivatives(*self._call("forward_dynamics_derivatives", (q, v, tau), t, p))

    def energy(self, q: ArrayLike, v: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Energy:
        """Kinetic and potential energy, each of shape (...)."""
        return _as_energy(self._direct["energy"](q, v) if p is None else self._call("energy", (q, v), t, p))

    def applied(self, q: ArrayLike, v: ArrayLike, u: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Array:
        """Forces without potential: motors and thrusters (inputs ``u``), losses and the machine's wrenches."""
        return self._call("applied", (q, v, u), t, p)

    def impact(
        self,
        q: ArrayLike,
        v: ArrayLike,
        contacts: Mapping[str, ArrayLike],
        e: ArrayLike = 0.0,
        *,
        friction: ArrayLike = 0.0,
        t: float = 0.0,
        p: Parameters = None,
    ) -> ContactImpact:
        """Velocities after an impact of frames on obstacles, and its impulses, IMPACT (60)-(62).

        Several contacts act at once, none of them pulls, the constraints of the machine hold and its taut cables pull.

        Parameters
        ----------
        q, v
            State before it; one, without batch axes.
        contacts
            Frames that touch, each with the normal of the obstacle that points towards the frame, in world axes, or
            with several normals (a corner). Which frames touch is for the caller to know.
        e
            Newton's coefficient of restitution, one or one per contact.
        friction
            Coulomb's coefficient of friction, one or one per contact.

        Examples
        --------
        >>> import dalembert as da
        >>> slide = da.Joint("z", "prismatic", "world", "ball", axis=(0, 0, 1))
        >>> ball = da.Machine("ball", [da.point_mass("ball", 2.0)], [slide])
        >>> hit = da.equations(ball).impact([0.0], [-3.0], {"ball": (0, 0, 1)}, e=0.5)
        >>> hit.v, hit.impulses, hit.energy_lost
        (array([1.5]), array([9.]), 6.75)
        """
        return contact_impact(self, q, v, contacts, e, friction, t, p)

    # -- kinematics -----------------------------------------------------------------------------------------------

    def pose(self, frame: str, q: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Array:
        """Homogeneous matrix of a frame in the world, shape (..., 4, 4)."""
        return self._call("pose", (q,), t, p, frame)

    def jacobian(self, frame: str, q: ArrayLike, *, axes: str = "frame", t: float = 0.0, p: Parameters = None) -> Array:
        """Jacobian of a frame's twist [v; w] at its origin, in its own axes or (``axes="world"``) in world axes."""
        return self._call("jacobian", (q,), t, p, frame, axes)

    def jacobian_rate(
        self, frame: str, q: ArrayLike, v: ArrayLike, *, axes: str = "frame", t: float = 0.0, p: Parameters = None
    ) -> Array:
        """Time derivative of the Jacobian, entry by entry."""
        return self._call("jacobian_rate", (q, v), t, p, frame, axes)

    def momentum(self, q: ArrayLike, v: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Array:
        """Linear momentum and angular momentum about the world's origin, in world axes, shape (..., 6)."""
        return self._direct["momentum"](q, v) if p is None else self._call("momentum", (q, v), t, p)

    def center_of_mass(self, q: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Array:
        """Centre of mass of the moving bodies, shape (..., 3)."""
        return self._direct["center_of_mass"](q) if p is None else self._call("center_of_mass", (q,), t, p)

    def coordinate_rate(self, q: ArrayLike, v: ArrayLike, *, t: float = 0.0, p: Parameters = None) -> Array:
        """Rates of the coordinates, ``B(q) v``."""
        return self._direct["coordinate_rate"](q, v) if p is None else self._call("coordinate_rate", (q, v), t, p)

    def integrate(self, q: ArrayLike, d: ArrayLike) -> Array:
        """Configuration reached from ``q`` by the tangent displacement ``d`` (nv numbers)."""
        return self._call("integrate", (q, d), 0.0, None)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """Tangent displacement from ``q0`` to ``q1`` (nv numbers)."""
        self.check_quaternions(q1)
        return self._call("difference", (q0, q1), 0.0, None)

    def inverse_kinematics(self, frame: str, target: ArrayLike, **options: Any) -> Any:
        """Coordinates that bring a frame to a position (3) or a pose (4 x 4); see `dalembert.inverse_kinematics`."""
        from dalembert.analysis.inverse_kinematics import inverse_kinematics

        return inverse_kinematics(self, frame, target, **options)

    def wrench_force(
        self,
        q: ArrayLike,
        wrenches: Mapping[str, ArrayLike],
        *,
        t: float = 0.0,
        p: Parameters = None,
    ) -> Array:
        """Generalised forces ``sum J^T [f; n]`` of wrenches at frames, each in the frame's axes."""
        if not isinstance(wrenches, Mapping):
            raise InputError(f"wrenches must map frame names to [f; n], got {wrenches!r}")
        total: Array = np.zeros(self.nv)
        for frame, wrench in wrenches.items():
            w = plain_numbers(wrench, f"the wrench at frame '{frame}'")
            if w.shape[-1:] != (6,) or not np.isfinite(w).all():
                raise InputError(f"the wrench at frame '{frame}' must be 6 finite numbers [f; n], got {wrench!r}")
            J = self.jacobian(frame, q, t=t, p=p)
            total = total + np.einsum("...ij,...i->...j", J, w)
        return total

    # -- states -----------------------------------------------------------------------------------------------------

    def in_machine_coordinates(self) -> EquationsOfMotion:
        """Return the equations in the machine's own coordinates, by the same formulation.

        Redundant coordinates lose their constraints: the result is ``E^T M E`` and so on, with ``v_own = E v``.
        """
        if self.formulation.machine_coordinates:
            return self
        if self.formulation.minimal:
            return derive(self.machine, self.by, backend=self.backend)

        def make() -> EquationsOfMotion:
            formulation = in_machine_coordinates(self.formulation)
            return EquationsOfMotion(self.machine, formulation, self.backend, variant=self.variant)

        return self.kept.once("machine coordinates", None, make)

    def with_stops(self) -> EquationsOfMotion:
        """Return the same equations with the limits of the joints as contacts: hard stops."""

        def make() -> EquationsOfMotion:
            return EquationsOfMotion(self.machine, self.formulation, self.backend, stops=True, variant=self.variant)

        return self if self.stops else self.kept.once("stops", None, make)

    # -- compiled functions ---------------------------------------------------------------------------------------

    def export_c(
        self,
        folder: str | PathLike[str],
        functions: Sequence[str] = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "bias"),
        *,
        name: str = "machine",
    ) -> Path:
        """Write functions of the contract as C99 sources that stand alone; see `dalembert.compile.export_c`."""
        names = check_names(functions, "functions")
        layout = {"q": self.q_names, "v": self.v_names, "u": self.machine.u_names, "p": self.p_names}
        kernels = [self.kernel(f) for f in names]
        return export_c(kernels, folder, name=name, examples={"q": self.q_neutral}, layout=layout)

    def kernel(self, name: str, frame: str | None = None, axes: str = "frame") -> Kernel:
        """Compiled function of a name of the contract; its last inputs are ``t`` and ``p`` where they matter."""
        if name in ("pose", "jacobian", "jacobian_rate") and not isinstance(frame, str):
            raise UnknownNameError("frame", frame, self.machine.tree.frames, f"machine '{self.machine.name}'")
        key = _key(name, frame, axes)
        if key not in self._kernels:
            with doing(f"deriving {name} of '{self.machine.name}' by {self.by}"):
                self._kernels[key] = compile_contract(
                    self.machine, self.layout, self.symbolic, name, frame, axes, self.backend
                )
        return self._kernels[key]

    def _call(
        self,
        name: str,
        arguments: tuple[ArrayLike, ...],
        t: float,
        p: Parameters,
        frame: str | None = None,
        axes: str = "frame",
    ) -> Any:
        if self._quaternions:
            self.check_quaternions(arguments[0])
        key = _key(name, frame, axes)
        if p is None and key in self._plain:
            return self._plain[key](*arguments)
        kernel = self.kernel(name, frame, axes)
        with_p = bool(self.p_names) and name not in GEOMETRIC
        if name == "applied":
            arguments = (*arguments, t)
        elif p is None:
            self._plain[key] = _with_last(kernel.direct, self._p_nominal) if with_p else kernel.direct
            if not self._quaternions and key in self._direct:
                self._direct[key] = self._plain[key]
        if with_p:
            return kernel(*arguments, self.parameter_values(p))
        if p is not None:
            self.parameter_values(p)
        return kernel(*arguments)

    def _checked(self, name: str, *arguments: ArrayLike) -> Any:
        return self._call(name, arguments, 0.0, None)


MachineOrEquations = Machine | EquationsOfMotion
"""Input of a verb that derives the equations itself if given a machine."""
