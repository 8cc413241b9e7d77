"""Readable equations of small machines: the compiled tape, replayed in exact algebra, written as in a textbook."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca

from dalembert.analysis.closed_form.algebra import Algebra, Number, Polynomial, fraction_of
from dalembert.analysis.closed_form.layout import Layouter
from dalembert.analysis.closed_form.printing import (
    ACCELERATION,
    FUNCTION,
    GRAVITY,
    INPUT,
    LOAD,
    MASS,
    PARAMETER,
    VELOCITY,
    Writer,
    latex_name,
)
from dalembert.analysis.closed_form.python import python_function
from dalembert.analysis.closed_form.replay import replay
from dalembert.analysis.closed_form.symbols import SymbolMachine, VariableNames, with_symbols
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.layout import Layout
from dalembert.formulations.mapped import CoordinateMap
from dalembert.model.checks import refuse_stick
from dalembert.model.machine import Machine

if TYPE_CHECKING:
    import sympy

__all__ = ["ClosedForm", "closed_form", "tree_form"]


def closed_form(
    machine: Machine,
    *,
    by: str = "lagrange",
    coordinates: CoordinateMap | None = None,
    symbols: str = "all",
    limit: int = 2000,
) -> ClosedForm:
    r"""Return the equations of motion of a small machine in closed form.

    The expressions are those of the compiled functions, operation by operation, in exact arithmetic.

    Parameters
    ----------
    machine
        The machine.
    by
        The formulation, such as ``"lagrange"`` or ``"newton-euler"``; all lead to the same expressions.
    coordinates
        Another choice of coordinates.
    symbols
        ``"all"``: every physical number becomes a symbol (a `Parameter` keeps its name; zeros, unit ratios and
        rotation matrices stay numbers). ``"parameters"``: only parameters are symbols, numbers stay numbers.
    limit
        Largest number of terms of an expression; a machine that needs more is refused, because it would be unreadable.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.analysis import closed_form
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ... )
    >>> print(closed_form(pendulum).text("equations"))
    m*d**2*theta_ddot + m*g*d*sin(theta) = 0
    >>> print(closed_form(pendulum).latex("mass_matrix"))
    \begin{bmatrix} m d^{2} \end{bmatrix}
    """
    if not isinstance(machine, Machine):
        raise InputError(f"a closed form needs a Machine, got {type(machine).__name__}")
    if symbols not in ("all", "parameters"):
        raise InputError(f"symbols must be 'all' or 'parameters', got {symbols!r}")
    if not isinstance(limit, int) or limit < 1:
        raise InputError(f"limit must be a positive number of terms, got {limit!r}")
    if coordinates is not None and not isinstance(coordinates, CoordinateMap):
        raise InputError(f"coordinates must be a CoordinateMap, got {coordinates!r}")
    refuse_stick(machine, "a closed form", "its friction is not a function of the state; give it friction=0")
    if coordinates is None:
        layout = Layout.of_joints(machine.coordinate_joints)
    else:
        layout = Layout.plain(coordinates.names)
    names = VariableNames.of(layout, machine)
    source = with_symbols(machine, names.all)
    eom = derive(source.machine, by, coordinates=coordinates, backend="vm")
    return ClosedForm(eom, source, names, numbers=source.named if symbols == "parameters" else frozenset(), limit=limit)


def tree_form(machine: Machine, *, limit: int) -> ClosedForm:
    """Return the closed form of the tree of a machine with constraints, cables or ropes.

    Its tape has the rows of these elements, for `ClosedForm.expand`.

    Parameters
    ----------
    machine
        The machine.
    limit
        As in `closed_form`.
    """
    refuse_stick(machine, "a closed form", "its friction is not a function of the state; give it friction=0")
    names = VariableNames.of(Layout.of_joints(machine.coordinate_joints), machine)
    source = with_symbols(machine, names.all, rows=True)
    eom = derive(source.machine, "lagrange", backend="vm")
    return ClosedForm(eom, source, names, numbers=frozenset(), limit=limit)


class ClosedForm:
    """Equations of motion ``M(q) a + c(q, v) + dV/dq = applied(q, v, u, t)`` as SymPy expressions.

    Each expression is made on first use. `names` are the names that `text` and `latex` take.

    Attributes
    ----------
    machine
        The machine, its numbers replaced by parameters.
    parameters
        Nominal values of the symbols that are parameters, by name.
    q, v, a, u
        SymPy symbols of coordinates, velocities, accelerations and inputs.
    """

    names = (
        "mass_matrix",
        "coriolis_vector",
        "coriolis_matrix",
        "christoffel",
        "gravity",
        "elastic",
        "applied",
        "kinetic_energy",
        "potential_energy",
        "coordinate_rate",
        "equations",
    )

    def __init__(
        self,
        eom: EquationsOfMotion,
        source: SymbolMachine,
        names: VariableNames,
        *,
        numbers: frozenset[str],
        limit: int,
    ) -> None:
        import sympy

        self.machine = source.machine
        self.by = eom.by
        self._eom = eom
        self.parameters = {p.name: p.value for p in source.machine.parameters if p.name not in numbers}
        q_names, v_names, a_names, u_names = names.q, names.v, names.a, names.u
        self.q, self.v, self.a, self.u = (tuple(map(sympy.Symbol, n)) for n in (q_names, v_names, a_names, u_names))
        self.t = sympy.Symbol("t")

        def too_large(terms: int) -> InputError:
            return InputError(
                f"the closed form of machine '{self.machine.name}' ({eom.nv} degrees of freedom) is too large to read: "
                f"an expression has {terms} terms, the limit is {limit}; lock joints, use equations(), or raise limit="
            )

        self._algebra = Algebra(limit, too_large)
        for _, k in eom.layout.quaternions:
            self._algebra.unit_quaternion(*q_names[k : k + 4])
        symbol = self._algebra.symbol
        for name in q_names:  # one order of sines and cosines, whatever the formulation
            self._algebra.cos_sin(symbol(name))
        s = eom.symbolic
        self._inputs = {
            "q": (s.q, [symbol(n) for n in q_names]),
            "v": (s.v, [symbol(n) for n in v_names]),
            "u": (s.u, [symbol(n) for n in u_names]),
            "t": (s.t, [symbol("t")]),
            "p": (s.p, [symbol(x.name) for x in source.machine.parameters]),
        }
        self._numbers = {x.name: fraction_of(x.value) for x in source.machine.parameters if x.name in numbers}
        self._layouter = Layouter(self._algebra, frozenset({*v_names, *a_names, *u_names}))
        self._replayed: dict[str, list[Polynomial]] = {}
        self._rank = _ranks(self, source)
        self._latex = {n: latex_name(n) for n in q_names}
        for v_name, a_name in zip(v_names, a_names, strict=True):
            rate = v_name.endswith("_dot")
            self._latex[a_name] = latex_name(v_name.removesuffix("_dot"), "ddot" if rate else "dot")
            if rate:
                self._latex[v_name] = latex_name(v_name.removesuffix("_dot"), "dot")

    # -- expressions ----------------------------------------------------------------------------------------------

    def _polynomials(self, name: str, make: Callable[[], Expression | dict[str, Expression]]) -> list[Polynomial]:
        if name not in self._replayed:
            terms = make()
            expressions = terms if isinstance(terms, dict) else {name: terms}
            for key, raw in zip(expressions, replay(self._algebra, [*expressions.values()], self._inputs), strict=True):
                clean = [self._algebra.without_rounding(x) for x in raw]
                if self._numbers:
                    clean = [self._algebra.substitute(x, self._numbers) for x in clean]
                self._replayed[key] = [{m: _exact(c) for m, c in x.items()} for x in clean]
        return self._replayed[name]

    def _velocity_terms(self) -> dict[str, Expression]:
        """Expressions that share the tape of the Coriolis matrix."""
        s = self._eom.symbolic
        force = s.coriolis_matrix @ s.v
        rest = s.bias - force - s.gravity
        return {"coriolis_matrix": s.coriolis_matrix, "coriolis_vector": force, "elastic": rest}

    def _matrix(self, polynomials: Sequence[Polynomial], columns: int) -> sympy.ImmutableDenseMatrix:
        import sympy

        entries = [self._layouter.expression(x) for x in polynomials]
        return sympy.ImmutableDenseMatrix(len(entries) // columns, columns, entries)

    @property
    def _nv(self) -> int:
        return len(self.v)

    @cached_property
    def mass_matrix(self) -> sympy.ImmutableDenseMatrix:
        """Mass matrix ``M``."""
        return self._matrix(self._polynomials("mass_matrix", lambda: self._eom.symbolic.mass_matrix), self._nv)

    @cached_property
    def coriolis_matrix(self) -> sympy.ImmutableDenseMatrix:
        """Coriolis matrix ``C`` of the Christoffel symbols, ``M' - 2 C`` skew."""
        return self._matrix(self._polynomials("coriolis_matrix", self._velocity_terms), self._nv)

    @cached_property
    def coriolis_vector(self) -> sympy.ImmutableDenseMatrix:
        """Coriolis and centrifugal forces ``c = C v``."""
        return self._matrix(self._polynomials("coriolis_vector", self._velocity_terms), 1)

    @cached_property
    def christoffel(self) -> list[sympy.ImmutableDenseMatrix]:
        """Matrices ``C_k`` of the Christoffel symbols, ``c_k = v^T C_k v``; not for quaternions."""
        matrices = self._eom.symbolic.christoffel
        return [
            self._matrix(self._polynomials(f"christoffel{k}", lambda k=k: matrices[k]), self._nv)  # type: ignore[misc]
            for k in range(self._nv)
        ]

    @cached_property
    def gravity(self) -> sympy.ImmutableDenseMatrix:
        """Gravity forces, the gravity part of ``dV/dq``."""
        return self._matrix(self._polynomials("gravity", lambda: self._eom.symbolic.gravity), 1)

    @cached_property
    def elastic(self) -> sympy.ImmutableDenseMatrix:
        """Forces of springs, the rest of ``dV/dq``."""
        return self._matrix(self._polynomials("elastic", self._velocity_terms), 1)

    @cached_property
    def applied(self) -> sympy.ImmutableDenseMatrix:
        """Forces without potential: motors (not saturated), losses and wrenches."""
        return self._matrix(self._polynomials("applied", lambda: self._eom.symbolic.applied), 1)

    @cached_property
    def kinetic_energy(self) -> sympy.Expr:
        """Kinetic energy."""
        return self._matrix(self._polynomials("kinetic", lambda: self._eom.symbolic.kinetic_energy), 1)[0, 0]

    @cached_property
    def potential_energy(self) -> sympy.Expr:
        """Potential energy of gravity and springs."""
        return self._matrix(self._polynomials("potential", lambda: self._eom.symbolic.potential_energy), 1)[0, 0]

    @cached_property
    def coordinate_rate(self) -> sympy.ImmutableDenseMatrix:
        """Rates of the coordinates: the velocities, except for quaternions and free joints."""
        return self._matrix(self._polynomials("rate", lambda: ca.SX(self._eom.symbolic.coordinate_rate)), 1)

    @cached_property
    def equations(self) -> list[sympy.Eq]:
        """Equations ``M a + c + dV/dq = applied``, one SymPy `Eq` per velocity."""
        import sympy

        result = []
        for i in range(self._nv):
            inertia = [self.mass_matrix[i, j] * a for j, a in enumerate(self.a)]
            left = sympy.Add(*inertia, self.coriolis_vector[i], self.gravity[i], self.elastic[i])
            result.append(sympy.Eq(left, self.applied[i], evaluate=False))
        return result

    @cached_property
    def accelerations(self) -> Expression:
        """CasADi symbols of the accelerations, for `expand`."""
        made = ca.SX.sym("a", self._nv)
        self._inputs["a"] = (made, [self._algebra.symbol(x.name) for x in self.a])
        return made

    def declare(self, symbols: Expression, values: Mapping[str, float]) -> None:
        """Make further CasADi symbols known to `expand`.

        Parameters
        ----------
        symbols
            The symbols.
        values
            Their names and nominal values, in the order of the symbols; they join `parameters`.
        """
        self._inputs["declared"] = (symbols, [self._algebra.symbol(name) for name in values])
        self.parameters.update(values)

    def expand(self, name: str, expression: Expression) -> sympy.ImmutableDenseMatrix:
        """Return an expression of the tape of this machine as a SymPy matrix.

        Parameters
        ----------
        name
            A name of the expression, unique in this closed form.
        expression
            CasADi expression of the variables of ``equations(machine).symbolic`` and of `accelerations`.
        """
        self.accelerations  # noqa: B018 -- known to the algebra from now on
        matrix = ca.densify(expression)
        return self._matrix(self._polynomials(f"expanded:{name}", lambda: matrix), matrix.shape[1])

    @property
    def tape(self) -> EquationsOfMotion:
        """Equations of the machine with symbols, for `expand`."""
        return self._eom

    # -- writing --------------------------------------------------------------------------------------------------

    def _get(self, name: str) -> Any:
        if name not in self.names:
            raise UnknownNameError("expression", name, self.names, f"the closed form of machine '{self.machine.name}'")
        return getattr(self, name)

    def write(self, expression: sympy.Expr | sympy.MatrixBase) -> str:
        """Write any SymPy expression or matrix in the symbols of this closed form, in one line."""
        write = Writer("text", self._rank, decimals=bool(self._numbers))
        if not hasattr(expression, "shape"):
            return write(expression)
        rows, columns = expression.shape
        return "[" + "; ".join(", ".join(write(expression[i, j]) for j in range(columns)) for i in range(rows)) + "]"

    def text(self, name: str = "equations") -> str:
        """Write an expression as plain text."""
        write = Writer("text", self._rank, decimals=bool(self._numbers))
        value = self._get(name)
        if name == "equations":
            return "\n".join(f"{write(e.lhs)} = {write(e.rhs)}" for e in value)
        if name == "christoffel":
            blocks = [_text_matrix(m, write) for m in value]
            return "\n\n".join(f"C_{k + 1} =\n{block}" for k, block in enumerate(blocks))
        return _text_matrix(value, write) if hasattr(value, "shape") else write(value)

    def latex(self, name: str = "equations") -> str:
        """Write an expression as LaTeX, for math mode."""
        write = Writer("latex", self._rank, self._latex, decimals=bool(self._numbers))
        value = self._get(name)
        if name == "equations":
            lines = " \\\\\n".join(f"{write(e.lhs)} &= {write(e.rhs)}" for e in value)
            return f"\\begin{{aligned}}\n{lines}\n\\end{{aligned}}"
        if name == "christoffel":
            return ",\\quad ".join(f"C_{{{k + 1}}} = {_latex_matrix(m, write)}" for k, m in enumerate(value))
        return _latex_matrix(value, write) if hasattr(value, "shape") else write(value)

    def latex_of(self, expression: sympy.Expr | sympy.MatrixBase) -> str:
        """Write any SymPy expression or matrix in the symbols of this closed form as LaTeX."""
        write = Writer("latex", self._rank, self._latex, decimals=bool(self._numbers))
        return _latex_matrix(expression, write) if hasattr(expression, "shape") else write(expression)

    def python(self, name: str | None = None) -> str:
        """Write a NumPy function (all of them without a name): arguments as in `equations`, parameters as keywords."""
        functions = [n for n in self.names if n not in ("christoffel", "equations")]
        if name is not None and name not in functions:
            raise UnknownNameError("function", name, functions, f"the closed form of machine '{self.machine.name}'")
        write = Writer("python", self._rank)
        chosen = functions if name is None else [name]
        bodies = [python_function(self, n, self._get(n), write) for n in chosen]
        return "\n\n\n".join(["import numpy as np", *bodies]) + "\n"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex('equations')}$"

    def __str__(self) -> str:
        return self.text("equations")

    def __repr__(self) -> str:
        return f"<ClosedForm of '{self.machine.name}' by {self.by} in {', '.join(map(str, self.q))}>"


def _ranks(form: ClosedForm, source: SymbolMachine) -> dict[str, tuple[int, int]]:
    """Place of each symbol in a product."""
    ranks = {}
    for i, p in enumerate(source.machine.parameters):
        kinds = ((MASS, source.masses), (GRAVITY, source.gravity), (LOAD, source.loads))
        ranks[p.name] = (next((kind for kind, names in kinds if p.name in names), PARAMETER), i)
    for kind, symbols in ((FUNCTION, form.q), (INPUT, form.u), (VELOCITY, form.v), (ACCELERATION, form.a)):
        ranks |= {s.name: (kind, i) for i, s in enumerate(symbols)}
    ranks["t"] = (FUNCTION, len(form.q))
    return ranks


def _exact(c: Number) -> Number:
    return Fraction(c) if isinstance(c, int) else c


def _text_matrix(matrix: sympy.MatrixBase, write: Writer) -> str:
    rows = [[write(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)]
    widths = [max(len(row[j]) for row in rows) for j in range(matrix.cols)]
    return "\n".join("[ " + "   ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)) + " ]" for row in rows)


def _latex_matrix(matrix: sympy.MatrixBase, write: Writer) -> str:
    rows = [" & ".join(write(matrix[i, j]) for j in range(matrix.cols)) for i in range(matrix.rows)]
    return "\\begin{bmatrix} " + " \\\\ ".join(rows) + " \\end{bmatrix}"
