"""Predictive controllers and estimators as C99 that stands alone, for a target."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import cast

import casadi as ca

from dalembert.compile.routine import Routine
from dalembert.control.cascade import Cascade
from dalembert.core.errors import InputError
from dalembert.core.files import make_folder, write_files
from dalembert.core.version import __version__
from dalembert.engine.sources import header_text
from dalembert.io.exported_estimators import (
    estimator_example,
    estimator_symbol,
    estimator_texts,
    joined_example,
    routine_files,
)
from dalembert.io.fmu.tapes import tape_sources
from dalembert.optimal.estimator import Estimator
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


def export_controller(
    law: PredictiveLaw | Estimator | Cascade, folder: str | os.PathLike[str], *, name: str = "controller"
) -> Path:
    """Write a predictive controller, an estimator or both as C99 without any dependency but the mathematical library.

    The folder gets ``NAME.h``, the sources, an ``example.c`` that runs ten samples, and a ``Makefile``.
    ``NAME_step(t, x, parameters, u, info)`` computes a sample of a controller: ``x`` are the coordinates and velocities
    of the model, ``parameters`` those that are ``known`` and then what its references read, ``u`` the inputs to apply,
    and ``info`` status, iterations, violation, slack, action, cost, seconds and weight of second derivatives. It
    returns the status. ``NAME_deadline(clock, seconds)`` gives it a clock: a sample that would take longer is late, and
    the shifted plan or the fallback acts.

    ``NAME_step(t, u, readings, valid, estimates, info)`` computes a sample of an estimator: ``u`` are the inputs of the
    period that ends, ``valid`` says which readings count (NULL: all), ``estimates`` are states and then parameters.

    A `dalembert.control.Cascade` of estimators and a predictive controller gives ``NAME_ESTIMATOR_step`` and
    ``NAME_step``; ``example.c`` shows how they are joined. All memory is static; nothing is allocated. The numbers are
    those of the law in a loop, up to rounding.

    Parameters
    ----------
    law
        A controller made by `dalembert.mpc`, an estimator made by `dalembert.ekf` or `dalembert.mhe`, or a cascade of
        them.
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
    if not re.fullmatch(r"[A-Za-z_]\w*", name, flags=re.ASCII):
        raise InputError(f"name must be a C identifier, got {name!r}")
    texts = {"kernel.h": header_text("kernel.h"), **tape_sources()}
    for symbol, part in _parts(law, name).items():
        texts |= _controller_texts(part, symbol) if isinstance(part, PredictiveLaw) else estimator_texts(part, symbol)
    if isinstance(law, PredictiveLaw):
        texts["example.c"] = _example(law, name)
    elif isinstance(law, Estimator):
        texts["example.c"] = estimator_example(law, name)
    else:
        texts["example.c"] = joined_example(cast(PredictiveLaw, law.inner), law.outer, name)
    objects = " ".join(f"{Path(file).stem}.o" for file in texts if file.endswith(".c") and file != "example.c")
    texts["Makefile"] = _MAKEFILE.format(objects=objects)
    target = make_folder(folder)
    write_files({target / file: text for file, text in texts.items()})
    return target


def _parts(law: object, name: str) -> dict[str, PredictiveLaw | Estimator]:
    """Controllers and estimators by their prefix."""
    if isinstance(law, PredictiveLaw | Estimator):
        return {name: law}
    if not isinstance(law, Cascade):
        raise InputError(
            "export_controller exports controllers of dalembert.mpc, estimators of dalembert.ekf and dalembert.mhe, "
            f"and cascades of them, got {law!r}"
        )
    if not isinstance(law.inner, PredictiveLaw):
        raise InputError(f"export_controller: a Cascade needs an inner law of dalembert.mpc, got {law.inner!r}")
    for stage in law.outer:
        if not isinstance(stage, Estimator):
            raise InputError(f"export_controller: stage '{stage.name}' of the Cascade is not an estimator")
    return {name: law.inner} | {estimator_symbol(stage, name): stage for stage in law.outer}


def _controller_texts(law: PredictiveLaw, name: str) -> dict[str, str]:
    """Files of a controller."""
    problem, model = law.problem, law.problem.model
    tapes = {**problem.tapes, "FALLBACK_TAPE": _fallback(law)}
    entry = {
        "CONTROLLER_STEP": f"{name}_step", "CONTROLLER_RESET": f"{name}_reset",
        "CONTROLLER_DEADLINE": f"{name}_deadline", "N_MEASURED": model.nx,
    }  # fmt: skip
    routine = Routine(name, (), 0, tapes, law.text)
    return {f"{name}.h": _header(law, name)} | routine_files(routine, name, "control_export.c", entry)


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


def _n_more(law: PredictiveLaw) -> int:
    """Number of its parameters."""
    return int(str(law.problem.macros["N_PAR"]))


def _header(law: PredictiveLaw, name: str) -> str:
    n_more = _n_more(law)
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


def _example(law: PredictiveLaw, name: str) -> str:
    n_more, model = _n_more(law), law.problem.model
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
