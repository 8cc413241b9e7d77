"""What an FMU says of itself: its variables and their roles, in XML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from dalembert.core.types import Array
from dalembert.core.version import __version__

__all__ = ["Content", "build_description", "model_description"]


@dataclass(frozen=True, eq=False)
class Content:
    """The variables of an FMU.

    Parameters
    ----------
    name, guid
        Of the model.
    states, x0
        Names and initial values.
    inputs, c0
        Names and values before they are set.
    parameters, p0
        Names and values.
    signals
        Names of what is computed besides.
    step
        Of the solver inside, in seconds.
    """

    name: str
    guid: str
    states: tuple[str, ...]
    x0: Array
    inputs: tuple[str, ...]
    c0: Array
    parameters: tuple[str, ...]
    p0: Array
    signals: tuple[str, ...]
    step: float


@dataclass(frozen=True)
class _Variable:
    name: str
    reference: int
    causality: str
    variability: str
    initial: str | None = None
    start: float | None = None
    derivative_of: int | None = None
    description: str = ""


def _variables(c: Content) -> Iterator[_Variable]:
    n, r = len(c.states), 1
    yield _Variable("time", 0, "independent", "continuous")
    for k, name in enumerate(c.states):
        yield _Variable(name, r + k, "output", "continuous", "exact", float(c.x0[k]))
    for k, name in enumerate(c.states):
        yield _Variable(f"der({name})", r + n + k, "local", "continuous", "calculated", derivative_of=r + k)
    r += 2 * n
    for k, name in enumerate(c.inputs):
        yield _Variable(name, r + k, "input", "continuous", None, float(c.c0[k]))
    r += len(c.inputs)
    for k, name in enumerate(c.parameters):
        yield _Variable(f"parameter.{name}", r + k, "parameter", "tunable", "exact", float(c.p0[k]))
    r += len(c.parameters)
    for k, name in enumerate(c.signals):
        yield _Variable(name, r + k, "output", "continuous", "calculated")
    r += len(c.signals)
    yield _Variable(
        "solver.step", r, "parameter", "tunable", "exact", c.step, description="longest step of the solver [s]"
    )


def model_description(content: Content, version: str) -> str:
    """Return modelDescription.xml."""
    variables = list(_variables(content))
    make = _second if version == "2.0" else _third
    root = make(content, variables)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _attributes(v: _Variable) -> dict[str, str]:
    found = {"name": v.name, "valueReference": str(v.reference), "causality": v.causality, "variability": v.variability}
    if v.initial:
        found["initial"] = v.initial
    if v.description:
        found["description"] = v.description
    return found


def _second(content: Content, variables: Sequence[_Variable]) -> ET.Element:
    root = ET.Element(
        "fmiModelDescription", fmiVersion="2.0", modelName=content.name, guid=content.guid,
        generationTool=f"dalembert {__version__}", variableNamingConvention="flat", numberOfEventIndicators="0",
    )  # fmt: skip
    common = {"modelIdentifier": "model", "canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
    for kind in ("ModelExchange", "CoSimulation"):
        more = {"canHandleVariableCommunicationStepSize": "true"} if kind == "CoSimulation" else {}
        part = ET.SubElement(root, kind, {**common, **more})
        files = ET.SubElement(part, "SourceFiles")
        for file in _SOURCES["2.0"]:
            ET.SubElement(files, "File", name=file)
    ET.SubElement(root, "DefaultExperiment", startTime="0", stopTime="10", stepSize="0.01")
    listed = ET.SubElement(root, "ModelVariables")
    index = {v.reference: str(k + 1) for k, v in enumerate(variables)}
    for v in variables:
        scalar = ET.SubElement(listed, "ScalarVariable", _attributes(v))
        real = ET.SubElement(scalar, "Real")
        if v.start is not None:
            real.set("start", repr(v.start))
        if v.derivative_of is not None:
            real.set("derivative", index[v.derivative_of])
    structure = ET.SubElement(root, "ModelStructure")
    outputs = [v for v in variables if v.causality == "output"]
    rates = [v for v in variables if v.derivative_of is not None]
    initial = [v for v in variables if v.initial == "calculated"]
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
    common = {"modelIdentifier": "model", "canGetAndSetFMUState": "true", "canSerializeFMUState": "true"}
    ET.SubElement(root, "ModelExchange", common)
    ET.SubElement(root, "CoSimulation", {**common, "canHandleVariableCommunicationStepSize": "true"})
    ET.SubElement(root, "DefaultExperiment", startTime="0", stopTime="10", stepSize="0.01")
    listed = ET.SubElement(root, "ModelVariables")
    for v in variables:
        real = ET.SubElement(listed, "Float64", _attributes(v))
        if v.start is not None:
            real.set("start", repr(v.start))
        if v.derivative_of is not None:
            real.set("derivative", str(v.derivative_of))
    structure = ET.SubElement(root, "ModelStructure")
    for tag, members in (
        ("Output", [v for v in variables if v.causality == "output"]),
        ("ContinuousStateDerivative", [v for v in variables if v.derivative_of is not None]),
        ("InitialUnknown", [v for v in variables if v.initial == "calculated"]),
    ):
        for v in members:
            ET.SubElement(structure, tag, valueReference=str(v.reference))
    return root


_SOURCES = {
    "2.0": ("fmi2.c", "model_ode.c", "model_signals.c"),
    "3.0": ("fmi3.c", "model_ode.c", "model_signals.c"),
}
"""C files of an FMU, to be compiled together."""


def build_description() -> str:
    """Return buildDescription.xml of FMI 3.0."""
    root = ET.Element("fmiBuildDescription", fmiVersion="3.0")
    part = ET.SubElement(root, "BuildConfiguration", modelIdentifier="model")
    files = ET.SubElement(part, "SourceFileSet", language="C99")
    for file in _SOURCES["3.0"]:
        ET.SubElement(files, "SourceFile", name=file)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
