"""Everything that is wrong with a machine file at once; loading it stops at the first mistake."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dalembert.core.errors import DalembertError, FileFormatError, MachineError
from dalembert.io.control_blocks import law_faults
from dalembert.io.experiment_files import load_experiment
from dalembert.io.machine_files import MachineReader, read_document
from dalembert.io.machine_schema import MachineFile, machine_file
from dalembert.io.references import Element, mentions, unfit_references, without_dependants
from dalembert.io.route_check import route_faults
from dalembert.io.schema_errors import describe_all
from dalembert.io.simulation_entries import StateNames, read_simulation
from dalembert.io.source import located, locating
from dalembert.io.yaml_nodes import Document
from dalembert.model.body import Body
from dalembert.model.checks import body_fault
from dalembert.model.elastic.contract import Elastic
from dalembert.model.machine import Machine

__all__ = ["check_machine"]

_Parts = dict[str, tuple[Any, ...]]

# Sections that decide whether every joint moves some inertia.
_MOVING = ("bodies", "joints", "motors", "couplings", "constraints", "cables", "ropes")


def check_machine(source: str | Path) -> list[FileFormatError]:
    """Return everything that is wrong with a machine file, in the order of its lines; nothing if it is fine.

    Each element is checked independently of errors in others: keys, values, names that are referred to, elements,
    inertias, settings and law of the simulation, and in a file without other mistakes the routes of ropes at the start
    of the simulation. The remaining machine without its wrong elements and their dependents
    is checked too; the inertia that each joint moves is checked for complete machines only.

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
        document = read_document(source, lenient=True)
    except FileFormatError as error:
        return [error]
    findings = _Findings()
    findings.errors += document.twice
    unfit = unfit_references(document)
    findings.errors += [error for _, error in unfit]
    file = _sound_entries(document, findings)
    if file is not None:
        with findings:
            _check_elements(MachineReader(document, file), {element for element, _ in unfit}, findings)
            if file.ropes and not findings.errors:
                findings.errors += route_faults(document, load_experiment(source))
    return sorted(findings.errors, key=_line)


class _Findings:
    """Errors that were met, kept instead of raised: ``with findings: ...``."""

    def __init__(self) -> None:
        self.errors: list[FileFormatError] = []

    def __enter__(self) -> _Findings:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, DalembertError):
            return False
        self.errors.append(error if isinstance(error, FileFormatError) else FileFormatError(str(error)))
        return True


def _line(error: FileFormatError) -> int:
    match = re.match(r".*?:(\d+): ", str(error))
    return int(match[1]) if match else 0


def _sound_entries(document: Document, findings: _Findings) -> MachineFile | None:
    """Return the file without the entries whose keys or values are wrong; None if the remainder is no machine file."""
    try:
        return machine_file().model_validate(document.data)
    except ValidationError as error:
        findings.errors += describe_all(error, machine_file(), document)
        wrong = {finding["loc"][:2] for finding in error.errors(include_url=False)}
    parameters = {str(path[1]) for path in wrong if path[0] == "parameters" and len(path) > 1}
    kept: dict[str, Any] = {}
    for section, entries in document.data.items():
        if (section,) in wrong:
            continue
        kept[section] = entries
        if isinstance(entries, dict):  # what a wrong parameter is part of cannot be judged
            kept[section] = {
                name: entry
                for name, entry in entries.items()
                if (section, name) not in wrong and not mentions(entry, parameters)
            }
        elif isinstance(entries, list):
            kept[section] = [entry for entry in entries if not mentions(entry, parameters)]
    try:
        return machine_file().model_validate(kept)
    except ValidationError:
        return None


def _check_elements(reader: MachineReader, unfit: set[Element], findings: _Findings) -> None:
    document, simulation = reader.document, reader.file.simulation
    parts: _Parts = {}
    for section in reader.makers:
        kept = []
        for name in getattr(reader.file, section):
            with findings:
                kept.append(reader.element(section, name))
        parts[section] = tuple(kept)
    _check_inertias(reader, parts, findings)
    wrong = unfit | _missing(document, parts)
    whole = not any(section in _MOVING for section, _ in wrong)
    machine = _assembled(reader, _remaining(document, parts, wrong), findings, whole=whole)
    if simulation is not None:
        law = simulation.control if isinstance(simulation.control, dict) else None
        if law is not None:
            with findings:
                reader.law(law, machine)
        if machine is not None and len(machine.motors) == len(document.data.get("motors") or ()):
            for key, fault in law_faults(law or {}, [motor.name for motor in machine.motors]):
                findings.errors.append(located(document.label, document.line(("simulation", "control", key)), fault))
        names = (
            StateNames.of(machine, reader.parameter_unit)
            if machine is not None and not wrong
            else _names(reader, parts)
        )
        with findings:
            read_simulation(simulation, names, document, reader.number, each=findings)


def _missing(document: Document, parts: _Parts) -> set[Element]:
    """Elements of the file that are not among the parts."""
    listed = {section: entries for section, entries in document.data.items() if isinstance(entries, dict)}
    return {(section, name) for section in parts for name in set(listed.get(section, ())) - set(_named(section, parts))}


def _remaining(document: Document, parts: _Parts, wrong: set[Element]) -> _Parts:
    """The parts without the wrong ones and their dependents; signals and sensors may read anything."""
    lost = without_dependants(document, wrong) if wrong else set()
    kept = {
        section: tuple(component for name, component in _named(section, parts).items() if (section, name) not in lost)
        for section in parts
    }
    return {**kept, "signals": (), "sensors": ()} if lost else kept


def _named(section: str, parts: _Parts) -> dict[str, Any]:
    return {component.joint if section == "couplings" else component.name: component for component in parts[section]}


def _names(reader: MachineReader, parts: _Parts) -> StateNames | None:
    """Return the names for an initial state, of parts that make no machine; None if some of them are wrong."""
    if any(len(parts[section]) < len(reader.document.data.get(section, ())) for section in ("bodies", "joints")):
        return None
    led = {coupling.joint for coupling in parts["couplings"]}
    joints = [joint for joint in parts["joints"] if joint.info.nv and joint.name not in led]
    moving = [*joints, *(body for body in parts["bodies"] if isinstance(body, Elastic))]
    q, v = ([name for owner in moving for name in getattr(owner, names)] for names in ("q_names", "v_names"))
    return StateNames.gathered(reader.file.name, q, v, reader.parameters, joints, reader.parameter_unit)


def _check_inertias(reader: MachineReader, parts: _Parts, findings: _Findings) -> None:
    """Judge the inertias of bodies to which nothing is fixed; the others count together, in the whole machine."""
    rigid = {name for joint in parts["joints"] if joint.kind == "fixed" for name in (joint.parent, joint.child)}
    values = {name: parameter.value for name, parameter in reader.parameters.items()}
    for body in parts["bodies"]:
        if isinstance(body, Body) and body.name not in rigid and (fault := body_fault(body, values)):
            with findings, locating(reader.document.label, reader.document.line(("bodies", body.name))):
                raise MachineError(f"inertia of body '{body.name}' is impossible: {fault}")


def _assembled(reader: MachineReader, parts: _Parts, findings: _Findings, *, whole: bool) -> Machine | None:
    """Return the machine; elements that do not fit are left out, or given inertia, to check the others.

    Where parts are not ``whole``, they are checked all the same, except for inertias: a motor or a body may be missing.
    """
    while parts["bodies"] and parts["joints"]:
        with warnings.catch_warnings(), _Findings() as attempt:
            if not whole:
                warnings.simplefilter("ignore")
            return reader.assembled(parts)
        error = attempt.errors[0]
        massive = _with_inertia(parts, str(error))
        if (massive is None or whole) and str(error) not in map(str, findings.errors):
            findings.errors.append(error)
        smaller = massive or _without_attached(parts, str(error))
        if smaller is None:
            return None
        parts = smaller
    return None


def _without_attached(parts: _Parts, error: str) -> _Parts | None:
    """The parts without the first one that an error quotes, if it is only attached (a motor, a cable ...)."""
    for name in re.findall(r"'([^']*)'", error):
        for section in parts:
            if section not in ("bodies", "joints") and name in _named(section, parts):
                return {**parts, section: tuple(kept for key, kept in _named(section, parts).items() if key != name)}
    return None


def _with_inertia(parts: _Parts, error: str) -> _Parts | None:
    """The parts with some inertia for the bodies that an error says to have none; None if it says something else."""
    if not re.search(r"no (mass|inertia)|nothing: the bodies|is impossible", error):
        return None
    quoted = set(re.findall(r"'([^']*)'", error))
    named = quoted | {joint.child for joint in parts["joints"] if joint.name in quoted}
    lacking = [body.name for body in parts["bodies"] if body.name in named and isinstance(body, Body)]
    mended = tuple(replace(b, mass=1.0, inertia=(1.0, 1.0, 1.0)) if b.name in lacking else b for b in parts["bodies"])
    return {**parts, "bodies": mended} if lacking and mended != parts["bodies"] else None
