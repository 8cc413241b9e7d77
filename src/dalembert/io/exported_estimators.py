"""Estimators as C99 that stands alone, and the example that joins them with a controller."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from dalembert.compile.routine import HEAD, Routine
from dalembert.core.version import __version__
from dalembert.engine.horizon.sources import horizon_text
from dalembert.io.fmu.routines import tape_loops
from dalembert.io.fmu.tapes import write_tape
from dalembert.optimal.estimator import Estimator
from dalembert.optimal.predictive import PredictiveLaw
from dalembert.optimal.stage import stage_routine

__all__ = ["estimator_example", "estimator_symbol", "estimator_texts", "joined_example", "routine_files"]

_TABLE = re.compile(r"^static const (?:double|int) (\w+)\[\]", re.MULTILINE)


def estimator_symbol(estimator: Estimator, prefix: str) -> str:
    """Prefix of the names of an estimator beside a controller."""
    return f"{prefix}_{re.sub(r'[^0-9A-Za-z_]', '_', estimator.name)}"


def routine_files(routine: Routine, name: str, entry: str, macros: Mapping[str, object]) -> dict[str, str]:
    """Return the sources of a routine: its text with an entry, and its tapes.

    Parameters
    ----------
    routine
        The routine.
    name
        Prefix of all names.
    entry
        File with the functions that a target calls.
    macros
        Names and sizes that the entry needs, besides ``TAPE_WORK`` and ``USE_TABLES``.
    """
    written = {macro: write_tape(f"{name}_{macro.lower()}", f) for macro, f in routine.named.items()}
    work = max(tape.n_work for tape in written.values())
    used = " ".join(f"(void){table};" for table in _TABLE.findall(routine.text))  # some have no entries that count
    functions = horizon_text((entry,), {**macros, "TAPE_WORK": work, "USE_TABLES": used})
    prototypes = "".join(tape.prototype for tape in written.values())
    source = "".join([f'#include "{name}.h"\n', HEAD, prototypes, tape_loops(name, routine), routine.text, functions])
    return {f"{name}.c": source} | {f"{name}_{macro.lower()}.c": tape.text for macro, tape in written.items()}


def estimator_texts(estimator: Estimator, name: str) -> dict[str, str]:
    """Files of an estimator."""
    nu, seen = estimator.model.eom.nu, estimator.readings
    routine = stage_routine(
        name, estimator.tapes, estimator.text, len(estimator.shown), len(estimator.memory), nu + 2 * len(seen)
    )
    status = list(estimator.shown).index(f"{estimator.name}.status")
    macros = {
        "ESTIMATOR_STEP": f"{name}_step", "ESTIMATOR_RESET": f"{name}_reset", "N_APPLIED": nu, "STATUS_AT": status
    }  # fmt: skip
    return {f"{name}.h": _header(estimator, name)} | routine_files(routine, name, "estimator_export.c", macros)


def _info(estimator: Estimator) -> list[str]:
    """Names of the values besides the estimates."""
    return [x.removeprefix(f"{estimator.name}.") for x in list(estimator.shown)[len(estimator.names) :]]


def _header(estimator: Estimator, name: str) -> str:
    nu, guard, info = estimator.model.eom.nu, f"{name.upper()}_H", _info(estimator)
    sizes = {"INPUTS": nu, "READINGS": len(estimator.readings), "ESTIMATES": len(estimator.names), "INFO": len(info)}
    return (
        f"/* An estimator, written by dalembert {__version__}. Call {name}_step every {estimator.period:g} s.\n"
        f" * u: inputs of the period that ends, 0 at the first call: {', '.join(estimator.model.eom.u_names)}\n"
        f" * readings: {', '.join(estimator.readings)}\n"
        f" * valid: above one half where a reading counts; NULL: all count\n"
        f" * estimates: {', '.join(estimator.names)}\n"
        f" * info: {', '.join(info)}\n"
        f" * It returns the status: 0, or 1 where a sample failed. */\n"
        f"#ifndef {guard}\n#define {guard}\n\n"
        f"enum {{ {', '.join(f'{name.upper()}_{key} = {value}' for key, value in sizes.items())} }};\n\n"
        f"int {name}_step(double t, const double *u, const double *readings, const double *valid, double *estimates,\n"
        f"    double *info);\n"
        f"void {name}_reset(void);\n\n#endif\n"
    )


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(repr(float(x)) for x in values) or "0"


def _first_readings(estimator: Estimator) -> list[float]:
    """Readings of the first estimates."""
    return [float(x) for x in np.array(estimator.tapes["SEE_TAPE"](estimator.first, 0.0)[0]).ravel()]


def estimator_example(estimator: Estimator, name: str) -> str:
    """Return a program that runs ten samples at the first estimates."""
    n = len(estimator.names)
    return (
        f'#include <stdio.h>\n\n#include "{name}.h"\n\n'
        "/* Ten samples with the readings of the first estimates; prints time, status and estimates. */\n"
        "int main(void) {\n"
        f"    const double u[] = {{{_numbers([0.0] * estimator.model.eom.nu)}}};\n"
        f"    const double readings[] = {{{_numbers(_first_readings(estimator))}}};\n"
        f"    double estimates[{n}], info[{len(_info(estimator))}];\n"
        "    for (int k = 0; k < 10; k++) {\n"
        f"        const double t = k * {estimator.period!r};\n"
        f"        const int status = {name}_step(t, u, readings, NULL, estimates, info);\n"
        '        printf("%.17g %d", t, status);\n'
        f'        for (int i = 0; i < {n}; i++) printf(" %.17g", estimates[i]);\n'
        '        printf("\\n");\n'
        "    }\n    return 0;\n}\n"
    )


def joined_example(law: PredictiveLaw, estimators: Sequence[Estimator], name: str) -> str:
    """Return a program in which a controller reads the estimates, for ten of its samples."""
    model, nu = law.problem.model, law.problem.nu
    nominal = dict(zip(model.eom.p_names, model.eom.parameter_values(None).tolist(), strict=True))
    reads = [nominal[p] for p in model.free] + [0.0] * len(law.problem.reads)
    last = {state: (e, k) for e in estimators for k, state in enumerate(e.names)}
    symbols = {id(e): estimator_symbol(e, name) for e in estimators}
    lines = [
        "#include <stdio.h>\n", *(f'#include "{x}.h"' for x in (name, *symbols.values())), "",
        "/* Ten samples with the readings of the first estimates; prints time, status and inputs. A target calls each",
        " * function at its own period: estimators first, with the inputs of the period that ends. */",
        "int main(void) {",
        f"    double x[{model.nx}] = {{0}}, parameters[] = {{{_numbers(reads)}}}, u[{nu}] = {{0}}, info[8];",
        "    for (int k = 0; k < 10; k++) {", f"        const double t = k * {law.period!r};",
    ]  # fmt: skip
    for e in estimators:
        one = symbols[id(e)]
        lines += [
            f"        const double {one}_readings[] = {{{_numbers(_first_readings(e))}}};",
            f"        double {one}_estimates[{len(e.names)}], {one}_info[{len(_info(e))}];",
            f"        {one}_step(t, u, {one}_readings, NULL, {one}_estimates, {one}_info);",
        ]
    for target, names in (("x", model.names), ("parameters", model.free)):
        for k, state in enumerate(names):
            if state in last:
                e, place = last[state]
                lines.append(f"        {target}[{k}] = {symbols[id(e)]}_estimates[{place}]; /* {state} */")
    lines += [
        f"        const int status = {name}_step(t, x, parameters, u, info);",
        '        printf("%.17g %d", t, status);',
        f'        for (int i = 0; i < {nu}; i++) printf(" %.17g", u[i]);',
        '        printf("\\n");', "    }", "    return 0;", "}", "",
    ]  # fmt: skip
    return "\n".join(lines)
