"""Which statements of CRANE (1.4, section 6, remarks) hold for a crane, checked numerically, in 2-D and in 3-D."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dalembert.control.underactuated import partition
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.systems.cranes import structure_checks as checks
from dalembert.systems.cranes.coordinates import check_run, columns, link_count

__all__ = ["Finding", "StructureReport", "crane_structure"]


@dataclass(frozen=True)
class Finding:
    """A statement and its verdict.

    Parameters
    ----------
    item
        Short name, such as ``"lemma 1.3 printed"``.
    statement
        In words.
    holds
        Whether it does; None where it says nothing about this crane.
    value
        The number that decided.
    evidence
        Meaning of the number.
    """

    item: str
    statement: str
    holds: bool | None
    value: float
    evidence: str


@dataclass(frozen=True)
class StructureReport:
    """Findings about a crane; ``report["lemma 3"]`` is one of them, ``print(report)`` a table.

    Parameters
    ----------
    machine
        Name of the crane.
    dimension
        2 or 3.
    links
        Number of links N.
    degrees_of_freedom, inputs
        Their numbers.
    findings
        All of them, in the order of the document.
    """

    machine: str
    dimension: int
    links: int
    degrees_of_freedom: int
    inputs: int
    findings: tuple[Finding, ...]

    @property
    def underactuation(self) -> int:
        """Degree of underactuation ``d_unac`` (CRANE 1.5)."""
        return self.degrees_of_freedom - self.inputs

    def __getitem__(self, item: str) -> Finding:
        for finding in self.findings:
            if finding.item == item:
                return finding
        raise UnknownNameError("finding", item, (f.item for f in self.findings), "this report")

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        lines = [
            f"crane '{self.machine}': {self.dimension}-D, {self.links} links, {self.degrees_of_freedom} degrees of "
            f"freedom, {self.inputs} inputs, degree of underactuation {self.underactuation}"
        ]
        for f in self.findings:
            verdict = "-" if f.holds is None else "holds" if f.holds else "FAILS"
            lines.append(f"  {f.item:22} {verdict:6} {f.statement}  [{f.evidence}: {f.value:.3g}]")
        return "\n".join(lines)


def crane_structure(machine: Machine, *, samples: int = 12, seed: int = 0, run: Run | None = None) -> StructureReport:
    """Check Property 1, Lemmas 1 to 4, Proposition 1 and the remarks on rank and conditioning of CRANE.

    Statements about lengths are skipped where the lengths are fixed; those about the hoisted crane (Lemmas 2 to 4,
    Proposition 1) are checked with all lengths but ``l_1`` locked.

    Parameters
    ----------
    machine
        A crane of this package, planar or spatial.
    samples
        Number of random postures.
    seed
        Seed of the postures.
    run
        A run of this crane along which passivity of ``(F, F_1) -> (x', l_1')`` is checked too.

    Examples
    --------
    >>> from dalembert.systems.cranes import planar_crane, uniform_cable, crane_structure
    >>> crane = planar_crane(uniform_cable(2, 6.0, payload=500.0, mass=20.0), lengths="variable")
    >>> report = crane_structure(crane)
    >>> report.underactuation, report["lemma 3"].holds, report["lemma 4 printed"].holds
    (3, True, False)
    """
    col = columns(machine)
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 1:
        raise InputError(f"the number of samples must be an integer >= 1, got {samples!r}")
    if run is not None:
        check_run(machine, run)
    study = checks.Study.of(machine, samples, np.random.default_rng(seed))
    findings = [Finding(*row) for row in checks.all_checks(study)]
    if run is not None:
        excess, scale = checks.passivity_excess(run)
        statement = "E(t) - E(0) <= work of the motors: (F, F1) -> (x', l1') is passive along the run"
        findings.append(Finding("passivity", statement, excess <= 1e-6 * scale, excess / scale, "largest excess"))
    eom = derive(machine)
    return StructureReport(
        machine.name,
        3 if col.spatial else 2,
        link_count(machine),
        machine.nv,
        len(partition(eom).driven),
        tuple(findings),
    )
