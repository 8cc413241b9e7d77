"""How many operations a set of equations costs: additions, multiplications, divisions and functions of its tape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from dalembert.compile.tape import operation_name, read_tape
from dalembert.core.errors import InputError
from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["OperationCount", "count_operations", "operation_count"]

_ADDITIONS = ("ADD", "SUB")
_MULTIPLICATIONS = ("MUL", "SQ", "TWICE")
_DIVISIONS = ("DIV", "INV")
_FREE = ("INPUT", "OUTPUT", "CONST", "PARAMETER", "NEG")


@dataclass(frozen=True)
class OperationCount:
    """Operations of one evaluation. Changes of sign are not counted: they are part of the addition that follows.

    Parameters
    ----------
    additions, multiplications, divisions
        Additions and subtractions; products, squares and doublings; quotients.
    functions
        Everything else, such as sines, cosines and roots.
    """

    additions: int
    multiplications: int
    divisions: int
    functions: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.additions + self.multiplications + self.divisions + self.functions


def operation_count(eom: EquationsOfMotion, *names: str, shared: bool = True) -> OperationCount:
    """Count the operations of functions of the contract, evaluated together.

    Parameters
    ----------
    eom
        Equations of motion.
    names
        Functions such as ``"forward_dynamics"``; ``"mass_matrix", "bias"`` if none is given. Only one half of the mass
        matrix is counted: it is symmetric.
    shared
        Whether equal operations on equal operands are made once, as in the compiled code; if not, every operation that
        the formulation wrote down counts.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.analysis import operation_count
    >>> pendulum = da.Machine(
    ...     "pendulum",
    ...     bodies=[da.point_mass("bob", 2.0, com=(0, 0, -0.5))],
    ...     joints=[da.Joint("theta", "revolute", "world", "bob", axis=(0, 1, 0))],
    ... )
    >>> operation_count(da.equations(pendulum), "gravity")
    OperationCount(additions=0, multiplications=1, divisions=0, functions=1)
    """
    if not isinstance(eom, EquationsOfMotion):
        raise InputError(f"operation_count needs equations of motion, got {type(eom).__name__}")
    x = eom.symbolic
    outputs: list[Expression] = []
    for name in names or ("mass_matrix", "bias"):
        expression = getattr(x, name)
        outputs += (
            expression
            if isinstance(expression, tuple)
            else [ca.triu(expression) if name == "mass_matrix" else expression]
        )
    return count_operations([x.q, x.v, x.a, x.tau, x.u, x.t, x.p], outputs, shared=shared)


def count_operations(
    inputs: Sequence[Expression], outputs: Sequence[Expression], *, shared: bool = True
) -> OperationCount:
    """Count the operations of CasADi expressions.

    Parameters
    ----------
    inputs
        Their symbols.
    outputs
        The expressions.
    shared
        Whether equal operations on equal operands are made once, as in the compiled code.

    Examples
    --------
    >>> import casadi as ca
    >>> x = ca.SX.sym("x")
    >>> str(count_operations([x], [ca.sin(x) ** 2 + x]))
    'OperationCount(additions=1, multiplications=1, divisions=0, functions=1)'
    """
    f = ca.Function("counted", list(inputs), [ca.SX(e) for e in outputs])
    if shared:
        counter = Counter(read_tape(f).operations)
    else:
        counter = Counter(operation_name(f.instruction_id(i)) for i in range(f.n_instructions()))
    additions, multiplications, divisions = (
        sum(counter[name] for name in names) for names in (_ADDITIONS, _MULTIPLICATIONS, _DIVISIONS)
    )
    free = sum(counter[name] for name in _FREE)
    rest = counter.total() - additions - multiplications - divisions - free
    return OperationCount(additions, multiplications, divisions, rest)
