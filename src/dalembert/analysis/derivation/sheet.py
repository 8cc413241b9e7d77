"""Derivation sheets: the steps that a textbook shows for a machine, by Lagrange and by recursion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.analysis.closed_form.form import ClosedForm, closed_form, tree_form
from dalembert.analysis.closed_form.printing import latex_name
from dalembert.analysis.closed_form.symbols import symbol_name
from dalembert.analysis.derivation.flexible import flexible_step
from dalembert.analysis.derivation.formula import SheetFormula, SheetStep, State, named
from dalembert.analysis.derivation.numbers import Numbers
from dalembert.analysis.derivation.rows import SheetRows, on_constraints
from dalembert.analysis.derivation.smooth import smooth_part
from dalembert.analysis.derivation.terms import BodyTerms, Terms
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.body import Body
from dalembert.model.machine import Machine

if TYPE_CHECKING:
    import sympy

__all__ = ["Derivation", "derivation"]

_SEED = 20261117
_TERMS = 160  # of an expression that fits on a page
_TRIES = 8  # random states
_LARGEST = 1e-4  # deviation of a formula that would be a mistake and not rounding


@dataclass(frozen=True, eq=False)
class Derivation:
    """The derivation of the equations of a machine.

    Parameters
    ----------
    machine
        The machine.
    form
        Its closed form; None for a machine that is too large to print, or not a tree of rigid bodies.
    reason
        Why there is no closed form; empty if there is one.
    steps
        The steps.
    state
        State at which numbers are shown.
    """

    machine: Machine
    form: ClosedForm | None
    reason: str
    steps: tuple[SheetStep, ...]
    state: State

    @property
    def formulas(self) -> list[SheetFormula]:
        """All formulas that are printed."""
        return [formula for step in self.steps for formula in step.formulas if formula.value is not None]

    def check(self, samples: int = 2, *, seed: int = _SEED) -> dict[str, float]:
        """Compare every printed formula with the compiled functions of the machine.

        Returns the largest deviation of each formula by its name, relative to its numbers, over random states.

        Parameters
        ----------
        samples
            Number of random states.
        seed
            Seed of the states.
        """
        if self.form is None:
            return {}
        rng, form = np.random.default_rng(seed), self.form
        states = [_random_state(form.tape, rng) for _ in range(samples)]
        return {f.name: max(f.deviation(form, state) for state in states) for f in self.formulas}


def derivation(machine: Machine, *, limit: int = _TERMS) -> Derivation:
    r"""Return the derivation of the equations of motion of a machine, step by step.

    Placements, positions, velocities, energies, mass matrix, Christoffel symbols, gravity and equations by Lagrange;
    then the same forces by recursion (Newton and Euler). Constraints, cables and ropes that do not stretch add their
    rows, Jacobians and multipliers. Expressions that are too long show their numbers at one state instead. For beams,
    and for machines that are too large to print, the sheet has their structure and numbers.
    Each printed formula agrees with the compiled functions: see `Derivation.check`.

    Parameters
    ----------
    machine
        The machine.
    limit
        Largest number of terms of an expression that is printed.

    Examples
    --------
    >>> import dalembert as da
    >>> pendulum = da.Machine("pendulum", bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...                       joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))])
    >>> sheet = da.derivation(pendulum)
    >>> [step.title for step in sheet.steps][:3]
    ['Machine', 'Placements', 'Positions']
    >>> max(sheet.check().values()) < 1e-8
    True
    """
    if not isinstance(machine, Machine):
        raise InputError(f"a derivation needs a Machine, got {type(machine).__name__}")
    by = "newton-euler" if not _flexible(machine) else "lagrange"  # the closed form is by Lagrange
    plain, lost = smooth_part(machine)
    eom = derive(_unlimited(plain), by, backend="vm")
    state = _sheet_state(eom)
    form, reason = None, ""
    if _flexible(machine):
        reason = "flexible bodies, such as beams, have no closed form that fits on a page"
    else:
        try:
            rows = plain.constrained or bool(plain.all_ropes)
            form = tree_form(plain, limit=limit) if rows else closed_form(plain, limit=limit)
        except InputError as error:
            form, reason = None, str(error)
    steps = _Sheet(plain, eom, form, reason, state, lost).steps()
    made = Derivation(machine, form, reason, tuple(steps), state)
    wrong = {name: x for name, x in made.check(1).items() if not x < _LARGEST}
    if wrong:
        raise InputError(f"the derivation of machine '{machine.name}' does not agree with its kernels: {wrong}")
    return made


def _flexible(machine: Machine) -> bool:
    return not all(isinstance(body, Body) for body in machine.bodies)


def _unlimited(machine: Machine) -> Machine:
    """The machine with motors that saturate at no effort and no speed, as closed forms have them."""
    motors = [replace(motor, effort=np.inf, speed=np.inf) for motor in machine.motors]
    joints = [replace(joint, limits=replace(joint.limits, effort=np.inf)) for joint in machine.joints]
    thrusters = [replace(thruster, effort=np.inf, one_sided=False) for thruster in machine.thrusters]
    return machine.with_(motors=motors, joints=joints, thrusters=thrusters)


def _random_state(eom: EquationsOfMotion, rng: np.random.Generator) -> State:
    """A state about the neutral one, in which all cables and ropes have a route."""
    machine = eom.machine
    for _ in range(_TRIES):
        q = np.asarray(eom.integrate(machine.q_neutral, rng.uniform(-0.6, 0.6, eom.nv)))
        v, a = rng.uniform(-1, 1, (2, eom.nv))
        if not machine.all_ropes or np.isfinite(eom.constraint_jacobian(q)).all():
            break
    return State(q, v, a, rng.uniform(-1, 1, len(machine.u_names)))


def _sheet_state(eom: EquationsOfMotion) -> State:
    """The state of the numbers; it satisfies the constraints if one of a few tries does."""
    rng = np.random.default_rng(_SEED)
    state = _random_state(eom, rng)
    if not eom.machine.constrained:
        return state
    others = (state, *(_random_state(eom, rng) for _ in range(_TRIES)))
    return next((found for one in others if (found := on_constraints(eom, one)) is not None), state)


class _Sheet:
    """Writes the steps of a derivation."""

    def __init__(
        self,
        machine: Machine,
        eom: EquationsOfMotion,
        form: ClosedForm | None,
        reason: str,
        state: State,
        lost: tuple[str, ...],
    ) -> None:
        self.lost = lost
        self.machine, self.eom, self.form, self.reason, self.state = machine, eom, form, reason, state
        self.numbers = Numbers(eom)
        self.terms = None if form is None else Terms(form.tape, form.accelerations)
        self.rows = SheetRows(eom, form, state)
        self.marks = {body.name: latex_name(symbol_name(body.name)) for body in machine.bodies}

    def steps(self) -> list[SheetStep]:
        """All steps."""
        parts = [self._machine()]
        if self.terms is not None:
            parts += [self._placements(), self._positions(), self._velocities(), self._energies()]
        if flexible := flexible_step(self.machine):
            parts.append(flexible)
        parts += [self._mass_matrix(), self._velocity_forces(), self._potential_forces(), self._equations()]
        if self.terms is not None:
            parts += [self._outward(), self._inward()]
        if self.rows.blocks:
            parts += [self.rows.step(), self.rows.solution()]
        return parts

    # -- helpers ----------------------------------------------------------------

    def _printed(self, name: str, expression: Expression) -> sympy.MatrixBase | None:
        """A SymPy matrix of an expression, or None where it is too long."""
        assert self.form is not None
        try:
            return self.form.expand(name, expression)
        except InputError:
            return None

    def _formula(
        self, name: str, left: str, expression: Expression, kernel: Callable[[State], Array], rule: str = ""
    ) -> SheetFormula:
        value = self._printed(name, expression)
        if value is not None and value.shape == (1, 1):
            value = value[0, 0]
        return SheetFormula(name, left, value, kernel, rule)

    def _each(self, symbol: str, what: str, term: Callable[[BodyTerms], Expression]) -> tuple[SheetFormula, ...]:
        """A formula of every body."""
        assert self.terms is not None
        made = []
        for body in self.terms.bodies:
            left = f"{symbol}_{{{self.marks[body.name]}}}"

            def kernel(state: State, name: str = body.name) -> Array:
                return np.asarray(getattr(self.numbers.body(name, state), what))

            made.append(self._formula(f"{what} of {body.name}", left, term(body), kernel))
        return tuple(made)

    def _whole(self, name: str, left: str, kernel: Callable[[State], Array], rule: str = "") -> SheetFormula:
        """A formula of the whole machine, from its closed form."""
        value = None
        if self.form is not None:
            try:
                value = getattr(self.form, name)
            except InputError:
                value = None
        return SheetFormula(name, left, value, kernel, rule)

    # -- steps ----------------------------------------------------------------

    def _machine(self) -> SheetStep:
        machine = self.machine
        joints = {joint.child: joint for joint in machine.joints}
        rows = tuple(
            (body.name, f"{nominal(body.mass):.6g}", joints[body.name].name, joints[body.name].kind,
             joints[body.name].parent, ", ".join(joints[body.name].q_names) or "none")
            for body in machine.bodies
        )  # fmt: skip
        text = (
            f"The machine has {machine.nv} degrees of freedom. Each body has a frame; its joint places it "
            "relative to the body that carries it."
        )
        if machine.constrained:
            text += (
                " It is cut into a tree of bodies first; the constraints that close it again add forces along their "
                "rows, at the end of this sheet."
            )
        if self.lost:
            text += (
                " Forces that depend on whether a part sticks, slips or touches are left out of this sheet: "
                f"{', '.join(self.lost)}."
            )
        if self.reason:
            text += f" Structure and numbers are shown instead of formulas: {self.reason}."
        tables: list[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]] = [
            (("body", "mass [kg]", "joint", "kind", "on", "coordinates"), rows)
        ]
        if self.form is not None:
            tables.append((("symbol", "value"), named(self.form.parameters)))
        return SheetStep("Machine", text, tables=tuple(tables))

    def _placements(self) -> SheetStep:
        text = "Homogeneous matrix of each body's frame relative to the frame of the body that carries it."
        return SheetStep("Placements", text, self._each("A", "placement", lambda body: body.placement))

    def _positions(self) -> SheetStep:
        text = "Origin of each frame and centre of mass of each body, in the world: products of the placements."
        origins = self._each("p", "position", lambda body: body.position)
        return SheetStep("Positions", text, (*origins, *self._each("r", "centre", lambda body: body.centre)))

    def _velocities(self) -> SheetStep:
        text = (
            "Velocity of each centre of mass in the world, the time derivative of its position, and angular velocity "
            "of each body in its own axes."
        )
        linear = self._each(r"\dot r", "velocity", lambda body: body.velocity)
        return SheetStep("Velocities", text, (*linear, *self._each(r"\omega", "angular", lambda body: body.angular)))

    def _energies(self) -> SheetStep:
        assert self.terms is not None
        s = self.terms.s
        kinetic = self._each("T", "kinetic", lambda body: body.kinetic)
        potential = self._each("V", "potential", lambda body: body.potential)
        rest_T = s.kinetic_energy - sum(body.kinetic for body in self.terms.bodies)
        rest_V = s.potential_energy - sum(body.potential for body in self.terms.bodies)
        names = [body.name for body in self.terms.bodies]

        def rest(kind: str) -> Callable[[State], Array]:
            def kernel(state: State) -> Array:
                whole = getattr(self.eom.energy(state.q, state.v), kind)
                return np.asarray(whole - sum(getattr(self.numbers.body(name, state), kind) for name in names))

            return kernel

        others = [
            self._formula("kinetic of rotors", r"T_{\mathrm{rotors}}", rest_T, rest("kinetic")),
            self._formula("potential of springs", r"V_{\mathrm{springs}}", rest_V, rest("potential")),
        ]
        more = tuple(formula for formula in others if formula.value is None or formula.value != 0)
        energy = self.eom.energy
        totals = (
            self._whole("kinetic_energy", "T", lambda x: np.asarray(energy(x.q, x.v).kinetic), r"\sum_i T_i"),
            self._whole("potential_energy", "V", lambda x: np.asarray(energy(x.q, x.v).potential), r"\sum_i V_i"),
        )
        rules = (
            r"T_i = \frac{1}{2} m_i \dot r_i^T \dot r_i + \frac{1}{2} \omega_i^T I_i \omega_i",
            r"V_i = -m_i g^T r_i",
        )
        return SheetStep("Energies", "", (*kinetic, *potential, *more, *totals), rules=rules)

    def _mass_matrix(self) -> SheetStep:
        rule = r"\left[\frac{\partial^2 T}{\partial v_i \partial v_j}\right]"
        formula = self._whole("mass_matrix", "M", lambda x: self.eom.mass_matrix(x.q), rule)
        return SheetStep("Mass matrix", "The kinetic energy is quadratic in the velocities.", (formula,))

    def _velocity_forces(self) -> SheetStep:
        eom = self.eom
        formulas: list[SheetFormula] = []
        plain = not eom.layout.quaternions
        text = "Forces that are quadratic in the velocities."
        if self.form is not None and plain:
            text = "Christoffel symbols of the mass matrix, and the forces that are quadratic in the velocities."
            matrices: Sequence[sympy.MatrixBase | None]
            try:
                matrices = self.form.christoffel
            except InputError:
                matrices = [None] * eom.nv
            for k, matrix in enumerate(matrices):
                kernel = lambda x, k=k: self.numbers.christoffel(k, x)  # noqa: E731
                formulas.append(SheetFormula(f"christoffel {k + 1}", f"C_{{{k + 1}}}", matrix, kernel))
        elif not plain:
            text += " Attitudes are quaternions, whose rates are not the velocities: there are no Christoffel symbols."
        rule = r"\left[v^T C_k v\right]" if plain else ""
        c = self._whole("coriolis_vector", "c", lambda x: eom.coriolis_matrix(x.q, x.v) @ x.v, rule)
        symbols = r"C_{kij} = \frac{1}{2}\left(\frac{\partial M_{kj}}{\partial q_i} + \frac{\partial M_{ki}}{\partial q_j} - \frac{\partial M_{ij}}{\partial q_k}\right)"  # noqa: E501
        return SheetStep("Christoffel symbols", text, (*formulas, c), rules=(symbols,) if plain else ())

    def _potential_forces(self) -> SheetStep:
        eom = self.eom

        def springs(x: State) -> Array:
            rest = eom.bias(x.q, x.v) - eom.coriolis_matrix(x.q, x.v) @ x.v - eom.gravity(x.q)
            return np.asarray(rest)

        formulas = [
            self._whole("gravity", "g", lambda x: eom.gravity(x.q), r"\frac{\partial V_g}{\partial q}"),
            self._whole("elastic", "k", springs, r"\frac{\partial V_k}{\partial q}"),
            self._whole("applied", r"\tau", lambda x: eom.applied(x.q, x.v, x.u)),
        ]
        shown = [formula for formula in formulas if not _zero(formula, self.state)]
        text = "Derivatives of the potential energy, and applied forces; motors are not saturated."
        return SheetStep("Gravity, springs and motors", text, tuple(shown))

    def _equations(self) -> SheetStep:
        eom = self.eom

        def left(x: State) -> Array:
            return np.asarray(eom.mass_matrix(x.q) @ x.a + eom.bias(x.q, x.v) - eom.applied(x.q, x.v, x.u))

        value = None
        if self.form is not None:
            try:
                import sympy

                value = sympy.Matrix([equation.lhs - equation.rhs for equation in self.form.equations])
            except InputError:
                value = None
        free = not self.rows.blocks
        formula = SheetFormula(
            "equations", "0" if free else r"-J^{T} \lambda", value, left, r"M \dot v + c + g + k - \tau"
        )
        text = "Lagrange's equations: one row per velocity."
        if not free:
            text += " The left side is the force of the constraints with the Jacobian J and the multipliers lambda."
        if value is None:
            text += " The numbers are the left side at the state of this sheet."
        return SheetStep("Equations of motion", text, (formula,))

    def _outward(self) -> SheetStep:
        text = (
            "Newton and Euler, from the base outwards, in the axes of each body: angular acceleration, acceleration of "
            "the centre of mass (gravity is an acceleration of the base), inertial force and moment."
        )
        formulas = (
            *self._each(r"\dot\omega", "angular_acceleration", lambda body: body.angular_acceleration),
            *self._each("a", "acceleration", lambda body: body.acceleration),
            *self._each("F", "force", lambda body: body.force),
            *self._each("N", "moment", lambda body: body.moment),
        )
        rules = (r"F_i = m_i a_i", r"N_i = I_i \dot\omega_i + \omega_i \times I_i \omega_i")
        return SheetStep("Recursion, outwards", text, formulas, rules=rules)

    def _inward(self) -> SheetStep:
        assert self.terms is not None
        formulas = []
        for body in reversed(self.terms.bodies):
            f, n = self.terms.wrench(body.name)
            mark = self.marks[body.name]
            for symbol, expression, part in (("f", f, 0), ("n", n, 1)):

                def kernel(state: State, name: str = body.name, part: int = part) -> Array:
                    return self.numbers.wrench(name, state)[part]

                what = "force" if part == 0 else "moment"
                name = f"{what} in the joint of {body.name}"
                formulas.append(self._formula(name, f"{symbol}_{{{mark}}}", expression, kernel))
        rule = r"M \dot v + c + g"
        rotors = self._rotors()
        if rotors is None:
            formulas.append(SheetFormula("recursion", r"S^T (f, n)", None, self.numbers.inertial, rule))
        else:
            total = self.terms.projected + rotors
            formulas.append(self._formula("recursion", r"S^T (f, n)", total, self.numbers.inertial, rule))
        rules = (
            r"f_i = F_i + \sum_j R_{ij} f_j",
            r"n_i = N_i + c_i \times F_i + \sum_j \left(R_{ij} n_j + p_{ij} \times R_{ij} f_j\right)",
        )
        text = (
            "From the tips inwards: force and moment that each joint transmits, at the origin of the body. Their parts "
            "along the joints are the left side of Lagrange's equations without springs."
        )
        return SheetStep("Recursion, inwards", text, tuple(formulas), rules=rules)

    def _rotors(self) -> Expression | None:
        """Forces of rotors, which turn with the joints and are no bodies of the recursion; None: with quaternions."""
        assert self.terms is not None
        s, a = self.terms.s, self.terms.a
        turning = [*(motor.rotor_inertia for motor in self.machine.motors), *(j.armature for j in self.machine.joints)]
        if not any(nominal(x) != 0.0 for x in turning):
            return ca.SX.zeros(self.eom.nv)
        if self.eom.layout.quaternions:
            return None
        T = s.kinetic_energy - sum(body.kinetic for body in self.terms.bodies)
        M = ca.hessian(T, s.v)[0]
        return M @ a + ca.jtimes(M @ s.v, s.q, s.v) - ca.gradient(T, s.q)


def _zero(formula: SheetFormula, state: State) -> bool:
    return not np.any(np.abs(np.asarray(formula.kernel(state))) > 1e-14)
