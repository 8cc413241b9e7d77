"""Predictive controllers as C99 that stands alone, for a target."""

from __future__ import annotations

import os
import re
from pathlib import Path

import casadi as ca

from dalembert.compile.routine import HEAD, Routine
from dalembert.core.errors import InputError
from dalembert.core.files import make_folder, write_files
from dalembert.core.version import __version__
from dalembert.engine.horizon.sources import horizon_text
from dalembert.engine.sources import header_text
from dalembert.io.fmu.routines import tape_loops
from dalembert.io.fmu.tapes import tape_sources, write_tape
from dalembert.optimal.predictive import ACTIONS, STATUSES, PredictiveLaw

__all__ = ["export_controller"]

_MAKEFILE = """\
CFLAGS = -std=c99 -O2 -Wall -Wextra -pedantic -DPLAIN_TAPES
# Other targets: add -DPLAIN_HORIZON for a compiler without vector types, -march=... for the vectors of a processor.

example: example.o {objects}
\t$(CC) $(CFLAGS) -o $@ $^ -lm

clean:
\trm -f example *.o

.PHONY: clean
"""


def export_controller(law: PredictiveLaw, folder: str | os.PathLike[str], *, name: str = "controller") -> Path:
    """Write a predictive controller as C99 sources without any dependency but the mathematical library.

    The folder gets ``NAME.h``, the sources, an ``example.c`` that runs ten samples at the reference, and a
    ``Makefile``. ``NAME_step(t, x, parameters, u, info)`` computes a sample: ``x`` are the coordinates and velocities
    of the model, ``parameters`` those that are ``known`` and then what its references read, ``u`` the inputs to apply,
    and ``info`` status, iterations, violation, slack, action, cost, seconds and weight of second derivatives. It
    returns the status. ``NAME_deadline(clock, seconds)`` gives it a clock: a sample that would take longer is late, and
    the shifted plan or the fallback acts. All memory is static; nothing is allocated. The numbers are those of the law
    in a loop, up to rounding.

    Parameters
    ----------
    law
        The controller, made by `dalembert.mpc`.
    folder
        Made if it does not exist; files of the same names are replaced.
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
    >>> cart = da.Machine(
    ...     "cart",
    ...     bodies=[da.point_mass("cart", 2.0)],
    ...     joints=[da.Joint("x", "prismatic", "world", "cart", axis="x")],
    ...     motors=[da.Motor("push", "x")],
    ... )
    >>> cost = da.Cost(states={"x": 1.0, "x_dot": 0.1}, inputs=1e-3)
    >>> law = da.mpc(cart, horizon=1.0, intervals=4, cost=cost, reference={"x": 1.0})
    >>> folder = da.export_controller(law, tempfile.mkdtemp(), name="cart_law")
    >>> (folder / "cart_law.h").is_file()
    True
    """
    if not isinstance(law, PredictiveLaw):
        raise InputError(f"export_controller exports controllers of dalembert.mpc, got {law!r}")
    if not re.fullmatch(r"[A-Za-z_]\w*", name, flags=re.ASCII):
        raise InputError(f"name must be a C identifier, got {name!r}")
    problem, model = law.problem, law.problem.model
    tapes = {**problem.tapes, "FALLBACK_TAPE": _fallback(law)}
    routine = Routine(name, (), 0, tapes, law.text)
    written = {macro: write_tape(f"{name}_{macro.lower()}", f) for macro, f in routine.named.items()}
    n_more = int(str(problem.macros["N_PAR"]))
    entry = horizon_text(
        ("control_export.c",),
        {
            "CONTROLLER_STEP": f"{name}_step", "CONTROLLER_RESET": f"{name}_reset",
            "CONTROLLER_DEADLINE": f"{name}_deadline", "N_MEASURED": model.nx,
            "TAPE_WORK": max(tape.n_work for tape in written.values()),
        },
    )  # fmt: skip
    prototypes = "".join(tape.prototype for tape in written.values())
    source = "".join([f'#include "{name}.h"\n', HEAD, prototypes, tape_loops(name, routine), law.text, entry])
    texts = {
        f"{name}.h": _header(law, name, n_more), f"{name}.c": source, "kernel.h": header_text("kernel.h"),
        **tape_sources(),
        **{f"{name}_{macro.lower()}.c": tape.text for macro, tape in written.items()},
        "example.c": _example(law, name, n_more),
    }  # fmt: skip
    objects = " ".join(f"{Path(file).stem}.o" for file in texts if file.endswith(".c") and file != "example.c")
    texts["Makefile"] = _MAKEFILE.format(objects=objects)
    target = make_folder(folder)
    write_files({target / file: text for file, text in texts.items()})
    return target


def _fallback(law: PredictiveLaw) -> ca.Function:
    """Inputs of the fallback: ``x, parameters, t -> u``."""
    model, problem = law.problem.model, law.problem
    x, _, par, t = model.symbols
    more = ca.vertcat(par, *problem.reads)
    if law.fallback is None:
        u = problem.tapes["GOAL_TAPE"](more, t)[problem.nx :]
    else:
        s = model.eom.symbolic
        names = law.fallback.state_names(model.eom)
        if names:
            raise InputError(
                f"the fallback of '{law.name}' has the states {', '.join(names)}; give a law without states"
            )
        u = model.at(law.fallback.expression(model.eom, s.t, s.q, s.v, ca.SX(0, 1), s.p)[0])
    return ca.Function("fallback", [x, more, t], [ca.densify(ca.SX(u))])


def _header(law: PredictiveLaw, name: str, n_more: int) -> str:
    problem, guard = law.problem, f"{name.upper()}_H"
    more = [*problem.model.free, *map(str, problem.reads)]
    return (
        f"/* A predictive controller, written by dalembert {__version__}. Call {name}_step every {law.period:g} s.\n"
        f" * x: {', '.join(problem.model.names)}\n"
        f" * parameters: {', '.join(more) or 'none'}\n"
        f" * u: {', '.join(problem.model.eom.u_names)}\n"
        f" * info: status ({', '.join(f'{k} {s}' for k, s in enumerate(STATUSES))}), iterations, violation, slack,\n"
        f" *       action ({', '.join(f'{k} {s}' for k, s in enumerate(ACTIONS))}), cost, seconds,\n"
        f" *       weight of second derivatives\n"
        f" * {name}_deadline: a sample that would take more seconds of the clock is late; NULL: no deadline */\n"
        f"#ifndef {guard}\n#define {guard}\n\n"
        f"enum {{ {name.upper()}_STATES = {problem.model.nx}, {name.upper()}_INPUTS = {problem.nu}, "
        f"{name.upper()}_PARAMETERS = {n_more} }};\n\n"
        f"int {name}_step(double t, const double *x, const double *parameters, double *u, double *info);\n"
        f"void {name}_reset(void);\n"
        f"void {name}_deadline(double (*clock)(void), double seconds);\n\n#endif\n"
    )


def _example(law: PredictiveLaw, name: str, n_more: int) -> str:
    model = law.problem.model
    nominal = dict(zip(model.eom.p_names, model.eom.parameter_values(None).tolist(), strict=True))
    more = [nominal[p] for p in model.free] + [0.0] * (n_more - len(model.free))
    numbers = ", ".join(repr(x) for x in more) or "0"
    states = ", ".join(repr(float(v)) for v in law.problem.goal[: model.nx])
    return (
        f'#include <stdio.h>\n\n#include "{name}.h"\n\n'
        "/* Ten samples at the reference; prints time, status and inputs. */\n"
        "int main(void) {\n"
        f"    const double x[] = {{{states}}}, parameters[] = {{{numbers}}};\n"
        f"    double u[{law.problem.nu}], info[8];\n"
        "    for (int k = 0; k < 10; k++) {\n"
        f"        const double t = k * {law.period!r};\n"
        f"        const int status = {name}_step(t, x, parameters, u, info);\n"
        '        printf("%.17g %d", t, status);\n'
        f'        for (int i = 0; i < {law.problem.nu}; i++) printf(" %.17g", u[i]);\n'
        '        printf("\\n");\n'
        "    }\n    return 0;\n}\n"
    )
