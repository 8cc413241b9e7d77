"""The C texts of a horizon, with sizes that are known when they are compiled."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

import numpy as np

from dalembert.core.types import Array

__all__ = ["horizon_text", "table"]

_INCLUDE = re.compile(r'^#include "(\w+\.h)"\n', re.MULTILINE)


@cache
def _read(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def horizon_text(files: Sequence[str], macros: Mapping[str, object], tables: Sequence[str] = ()) -> str:
    """Return texts of a horizon as one that stands alone.

    Parameters
    ----------
    files
        Names of the files, in the order in which they need each other.
    macros
        Sizes and choices.
    tables
        Definitions of constant arrays (`table`).
    """
    seen: set[str] = set()

    def place(match: re.Match[str]) -> str:
        name = match.group(1)
        if name in seen:
            return ""
        seen.add(name)
        return _INCLUDE.sub(place, _read(name))

    head = "".join(f"#define {name} {value}\n" for name, value in macros.items())
    return "\n".join([head, *tables, *(_INCLUDE.sub(place, _read(name)) for name in files)])


def table(name: str, values: Sequence[int] | Array, kind: str = "double") -> str:
    """Return the definition of a constant array; one of nothing has a zero, because C has no empty arrays."""
    flat = np.asarray(values).ravel()
    numbers = ", ".join(_number(x) for x in flat.tolist()) if flat.size else "0"
    return f"static const {kind} {name}[] = {{{numbers}}};\n"


def _number(x: float) -> str:
    if isinstance(x, int):
        return str(x)
    return "HUGE_VAL" if x == np.inf else "-HUGE_VAL" if x == -np.inf else repr(float(x))
