"""Closed forms as the source of a NumPy function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalembert.formulations.closed_form import ClosedForm

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


def python_function(form: ClosedForm, name: str, value: Any, write: Callable[[Any], str]) -> str:
    """Return the source of a function that takes arrays with any leading axes; parameters are keywords."""
    arguments = _ARGUMENTS[name]
    entries = list(value) if hasattr(value, "shape") else [value]
    used = {s.name for entry in entries for s in entry.free_symbols}
    vectors = [(k, getattr(form, k)) for k in arguments if k != "t"]
    keywords = [f"{n}={x!r}" for n, x in form.parameters.items() if n in used]
    positional = [f"{k}=0.0" if k == "t" else k for k in arguments]
    signature = ", ".join([*positional, "*", *keywords] if keywords else positional)
    lines = [f"def {name}({signature}):"]
    lines.append(f'    """{_MEANING[name].format(n=len(form.v), m=len(form.q))}."""')
    lines += [f"    {k} = np.asarray({k}, dtype=float)" for k, _ in vectors]
    for k, symbols in vectors:
        lines += [f"    {s.name} = {k}[..., {i}]" for i, s in enumerate(symbols) if s.name in used]
    shapes = ", ".join(f"{k}.shape[:-1]" for k, _ in vectors)
    lines.append(f"    batch = np.broadcast_shapes({shapes})")
    shape = getattr(value, "shape", ())
    shape = shape[:1] if shape[1:] == (1,) and not name.endswith("_matrix") else shape
    if not shape:
        return "\n".join([*lines, f"    return np.broadcast_to({write(value)}, batch)[()]"])
    size = ", ".join(map(str, shape))
    lines.append(f"    result = np.zeros((*batch, {size}))")
    for i, entry in enumerate(entries):
        if entry != 0:
            index = f"{i}" if len(shape) == 1 else f"{i // shape[1]}, {i % shape[1]}"
            lines.append(f"    result[..., {index}] = {write(entry)}")
    return "\n".join([*lines, "    return result"])
