"""No law of the docs or of the model without its closed form."""

from __future__ import annotations

from pathlib import Path

from tests.support.laws import documented_laws, known_laws, laws_with_tests

TESTED = laws_with_tests(Path(__file__).parent)


def test_every_law_has_a_test() -> None:
    """A new number of the model is a law with a test here, or stands in `PLACES` or `NO_LAWS` of tests/support/laws."""
    assert known_laws() - set(TESTED) == set()


def test_every_test_names_a_law() -> None:
    assert set(TESTED) - known_laws() == set()


def test_every_law_of_the_docs_has_a_test() -> None:
    documented = documented_laws()
    assert {"Joint.stiffness", "Motor.ratio", "Thruster.effort", "Coupling.ratio"} <= documented
    assert (documented & known_laws()) - set(TESTED) == set()  # the others are names, axes and places
