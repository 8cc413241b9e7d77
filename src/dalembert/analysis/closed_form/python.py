"""Closed forms as the source of a NumPy function."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from dalembert.core.errors import InputError

if TYPE_CHECKING:
    import sympy

    from dalembert.analysis.closed_form.form import ClosedForm

__all__ = ["python_function"]

_ARGUMENTS = {
    "mass_matrix": "q",
    "coriolis_vector": "qv",
    "coriolis_matrix": "qv",
    "gravity": "q",
    "elastic": "q",
    "applied": "qvut",
    "kinetic_energy": "qv",
    "potential_energy": "q",
    "coordinate_rate": "qv",
}
_MEANING = {
    "mass_matrix": "Mass matrix, shape (..., {n}, {n})",
    "coriolis_vector": "Coriolis and centrifugal forces, shape (..., {n})",
    "coriolis_matrix": "Coriolis matrix, shape (..., {n}, {n})",
    "gravity": "Gravity forces, shape (..., {n})",
    "elastic": "Forces of springs, shape (..., {n})",
    "applied": "Forces without potential, shape (..., {n})",
    "kinetic_energy": "Kinetic energy, shape (...)",
    "potential_energy": "Potential energy, shape (...)",
    "coordinate_rate": "Rates of the coordinates, shape (..., {m})",
}


def python_function(
    form: ClosedForm, name: str, value: sympy.Expr | sympy.MatrixBase, write: Callable[[sympy.Expr], str]
) -> str:
    """Return the source of a function that takes arrays with any leading axes; parameters are keywords."""
    entries = list(value) if hasattr(value, "shape") else [value]
    used = {s.name for entry in entries for s in entry.free_symbols}
    if "np" in used:
        raise InputError(f"machine '{form.machine.name}': a symbol called 'np' would hide NumPy; rename it")
    parameters = [n for n in form.parameters if n in used]
    vectors = [(_free(k, parameters), getattr(form, k)) for k in _ARGUMENTS[name] if k != "t"]
    positional = [k for k, _ in vectors] + (["t=0.0"] if "t" in _ARGUMENTS[name] else [])
    keywords = [f"{n}={form.parameters[n]!r}" for n in parameters]
    lines = [f"def {name}({', '.join([*positional, '*', *keywords] if keywords else positional)}):"]
    lines.append(f'    """{_MEANING[name].format(n=len(form.v), m=len(form.q))}."""')
    lines += [f"    {k} = np.asarray({k}, dtype=float)" for k, _ in vectors]
    batch, result = _free("batch", used), _free("result", used)
    lines.append(f"    {batch} = np.broadcast_shapes({', '.join(f'{k}.shape[:-1]' for k, _ in vectors)})")
    parts = [(s.name, f"{k}[..., {i}]") for k, symbols in vectors for i, s in enumerate(symbols) if s.name in used]
    if {n for n, _ in parts} & {k for k, _ in vectors}:  # a coordinate called q: all at once, before q is overwritten
        lines.append(f"    {', '.join(n for n, _ in parts)} = {', '.join(x for _, x in parts)}")
    else:
        lines += [f"    {n} = {x}" for n, x in parts]
    shape = getattr(value, "shape", ())
    shape = shape[:1] if shape[1:] == (1,) and not name.endswith("_matrix") else shape
    if not shape:
        return "\n".join([*lines, f"    return np.broadcast_to({write(value)}, {batch})[()]"])
    lines.append(f"    {result} = np.zeros((*{batch}, {', '.join(map(str, shape))}))")
    for i, entry in enumerate(entries):
        if entry != 0:
            index = f"{i}" if len(shape) == 1 else f"{i // shape[1]}, {i % shape[1]}"
            lines.append(f"    {result}[..., {index}] = {write(entry)}")
    return "\n".join([*lines, f"    return {result}"])


def _free(name: str, taken: Collection[str]) -> str:
    """Return the name, with underscores appended until it is not taken."""
    while name in taken:
        name += "_"
    return name
