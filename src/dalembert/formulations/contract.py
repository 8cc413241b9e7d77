"""The functions of the contract: their inputs, their results, and the CasADi function behind each."""

from __future__ import annotations

import casadi as ca

from dalembert.compile import Kernel, compile_function
from dalembert.compile.kernel import Backend
from dalembert.compile.native import Source
from dalembert.core.errors import UnknownNameError
from dalembert.core.types import Expression
from dalembert.formulations.layout import Layout
from dalembert.formulations.symbolic import Symbolic
from dalembert.model.machine import Machine

__all__ = ["GEOMETRIC", "compile_contract"]

GEOMETRIC = ("integrate", "difference")
"""Functions of the configuration space alone: they take no parameters."""

SOLVED = ("forward_dynamics", "forward_dynamics_derivatives")
"""Functions that divide by the mass matrix."""

MATRICES = ("mass_matrix", "coriolis_matrix")
"""Functions that are in stages only where they are large."""

WRITTEN_OUT = 200_000
"""Operations up to which functions in stages are written out for lanes: more would take minutes to compile."""

_Signature = tuple[str, list[tuple[int, ...]]]


def _signatures(machine: Machine, layout: Layout) -> dict[str, _Signature]:
    """Inputs and shapes of the outputs, by name; parameters are an input of all that have any."""
    nq, nv, np_ = layout.nq, layout.nv, len(machine.parameters)
    derivatives: list[tuple[int, ...]] = [(nv, nv), (nv, nv), (nv, nv), (nv, np_)]
    return {
        "mass_matrix": ("q", [(nv, nv)]),
        "coriolis_matrix": ("q v", [(nv, nv)]),
        "gravity": ("q", [(nv,)]),
        "bias": ("q v", [(nv,)]),
        "inverse_dynamics": ("q v a", [(nv,)]),
        "forward_dynamics": ("q v tau", [(nv,)]),
        "inverse_dynamics_derivatives": ("q v a", derivatives),
        "forward_dynamics_derivatives": ("q v tau", derivatives),
        "energy": ("q v", [(), ()]),
        "applied": ("q v u t", [(nv,)]),
        "momentum": ("q v", [(6,)]),
        "center_of_mass": ("q", [(3,)]),
        "coordinate_rate": ("q v", [(nq,)]),
        "pose": ("q", [(4, 4)]),
        "jacobian": ("q", [(6, nv)]),
        "jacobian_rate": ("q v", [(6, nv)]),
        "to_machine": ("q v", [(machine.nq,), (machine.nv,)]),
        "integrate": ("q d", [(nq,)]),
        "difference": ("q q1", [(nv,)]),
    }


def compile_contract(
    machine: Machine, layout: Layout, symbolic: Symbolic, name: str, frame: str | None, axes: str, backend: Backend
) -> Kernel:
    """Compile a function of the contract.

    Parameters
    ----------
    machine, layout, symbolic
        The machine, the coordinates and the expressions of its equations.
    name
        Name of the function.
    frame, axes
        Frame and axes of `pose`, `jacobian` and `jacobian_rate`.
    backend
        As in `compile_function`.
    """
    table = _signatures(machine, layout)
    if name not in table:
        raise UnknownNameError("function", name, table, "the equations of motion")
    inputs, shapes = table[name][0].split(), table[name][1]
    if machine.parameters and name not in GEOMETRIC:
        inputs.append("p")
    symbols = {key: getattr(symbolic, key) for key in ("q", "v", "a", "tau", "u", "t", "p")}
    symbols |= {"d": ca.SX.sym("d", layout.nv), "q1": ca.SX.sym("q1", layout.nq)}
    names = [f"out{i}" for i in range(len(shapes))]
    function: Source
    rows = symbolic.rows(name)
    if rows is not None:
        function = rows.function(name, [symbols[k] for k in inputs], inputs, names)
    else:
        outputs = _outputs(machine, layout, symbolic, symbols, name, frame, axes)
        dense = ca.cse([ca.densify(ca.SX(x)) for x in outputs])
        function = ca.Function(name, [symbols[k] for k in inputs], dense, inputs, names)
    scalars: dict[str, tuple[int, ...]] = {"t": ()} if "t" in inputs else {}
    singular = (
        f"the mass matrix of machine '{machine.name}' is singular at this configuration: some motion moves no inertia"
    )
    return compile_function(
        function,
        backend=backend,
        shapes=scalars | dict(zip(names, shapes, strict=True)),
        # Functions in stages because of their size are not written out for lanes either: a batch runs row by row, which
        # takes up to half as long again and is built in a tenth of the time.
        lanes=rows is None or (name not in MATRICES and function.n_instructions() < WRITTEN_OUT),
        nonfinite=singular if name in SOLVED else None,
    )


def _outputs(
    machine: Machine,
    layout: Layout,
    symbolic: Symbolic,
    symbols: dict[str, Expression],
    name: str,
    frame: str | None,
    axes: str,
) -> list[Expression]:
    if name == "integrate":
        # parameters only affect which turn of a joint is meant, and there the nominal ones are enough
        return [ca.substitute(ca.densify(symbolic.moved(symbols["d"])), symbolic.p, ca.DM(machine.p_nominal))]
    if name == "difference":
        return [layout.difference(symbols["q"], symbols["q1"])]
    if frame is not None:
        return [symbolic.pose(frame)] if name == "pose" else [getattr(symbolic, name)(frame, axes)]
    value = getattr(symbolic, name)
    return list(value) if isinstance(value, tuple) else [value]
