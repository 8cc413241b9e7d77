"""Trigonometric polynomials of closed forms: every way to write them has the same value, and the shortest is taken."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dalembert.analysis.closed_form.algebra import ONE, Algebra, Polynomial
from dalembert.analysis.closed_form.angles import _cost, _folded, _forms, _fourier, shorten_angles

ANGLES = {"a": 0.41, "b": 1.27, "c": -0.73, "m": 1.9}


class _Book:
    """An algebra with cosines and sines of three angles, and values of its polynomials."""

    def __init__(self) -> None:
        self.algebra = Algebra(1000, lambda n: ValueError(n))
        self.symbols = {n: self.algebra.symbol(n) for n in ANGLES}
        pairs = {n: self.algebra.cos_sin(self.symbols[n]) for n in "abc"}
        self.atoms = {n: [next(iter(p))[0][0] for p in pair] for n, pair in pairs.items()}

    def term(self, powers: str, factor: Any = 1) -> Polynomial:
        """``"ca2 sb"`` is ``cos(a)^2 sin(b)``."""
        found: dict[int, int] = {}
        for part in powers.split():
            kind, name, e = part[0], part[1:2], int(part[2:] or 1)
            i = self.atoms[name][kind == "s"] if kind in "cs" else next(iter(self.symbols[kind]))[0][0]
            found[i] = found.get(i, 0) + e
        return {tuple(sorted(found.items())): factor}

    def value(self, p: Polynomial) -> float:
        total = 0.0
        for monomial, c in p.items():
            product = float(c)
            for i, e in monomial:
                product *= self.atom(i) ** e
            total += product
        return total

    def atom(self, i: int) -> float:
        atom = self.algebra.atoms[i]
        if atom.kind == "symbol":
            return ANGLES[atom.name]
        (angle,) = atom.terms
        x = sum(float(c) * self.value({m: 1}) for m, c in angle)
        return math.cos(x) if atom.kind == "cos" else math.sin(x)

    def text(self, p: Polynomial) -> set[str]:
        """Terms in words: factor, and functions of whole multiples of angles."""
        names = {next(iter(s))[0][0]: n for n, s in self.symbols.items()}
        found = set()
        for monomial, c in p.items():
            parts = []
            for i, e in monomial:
                atom = self.algebra.atoms[i]
                inner = names.get(i, "")
                if atom.kind != "symbol":
                    (angle,) = atom.terms
                    inner = (
                        f"{atom.kind}({' '.join(f'{float(k):+g}{names[m[0][0]]}' for m, k in sorted(angle, key=str))})"
                    )
                parts.append(inner + (f"^{e}" if e != 1 else ""))
            found.add(" ".join([f"{float(c):g}", *sorted(parts)]))
        return found


def _random(book: _Book, rng: np.random.Generator) -> Polynomial:
    p: Polynomial = {}
    for _ in range(int(rng.integers(1, 5))):
        powers = " ".join(f"{k}{n}{rng.integers(1, 3)}" for n in "abc" for k in "cs" if rng.random() < 0.35)
        p |= book.term(powers, Fraction(int(rng.integers(1, 5)) * int(rng.choice([-1, 1])), int(rng.integers(1, 4))))
    return p


def test_all_forms_of_a_polynomial_have_its_value() -> None:
    rng, count = np.random.default_rng(2), 0
    for _ in range(120):
        book = _Book()
        p = _random(book, rng)
        forms = list(_forms(book.algebra, p))
        count += len(forms)
        assert forms[0] == p
        for form in forms:
            assert book.value(form) == pytest.approx(book.value(p), abs=1e-12)
        short = shorten_angles(book.algebra, p)
        assert book.value(short) == pytest.approx(book.value(p), abs=1e-12)
        assert _cost(book.algebra, short) == min(_cost(book.algebra, form) for form in forms)
    assert count > 300


def test_sums_of_two_waves_are_products() -> None:
    """Of equal size, without half angles; a constant is the cosine of zero."""
    for one, other in (("ca cb", "sa sb"), ("sa cb", "ca sb")):
        for sign, factor in ((1, 2), (-1, Fraction(3, 2))):
            book = _Book()
            product = book.term(one, factor) | book.term(other, sign * factor)
            waves = _fourier(book.algebra, product)
            assert waves is not None and len(waves) == 1  # the sum or difference of the angles
            assert book.value(waves) == pytest.approx(book.value(product))
    for powers in ("ca cb", "sa sb", "sa cb", "ca sb", "ca2", "sa2"):
        for factor in (1, Fraction(-5, 3)):
            book = _Book()
            p = book.term(powers, factor)
            waves = _fourier(book.algebra, p)
            assert waves is not None and len(waves) == 2
            folded = _folded(book.algebra, waves)
            assert folded is not None and len(folded) == 1
            assert book.value(folded) == pytest.approx(book.value(p)) == pytest.approx(book.value(waves))
            assert folded == p
    book = _Book()
    assert _folded(book.algebra, book.term("ca") | book.term("sb")) is None
    assert _folded(book.algebra, book.term("ca") | book.term("cb", 2)) is None
    assert _folded(book.algebra, book.term("ca") | book.term("cb")) is None  # of half angles
    assert _folded(book.algebra, {ONE: 1} | book.term("sa")) is None
    assert _fourier(book.algebra, {ONE: 3}) is None


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ({"ca2": 1, "sa2": -1}, {"1 cos(+2a)"}),
        ({"sa ca": 2}, {"1 sin(+2a)"}),
        ({"ca cb": 1, "sa sb": -1}, {"1 cos(+1a +1b)"}),
        ({"ca cb": 1, "sa sb": 1}, {"1 cos(+1a -1b)"}),
        ({"sa cb": 1, "ca sb": 1}, {"1 sin(+1a +1b)"}),
        ({"sa cb": 1, "ca sb": -1}, {"1 sin(+1a -1b)"}),
        ({"": 1, "sa2": -1}, {"1 cos(+1a)^2"}),
        ({"": 1, "ca2": -1}, {"1 sin(+1a)^2"}),
        ({"": 3, "sa2": -3}, {"3 cos(+1a)^2"}),
        ({"ca cb": 1}, {"1 cos(+1a) cos(+1b)"}),
        ({"sa2": 1}, {"1 sin(+1a)^2"}),
        ({"ca": 1, "sb": 2}, {"1 cos(+1a)", "2 sin(+1b)"}),
        ({"m ca2": 4, "m sa2": -4, "ca": 1}, {"4 cos(+2a) m", "1 cos(+1a)"}),
        ({"ca-1": 1, "sa": 2}, {"1 cos(+1a)^-1", "2 sin(+1a)"}),
    ],
)
def test_the_shortest_way_to_write_is_that_of_textbooks(terms: dict[str, int], expected: set[str]) -> None:
    book = _Book()
    p: Polynomial = {}
    for powers, factor in terms.items():
        p |= book.term(powers, factor) if powers else {ONE: factor}
    found = shorten_angles(book.algebra, p)
    assert book.text(found) == expected
    assert book.value(found) == pytest.approx(book.value(p), abs=1e-12)
