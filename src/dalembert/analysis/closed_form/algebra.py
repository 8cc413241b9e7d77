"""Exact arithmetic of closed forms: polynomials in symbols, their inverses, sines and cosines.

The equations of a tree of rigid bodies are such polynomials with rational coefficients. Every product is reduced at
once by ``cos^2 = 1 - sin^2`` (and by the unit norm of quaternions), so that equal expressions have equal polynomials
and terms that cancel are gone before they can grow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from dalembert.core.errors import InputError

__all__ = ["ONE", "Algebra", "Atom", "Monomial", "Number", "Polynomial", "add_to", "constant", "fraction_of"]

Monomial = tuple[tuple[int, int], ...]
"""Pairs (number of the atom, exponent not zero), by increasing number."""

Number = int | Fraction | float
"""A coefficient: exact, or a double where an irrational rotation matrix leaves no choice."""

Polynomial = dict[Monomial, Number]
"""Coefficients, none of them zero, by monomial."""

ONE: Monomial = ()
_ULPS = 4 * 2.0**-53


@dataclass(frozen=True)
class Atom:
    """Base of a polynomial.

    Parameters
    ----------
    kind
        ``"symbol"``, ``"sin"`` or ``"cos"`` of a sum of angles, ``"root"`` of an integer, or ``"call"`` of a function.
    name
        Name of the symbol or of the function.
    terms
        Sorted terms of the angle, or of the arguments of the function.
    number
        The integer under the root.
    """

    kind: str
    name: str = ""
    terms: tuple[tuple[tuple[Monomial, Number], ...], ...] = ()
    number: int = 0


def constant(value: Number) -> Polynomial:
    """Return a number as a polynomial."""
    if isinstance(value, Fraction) and value.denominator == 1:
        value = value.numerator  # much faster
    return {ONE: value} if value else {}


def add_to(total: Polynomial, monomial: Monomial, value: Number) -> None:
    """Add a term; terms that cancel are removed, with doubles those that cancel up to rounding."""
    old = total.get(monomial, 0)
    new = old + value
    if not new or (isinstance(new, float) and abs(new) <= 1e-13 * abs(float(value))):
        total.pop(monomial, None)
    else:
        total[monomial] = new


def fraction_of(x: float) -> Fraction:
    """Return the number that a double stands for: a simple fraction, the decimal that was typed, or its bits."""
    simple = Fraction(x).limit_denominator(1000)
    if abs(float(simple) - x) <= _ULPS * abs(x):
        return simple
    text = repr(x)
    return Fraction(Decimal(text)) if len(text.strip("-").partition("e")[0]) < 17 else Fraction(x)


@dataclass
class Algebra:
    """The atoms that occur, and arithmetic on polynomials of them.

    Parameters
    ----------
    limit
        Largest number of terms of a polynomial.
    too_large
        Makes the error for a polynomial beyond the limit.
    """

    limit: int
    too_large: Callable[[int], Exception]
    atoms: list[Atom] = field(default_factory=list)
    squares: dict[int, Polynomial] = field(default_factory=dict)
    _index: dict[Atom, int] = field(default_factory=dict)

    def atom(self, atom: Atom) -> int:
        """Return the number of an atom."""
        number = self._index.setdefault(atom, len(self.atoms))
        if number == len(self.atoms):
            self.atoms.append(atom)
        return number

    def power(self, number: int, exponent: int = 1) -> Polynomial:
        """Return a power of an atom."""
        return {((number, exponent),): 1}

    def symbol(self, name: str) -> Polynomial:
        """Return a symbol."""
        return self.power(self.atom(Atom("symbol", name)))

    def unit_quaternion(self, w: str, x: str, y: str, z: str) -> None:
        """Reduce ``w^2`` to ``1 - x^2 - y^2 - z^2``."""
        square = constant(1)
        for name in (x, y, z):
            square = self.sub(square, self.mul(self.symbol(name), self.symbol(name)))
        self.squares[self.atom(Atom("symbol", w))] = square

    def number(self, x: float) -> Polynomial:
        """Return a double as the exact number that it stands for, a square root included."""
        if not math.isfinite(x):
            raise InputError(f"a closed form cannot contain the number {x}")
        value = fraction_of(x)
        if value.denominator <= 1000:
            return constant(value)
        square = Fraction(x * x).limit_denominator(1000)
        if not square or abs(float(square) - x * x) > 2 * _ULPS * x * x:
            return constant(value if value.denominator <= 10**15 and value != Fraction(x) else x)
        radicand, outside = square.numerator * square.denominator, Fraction(1, square.denominator)
        for k in range(math.isqrt(radicand), 1, -1):
            if radicand % (k * k) == 0:
                radicand, outside = radicand // (k * k), outside * k
        root = self.atom(Atom("root", number=radicand))
        self.squares[root] = constant(radicand)
        return {((root, 1),): outside if x > 0 else -outside}

    # -- arithmetic -----------------------------------------------------------------------------------------------

    def add(self, a: Polynomial, b: Polynomial, factor: int = 1) -> Polynomial:
        """Return ``a + factor b``."""
        total = dict(a)
        for monomial, value in b.items():
            add_to(total, monomial, factor * value)
        return self._checked(total)

    def sub(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """Return ``a - b``."""
        return self.add(a, b, -1)

    def scale(self, a: Polynomial, factor: int) -> Polynomial:
        """Return a multiple of ``a``."""
        return {m: c * factor for m, c in a.items()} if factor else {}

    def mul(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """Return ``a b``, reduced."""
        if len(a) > len(b):
            a, b = b, a
        total: Polynomial = {}
        for m, c in a.items():
            for n, d in b.items():
                self._add_product(total, m, n, c * d)
        return self._checked(total)

    def div(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """Return ``a / b``; a sum in the denominator becomes an atom."""
        if not b:
            raise InputError("a closed form would divide by zero")
        return self.mul(a, self.integer_power(b, -1))

    def integer_power(self, a: Polynomial, n: int) -> Polynomial:
        """Return ``a ** n``."""
        if n < 0:
            a, n = self._inverse(a), -n
        result = constant(1)
        for _ in range(n):
            result = self.mul(result, a)
        return result

    def _inverse(self, a: Polynomial) -> Polynomial:
        if len(a) == 1:
            ((monomial, value),) = a.items()
            return {tuple((i, -e) for i, e in monomial): Fraction(1) / value}
        return self.power(self.atom(Atom("call", "sum", (_sorted(a),))), -1)

    def call(self, function: str, *arguments: Polynomial) -> Polynomial:
        """Return a function of polynomials that has no rules here."""
        return self.power(self.atom(Atom("call", function, tuple(_sorted(a) for a in arguments))))

    def sqrt(self, a: Polynomial) -> Polynomial:
        """Return the square root of ``a``."""
        if set(a) <= {ONE}:
            return self.number(math.sqrt(float(a.get(ONE, 0))))
        root = self.atom(Atom("call", "sqrt", (_sorted(a),)))
        self.squares[root] = a
        return self.power(root)

    def cos_sin(self, angle: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Cosine and sine of an angle, sums and multiples of angles expanded."""
        c, s = constant(1), constant(0)
        for monomial, value in sorted(angle.items()):
            exact = fraction_of(value) if isinstance(value, float) else Fraction(value)
            ck, sk = self._cos_sin_of_term(monomial, exact)
            c, s = self.sub(self.mul(c, ck), self.mul(s, sk)), self.add(self.mul(s, ck), self.mul(c, sk))
        return c, s

    def _cos_sin_of_term(self, monomial: Monomial, value: Fraction) -> tuple[Polynomial, Polynomial]:
        if monomial == ONE:
            quarters = float(value) / (math.pi / 2)
            if abs(quarters - round(quarters)) <= _ULPS * max(1.0, abs(quarters)):
                k = round(quarters) % 4
                return constant((1, 0, -1, 0)[k]), constant((0, 1, 0, -1)[k])
            return self.number(math.cos(value)), self.number(math.sin(value))
        unit = (((monomial, Fraction(1, value.denominator)),),)
        cos, sin = self.atom(Atom("cos", terms=unit)), self.atom(Atom("sin", terms=unit))
        if cos not in self.squares:
            self.squares[cos] = {ONE: 1, ((sin, 2),): -1}
        c1, s1 = self.power(cos), self.power(sin)
        c, s = constant(1), constant(0)
        for _ in range(abs(value.numerator)):
            c, s = self.sub(self.mul(c, c1), self.mul(s, s1)), self.add(self.mul(s, c1), self.mul(c, s1))
        return c, s if value > 0 else self.scale(s, -1)

    def substitute(self, a: Polynomial, values: Mapping[str, Fraction]) -> Polynomial:
        """Return ``a`` with numbers in the place of symbols."""
        total: Polynomial = {}
        for monomial, value in a.items():
            term = constant(value)
            for i, e in monomial:
                term = self.mul(term, self.integer_power(self._substitute_atom(i, values), e))
            total = self.add(total, term)
        return total

    def _substitute_atom(self, i: int, values: Mapping[str, Fraction]) -> Polynomial:
        atom = self.atoms[i]
        if atom.kind == "symbol" and atom.name in values:
            return constant(values[atom.name])
        if atom.kind in ("symbol", "root"):
            return self.power(i)
        arguments = [self.substitute(dict(terms), values) for terms in atom.terms]
        if atom.kind in ("sin", "cos"):
            return self.cos_sin(arguments[0])[atom.kind == "sin"]
        if atom.name in ("sum", "sqrt"):
            return arguments[0] if atom.name == "sum" else self.sqrt(arguments[0])
        return self.call(atom.name, *arguments)

    # -- inside ---------------------------------------------------------------------------------------------------

    def _checked(self, a: Polynomial) -> Polynomial:
        if len(a) > self.limit:
            raise self.too_large(len(a))
        return a

    @staticmethod
    def without_rounding(a: Polynomial) -> Polynomial:
        """Drop rounding errors of an irrational rotation matrix; its entries are not larger than one.

        Doubles keep 13 digits, so that equal ones are equal.
        """
        result: Polynomial = {}
        for monomial, value in a.items():
            if isinstance(value, float):
                if abs(value) < 1e-12:
                    continue
                simple = Fraction(value).limit_denominator(1000)
                value = simple if abs(float(simple) - value) < 1e-13 else float(f"{value:.13g}")
            result[monomial] = value
        return result

    def _add_product(self, total: Polynomial, m: Monomial, n: Monomial, value: Number) -> None:
        exponents = dict(m)
        for i, e in n:
            exponents[i] = exponents.get(i, 0) + e
        for i, e in exponents.items():
            if e >= 2 and i in self.squares:
                exponents[i] = e - 2
                rest = _monomial(exponents)
                for k, c in self.squares[i].items():
                    self._add_product(total, rest, k, value * c)
                return
        add_to(total, _monomial(exponents), value)


def _monomial(exponents: dict[int, int]) -> Monomial:
    return tuple(sorted((i, e) for i, e in exponents.items() if e))


def _sorted(a: Polynomial) -> tuple[tuple[Monomial, Number], ...]:
    return tuple(sorted(a.items()))
