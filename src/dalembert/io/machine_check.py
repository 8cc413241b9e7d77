"""Everything that is wrong with a machine file at once; loading it stops at the first mistake."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dalembert.core.errors import DalembertError, FileFormatError, MachineError
from dalembert.io.control_blocks import make_law
from dalembert.io.machine_files import MachineReader, read_document
from dalembert.io.machine_schema import MachineFile
from dalembert.io.references import unknown_references
from dalembert.io.schema_errors import describe_all
from dalembert.io.simulation_entries import StateNames, read_simulation
from dalembert.io.source import locating
from dalembert.io.yaml_nodes import Document
from dalembert.model.beam import Beam
from dalembert.model.body import Body
from dalembert.model.checks import body_fault
from dalembert.model.machine import Machine

__all__ = ["check_machine"]


def check_machine(source: str | Path) -> list[FileFormatError]:
    """Return everything that is wrong with a machine file, in the order of its lines; nothing if it is fine.

    What is judged of itself is judged whatever else is wrong: keys, values, names that are referred to, elements,
    inertias, settings and law of the simulation. The machine as a whole is, once its elements are fine.

    Parameters
    ----------
    source
        Path of the file, or the YAML text itself.

    Examples
    --------
    >>> for error in check_machine("{name: arm, bodies: {a: {mass: -1}}, joints: {j: {kind: revolute, child: b}}}"):
    ...     print(error)
    <text>:1: child of joint 'j': no body named 'b'; known: a
    <text>:1: the key 'parent' of joint 'j' is missing
    <text>:1: mass of body 'a' must be >= 0, got -1
    """
    try:
        document = read_document(source)
    except FileFormatError as error:
        return [error]
    findings = _Findings()
    findings.errors += unknown_references(document)
    file = _sound_entries(document, findings)
    if file is not None:
        with findings:
            _check_elements(MachineReader(document, file), findings)
    return sorted(findings.errors, key=_line)


class _Findings:
    """Errors that were met, kept instead of raised: ``with findings: ...``."""

    def __init__(self) -> None:
        self.errors: list[FileFormatError] = []

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, DalembertError):
            return False
        self.errors.append(error if isinstance(error, FileFormatError) else FileFormatError(str(error)))
        return True


def _line(error: FileFormatError) -> int:
    found = re.match(r".*?:(\d+): ", str(error))
    return int(found[1]) if found else 0


def _sound_entries(document: Document, findings: _Findings) -> MachineFile | None:
    """Return the file without the entries whose keys or values are wrong; None if what is left is no machine file."""
    try:
        return MachineFile.model_validate(document.data)
    except ValidationError as error:
        findings.errors += describe_all(error, MachineFile, document)
        wrong = {finding["loc"][:2] for finding in error.errors(include_url=False)}
    if any(path[0] == "parameters" for path in wrong):
        return None  # the expressions of all others may need them
    kept: dict[str, Any] = {}
    for section, entries in document.data.items():
        if (section,) in wrong:
            continue
        kept[section] = entries
        if isinstance(entries, dict):
            kept[section] = {name: entry for name, entry in entries.items() if (section, name) not in wrong}
    try:
        return MachineFile.model_validate(kept)
    except ValidationError:
        return None


def _check_elements(reader: MachineReader, findings: _Findings) -> None:
    document, simulation = reader.document, reader.file.simulation
    parts: dict[str, tuple[Any, ...]] = {}
    for section in reader.makers:
        kept = []
        for name in getattr(reader.file, section):
            with findings:
                kept.append(reader.element(section, name))
        parts[section] = tuple(kept)
    _check_inertias(reader, parts, findings)
    machine = None if findings.errors else _assembled(reader, parts, findings)
    if simulation is not None:
        with findings, locating(document.label, document.line(("simulation", "control"))):
            make_law(simulation.control, reader.parameters)
        names = StateNames.of(machine) if machine is not None else _names(reader, parts)
        with findings:
            read_simulation(simulation, names, document, reader.number, each=findings)


def _names(reader: MachineReader, parts: dict[str, tuple[Any, ...]]) -> StateNames | None:
    """Return what an initial state may name, of parts that make no machine; None if some of them are wrong."""
    if any(len(parts[section]) < len(reader.document.data.get(section, ())) for section in ("bodies", "joints")):
        return None
    led = {coupling.joint for coupling in parts["couplings"]}
    joints = [joint for joint in parts["joints"] if joint.info.nv and joint.name not in led]
    moving = [*joints, *(body for body in parts["bodies"] if isinstance(body, Beam))]
    q, v = ([name for part in moving for name in getattr(part, names)] for names in ("q_names", "v_names"))
    return StateNames.gathered(reader.file.name, q, v, reader.parameters, joints)


def _check_inertias(reader: MachineReader, parts: dict[str, tuple[Any, ...]], findings: _Findings) -> None:
    """Judge the inertias of bodies to which nothing is fixed; the others count together, in the whole machine."""
    rigid = {name for joint in parts["joints"] if joint.kind == "fixed" for name in (joint.parent, joint.child)}
    values = {name: parameter.value for name, parameter in reader.parameters.items()}
    for body in parts["bodies"]:
        if isinstance(body, Body) and body.name not in rigid and (fault := body_fault(body, values)):
            with findings, locating(reader.document.label, reader.document.line(("bodies", body.name))):
                raise MachineError(f"inertia of body '{body.name}' is impossible: {fault}")


def _assembled(reader: MachineReader, parts: dict[str, tuple[Any, ...]], findings: _Findings) -> Machine | None:
    """Return the machine; what is only attached (motors, cables) and does not fit is left out, to judge the others."""
    while True:
        before = len(findings.errors)
        with findings:
            return reader.assembled(parts)
        found = re.match(r".*?: (motor|thruster|wrench|constraint|cable) '([^']*)'", str(findings.errors[before]))
        section = f"{found[1]}es" if found and found[1] == "wrench" else f"{found[1]}s" if found else ""
        if found is None or found[2] not in getattr(reader.file, section):
            return None
        parts = {**parts, section: tuple(part for part in parts[section] if part.name != found[2])}
