"""The model description of an FMU: its variables and their roles, in XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from xml.etree import ElementTree as ET

from dalembert.core.types import Array
from dalembert.core.version import __version__
from dalembert.io.fmu.program import ACCOUNT
from dalembert.io.fmu.units import DISPLAYED, define_units, known, rate_unit

__all__ = ["Content", "build_description", "model_description"]


@dataclass(frozen=True, eq=False)
class Content:
    """The variables of an FMU.

    Parameters
    ----------
    name, guid
        Name and identifier of the model.
    states, x0
        Names and initial values.
    latches
        Those that keep their values between events.
    inputs, c0
        Names and values before they are set.
    held, n_held
        Names of all held values that are shown, of which the inputs come first, and how many there are.
    parameters, p0
        Names and values.
    outputs
        Names of the other computed variables.
    indicators
        Names of events.
    step
        Step of the internal solver, in seconds.
    exchange
        Whether there is model exchange, besides co-simulation.
    sources
        C files, to be compiled together.
    start, duration
        Time at which it starts, and seconds that it is simulated by default; None: not said.
    identifier
        Name of the model as a C identifier: the name of its binary.
    units
        Units of variables by name.
    """

    name: str
    guid: str
    states: tuple[str, ...]
    x0: Array
    latches: range
    inputs: tuple[str, ...]
    c0: Array
    held: tuple[str, ...]
    n_held: int
    parameters: tuple[str, ...]
    p0: Array
    outputs: tuple[str, ...]
    indicators: tuple[str, ...]
    step: float
    exchange: bool
    sources: tuple[str, ...]
    start: float = 0.0
    duration: float | None = None
    identifier: str = "model"
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def default_experiment(self) -> dict[str, str]:
        """Start, end and step that a tool offers."""
        end = self.start + (self.duration or 10.0)
        return {"startTime": f"{self.start:.12g}", "stopTime": f"{end:.12g}", "stepSize": "0.01"}


@dataclass(frozen=True)
class _Variable:
    name: str
    reference: int
    causality: str
    variability: str
    initial: str | None = None
    start: float | None = None
    derivative_of: int | None = None
    indicates: bool = False
    description: str = ""
    unit: str = ""


def _variables(c: Content) -> Iterator[_Variable]:
    """All variables, with their units."""
    for v in _plain_variables(c):
        unit = known(c.units.get(v.name))
        if v.name in ("time", "solver.step"):
            unit = "s"
        elif v.derivative_of is not None:
            unit = rate_unit(c.units.get(v.name[4:-1], ""))
        yield replace(v, unit=unit)


def _plain_variables(c: Content) -> Iterator[_Variable]:
    r = 1
    moving = [k for k in range(len(c.states)) if k not in c.latches]
    yield _Variable("time", 0, "independent", "continuous")
    for k, name in enumerate(c.states):
        if k in c.latches:
            yield _Variable(name, r + k, "output", "discrete", "calculated")
        else:
            yield _Variable(name, r + k, "output", "continuous", "exact", float(c.x0[k]))
    r += len(c.states)
    if c.exchange:
        for i, k in enumerate(moving):
            yield _Variable(f"der({c.states[k]})", r + i, "local", "continuous", "calculated", derivative_of=1 + k)
    r += len(moving)
    for k, name in enumerate(c.inputs):
        yield _Variable(name, r + k, "input", "continuous", None, float(c.c0[k]))
    for k, name in list(enumerate(c.held))[len(c.inputs) :]:
        yield _Variable(name, r + k, "output", "discrete", "calculated")
    r += c.n_held
    for k, name in enumerate(c.parameters):
        yield _Variable(f"parameter.{name}", r + k, "parameter", "tunable", "exact", float(c.p0[k]))
    r += len(c.parameters)
    for k, name in enumerate(c.outputs):
        yield _Variable(name, r + k, "output", "discrete" if name in ACCOUNT else "continuous", "calculated")
    r += len(c.outputs)
    yield _Variable(
        "solver.step", r, "parameter", "tunable", "exact", c.step, description="longest step of the solver [s]"
    )
    for k, name in enumerate(c.indicators if c.exchange else ()):
        yield _Variable(f"indicator.{name}", r + 1 + k, "local", "continuous", "calculated", indicates=True)


def model_description(content: Content, version: str) -> str:
    """Return modelDescription.xml."""
    variables = list(_variables(content))
    make = _second if version == "2.0" else _third
    root = make(content, variables)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _attributes(v: _Variable) -> dict[str, str]:
    attributes = {
        "name": v.name,
        "valueReference": str(v.reference),
        "causality": v.causality,
        "variability": v.variability,
    }
    if v.initial:
        attributes["initial"] = v.initial
    if v.description:
        attributes["description"] = v.description
    return attributes


def _unit(v: _Variable) -> dict[str, str]:
    if not v.unit:
        return {}
    return {"unit": v.unit} | ({"displayUnit": DISPLAYED[v.unit]} if v.unit in DISPLAYED else {})


def _second(content: Content, variables: Sequence[_Variable]) -> ET.Element:
    root = ET.Element(
        "fmiModelDescription", fmiVersion="2.0", modelName=content.name, guid=content.guid,
        generationTool=f"dalembert {__version__}", variableNamingConvention="flat",
        numberOfEventIndicators=str(len(content.indicators) if content.exchange else 0),
    )  # fmt: skip
    common = {"modelIdentifier": content.identifier, "canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
    for kind in ("ModelExchange", "CoSimulation") if content.exchange else ("CoSimulation",):
        more = {"canHandleVariableCommunicationStepSize": "true"} if kind == "CoSimulation" else {}
        element = ET.SubElement(root, kind, {**common, **more})
        files = ET.SubElement(element, "SourceFiles")
        for file in content.sources:
            ET.SubElement(files, "File", name=file)
    define_units(root, (v.unit for v in variables))
    ET.SubElement(root, "DefaultExperiment", content.default_experiment)
    listed = ET.SubElement(root, "ModelVariables")
    index = {v.reference: str(k + 1) for k, v in enumerate(variables)}
    for v in variables:
        scalar = ET.SubElement(listed, "ScalarVariable", _attributes(v))
        real = ET.SubElement(scalar, "Real", _unit(v))
        if v.start is not None:
            real.set("start", repr(v.start))
        if v.derivative_of is not None:
            real.set("derivative", index[v.derivative_of])
    structure = ET.SubElement(root, "ModelStructure")
    outputs = [v for v in variables if v.causality == "output"]
    rates = [v for v in variables if v.derivative_of is not None]
    initial = [v for v in variables if v.initial == "calculated" and not v.indicates]
    for tag, members in (("Outputs", outputs), ("Derivatives", rates), ("InitialUnknowns", initial)):
        if members:
            group = ET.SubElement(structure, tag)
            for v in members:
                ET.SubElement(group, "Unknown", index=index[v.reference])
    return root


def _third(content: Content, variables: Sequence[_Variable]) -> ET.Element:
    root = ET.Element(
        "fmiModelDescription", fmiVersion="3.0", modelName=content.name, instantiationToken=content.guid,
        generationTool=f"dalembert {__version__}", variableNamingConvention="flat",
    )  # fmt: skip
    common = {"modelIdentifier": content.identifier, "canGetAndSetFMUState": "true", "canSerializeFMUState": "true"}
    if content.exchange:
        ET.SubElement(root, "ModelExchange", common)
    ET.SubElement(root, "CoSimulation", {**common, "canHandleVariableCommunicationStepSize": "true"})
    define_units(root, (v.unit for v in variables))
    ET.SubElement(root, "DefaultExperiment", content.default_experiment)
    listed = ET.SubElement(root, "ModelVariables")
    for v in variables:
        real = ET.SubElement(listed, "Float64", _attributes(v) | _unit(v))
        if v.start is not None:
            real.set("start", repr(v.start))
        if v.derivative_of is not None:
            real.set("derivative", str(v.derivative_of))
    structure = ET.SubElement(root, "ModelStructure")
    for tag, members in (
        ("Output", [v for v in variables if v.causality == "output"]),
        ("ContinuousStateDerivative", [v for v in variables if v.derivative_of is not None]),
        ("InitialUnknown", [v for v in variables if v.initial == "calculated" and not v.indicates]),
        ("EventIndicator", [v for v in variables if v.indicates]),
    ):
        for v in members:
            ET.SubElement(structure, tag, valueReference=str(v.reference))
    return root


def build_description(content: Content) -> str:
    """Return buildDescription.xml of FMI 3.0."""
    root = ET.Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = ET.SubElement(root, "BuildConfiguration", modelIdentifier=content.identifier)
    files = ET.SubElement(configuration, "SourceFileSet", language="C99")
    for file in content.sources:
        ET.SubElement(files, "SourceFile", name=file)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
