"""A law as one function, and the digest of its operations: proven, simulated and exported laws compare by it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import casadi as ca

from dalembert.compile.export import export_c
from dalembert.compile.tape import read_tape
from dalembert.control.cascade import Sampled
from dalembert.core.digest import digest
from dalembert.core.errors import InputError
from dalembert.core.ports import Law
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine

__all__ = ["export_law", "law_digest", "law_function"]


def law_function(machine: Machine | EquationsOfMotion, law: Law) -> ca.Function:
    """The inputs and the rates of the states of a law, ``(t, q, v, z, p) -> (u, z_dot)``.

    It is the expression that `dalembert.simulate`, rollouts and FMUs put into their loops, and a function for
    `dalembert.compile.export_c`.

    Parameters
    ----------
    machine
        The machine.
    law
        An expression law, such as those of `scheduled_feedback`.

    Examples
    --------
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     bodies=[da.rod("link", 1.0, 0.5, axis="x")],
    ...     joints=[da.Joint("theta", "revolute", "world", "link", axis="z")],
    ...     motors=[da.Motor("theta", "theta")],
    ... )
    >>> law_function(arm, da.PD(kp=100.0, kd=20.0, reference=[0.0])).name_out()
    ['u', 'z_dot']
    """
    if not isinstance(law, Law):
        raise InputError(f"a function of a law needs an expression law, got {type(law).__name__}")
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    sizes = {"t": 1, "q": eom.nq, "v": eom.nv, "z": len(law.state_names(eom)), "p": len(eom.p_names)}
    symbols = {name: ca.SX.sym(name, size) for name, size in sizes.items()}
    u, rates = law.expression(eom, *symbols.values())
    return ca.Function("law", [*symbols.values()], [u, rates], [*symbols], ["u", "z_dot"])


def law_digest(machine: Machine | EquationsOfMotion, law: Law | Sampled) -> str:
    """Digest of a law: of its operations, one by one, and of its period if it is sampled (64 hexadecimal digits).

    Two laws of one digest consist of the same operations on the same numbers. An FMU contains the digest of its law as
    ``documentation/law.sha256``, C code by `export_law` as a macro of its header.

    Parameters
    ----------
    machine
        The machine.
    law
        An expression law, or a `Sampled` one.

    Examples
    --------
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     bodies=[da.rod("link", 1.0, 0.5, axis="x")],
    ...     joints=[da.Joint("theta", "revolute", "world", "link", axis="z")],
    ...     motors=[da.Motor("theta", "theta")],
    ... )
    >>> laws = [da.PD(kp=100.0, kd=kd, reference=[0.0]) for kd in (20.0, 20.0, 21.0)]
    >>> first, same, other = (law_digest(arm, law) for law in laws)
    >>> first == same, first == other
    (True, False)
    """
    return _digest(law_function(machine, _inner(law)), law)


def export_law(
    machine: Machine | EquationsOfMotion,
    law: Law | Sampled,
    folder: str | os.PathLike[str],
    *,
    name: str = "controller",
) -> Path:
    """Write a law as C99 that stands alone, with its digest.

    ``NAME.h`` declares ``NAME_law(t, q, v, z, p, u, z_dot)``, lists the entries of these arrays, and defines
    ``NAME_SHA256`` (the `law_digest`) and ``NAME_PERIOD``, the seconds between samples: zero for a law that is not
    sampled. The digest is that of the function from which the code is written.

    Parameters
    ----------
    machine
        The machine.
    law
        An expression law, or a `Sampled` one.
    folder
        Made if it does not exist; files of the same names are replaced. `dalembert.compile.export_c` lists them.
    name
        Prefix of all names, a C identifier.

    Returns
    -------
    Path
        The folder.

    Examples
    --------
    >>> import tempfile
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     bodies=[da.rod("link", 1.0, 0.5, axis="x")],
    ...     joints=[da.Joint("theta", "revolute", "world", "link", axis="z")],
    ...     motors=[da.Motor("theta", "theta")],
    ... )
    >>> law = da.PD(kp=100.0, kd=20.0, reference=[0.0])
    >>> header = export_law(arm, law, tempfile.mkdtemp(), name="arm") / "arm.h"
    >>> law_digest(arm, law) in header.read_text()
    True
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    inner = _inner(law)
    function = law_function(eom, inner)
    return export_c(
        [function],
        folder,
        name=name,
        examples={"t": 0.0, "q": eom.q_neutral},
        layout={"q": eom.q_names, "v": eom.v_names, "z": inner.state_names(eom), "p": eom.p_names, "u": eom.u_names},
        constants={"sha256": _digest(function, law), "period": law.period if isinstance(law, Sampled) else 0.0},
    )


def _inner(law: Law | Sampled) -> Law:
    return law.law if isinstance(law, Sampled) else law


def _digest(function: ca.Function, law: Law | Sampled) -> str:
    tape = replace(read_tape(function), name="law")
    return digest(tape, law.period if isinstance(law, Sampled) else None)
