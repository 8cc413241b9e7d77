"""From a polynomial to the expression that a person would write: common factors collected, shortest form chosen."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from dalembert.analysis.closed_form.algebra import ONE, Algebra, Monomial, Number, Polynomial
from dalembert.analysis.closed_form.angles import shorten_angles

if TYPE_CHECKING:
    import sympy

__all__ = ["Layouter"]

_WIDE = 40
_HORNER = 12
_PATIENCE = 1000


@dataclass(frozen=True)
class _Product:
    coefficient: Number
    monomial: Monomial
    sums: tuple[tuple[_Sum, int], ...] = ()


_Sum = tuple[_Product, ...]


@dataclass
class Layouter:
    """Writes the polynomials of an algebra as SymPy expressions.

    Parameters
    ----------
    algebra
        Where the polynomials live.
    variables
        Names of the symbols that are no parameters: velocities, accelerations, inputs.
    """

    algebra: Algebra
    variables: frozenset[str]
    _built: dict[frozenset[tuple[Monomial, Number]], _Sum] = field(default_factory=dict)
    _written: dict[int, sympy.Expr] = field(default_factory=dict)
    _tried: int = 0

    def expression(self, polynomial: Polynomial) -> sympy.Expr:
        """Return the readable SymPy expression of a polynomial."""
        self._tried = 0
        short = shorten_angles(self.algebra, polynomial)
        return self._sympy_sum(self._build(short))

    # -- layout ---------------------------------------------------------------------------------------------------

    def _build(self, p: Polynomial) -> _Sum:
        key = frozenset(p.items())
        if key not in self._built:
            self._built[key] = min(self._candidates(dict(sorted(p.items()))), key=self._cost)
        return self._built[key]

    def _candidates(self, p: Polynomial) -> Iterator[_Sum]:
        """Yield ways to write a sum; the last one is term by term."""
        self._tried += 1
        patient = self._tried < _PATIENCE
        if len(p) > 1:
            groupings = (("angle", "variable"), ("variable",), ("angle",), ("parameter",))
            for kinds in groupings if len(p) <= _WIDE and patient else groupings[:1]:
                yield from self._collected(p, self._part(kinds))
            if len(p) <= _HORNER and patient:
                shared = Counter(power for m in p for power in m)
                for power, count in sorted(shared.items()):
                    if 1 < count < len(p):
                        yield from self._collected(p, _holding(power))
            yield from self._collected(p, lambda m: ONE)
        yield tuple(_Product(c, m) for m, c in sorted(p.items()))

    def _part(self, kinds: tuple[str, ...]) -> Callable[[Monomial], Monomial]:
        return lambda m: tuple((i, e) for i, e in m if self._kind(i) in kinds)

    def _kind(self, i: int) -> str:
        atom = self.algebra.atoms[i]
        if atom.kind == "symbol":
            return "variable" if atom.name in self.variables else "parameter"
        return "angle" if atom.kind in ("sin", "cos", "call") else "parameter"

    def _collected(self, p: Polynomial, factor: Callable[[Monomial], Monomial]) -> Iterator[_Sum]:
        """Yield the sum with its terms grouped by a part of their monomials, each group's common factor taken out."""
        groups: dict[Monomial, Polynomial] = {}
        for m, c in p.items():
            groups.setdefault(factor(m), {})[m] = c
        products: list[_Product] = []
        loose: Polynomial = {}
        factors: dict[frozenset[tuple[Monomial, Number]], Polynomial] = {}
        for selected, group in groups.items():
            scale, common = _content(group)
            if len(group) == len(p) and common == ONE and scale == 1:
                return
            if len(group) == 1 or (common == ONE and not selected and len(groups) > 1):
                loose |= group
                continue
            rest = {_over(m, common): c / scale for m, c in group.items()}
            opposite = {m: -c for m, c in rest.items()}
            sign = -1 if frozenset(opposite.items()) in factors else 1
            outer = factors.setdefault(frozenset((rest if sign > 0 else opposite).items()), {})
            outer[common] = sign * scale
        if loose:  # what this grouping leaves alone may fit another one
            products.extend(self._build(loose) if len(loose) < len(p) else (_Product(c, m) for m, c in loose.items()))
        for inner, outer in factors.items():
            products.append(self._factored(outer, dict(inner)))
        yield tuple(sorted(products, key=lambda x: (x.monomial, x.coefficient)))

    def _factored(self, outer: Polynomial, inner: Polynomial) -> _Product:
        """Return the product of two polynomials, the inner one without common factor."""
        root = _square_root(inner)
        last = (self._build(root or inner), 2 if root else 1)
        scale, common = _content(outer)
        if len(outer) == 1:
            return _Product(scale, common, (last,))
        rest = {_over(m, common): c / scale for m, c in outer.items()}
        return _Product(scale, common, ((self._build(rest), 1), last))

    def _cost(self, s: _Sum) -> float:
        """Count the symbols that a reader has to read; terms with the same variables want one denominator."""
        below: dict[Monomial, set[bool]] = {}
        for x in s:
            below.setdefault(self._part(("angle", "variable"))(x.monomial), set()).add(_is_fraction(x))
        return sum(2.0 for kinds in below.values() if len(kinds) == 2) + sum(map(self._product_cost, s))

    def _product_cost(self, x: _Product) -> float:
        size = abs(x.coefficient)
        cost = 0.0 if size == 1 else 0.5 if isinstance(size, Fraction) and size.denominator == 1 else 0.75
        if x.monomial == ONE and not x.sums:
            cost += 1.0
        cost += sum(1.0 if e == 1 else 1.5 for _, e in x.monomial)
        cost += 2.0 if _is_fraction(x) else 0.0
        for inner, power in x.sums:
            kinds = {self._kind(i) for y in inner for i, _ in y.monomial}
            plain = len(kinds) == 1 and "angle" not in kinds
            nested = any(y.sums for y in inner)
            cost += self._cost(inner) + (1.0 if plain else 1.75) + 0.5 * (power != 1) + 0.5 * nested
        return cost

    # -- SymPy ----------------------------------------------------------------------------------------------------

    def _sympy_sum(self, s: _Sum) -> sympy.Expr:
        import sympy

        return sympy.Add(*[self._sympy_product(x) for x in s])

    def _sympy_product(self, x: _Product) -> sympy.Expr:
        import sympy

        c = x.coefficient
        number = sympy.Rational(c.numerator, c.denominator) if isinstance(c, Fraction) else sympy.Float(c, 17)
        factors = [self._sympy_atom(i) ** e for i, e in x.monomial]
        factors += [self._sympy_sum(inner) ** power for inner, power in x.sums]
        if len(factors) == 1 and x.sums and number != 1:
            return sympy.Mul(number, *factors, evaluate=False)  # SymPy would multiply it out again
        return sympy.Mul(number, *factors)

    def _sympy_atom(self, i: int) -> sympy.Expr:
        if i not in self._written:
            self._written[i] = self._make_atom(i)
        return self._written[i]

    def _make_atom(self, i: int) -> sympy.Expr:
        import sympy

        atom = self.algebra.atoms[i]
        if atom.kind == "symbol":
            return sympy.Symbol(atom.name)
        if atom.kind == "root":
            return sympy.sqrt(atom.number)
        arguments = [sympy.Add(*[self._sympy_product(_Product(c, m)) for m, c in terms]) for terms in atom.terms]
        if atom.name == "sum":
            return arguments[0]
        return getattr(sympy, atom.name or atom.kind)(*arguments)


def _holding(power: tuple[int, int]) -> Callable[[Monomial], Monomial]:
    return lambda m: (power,) if power in m else ONE


def _is_fraction(x: _Product) -> bool:
    return any(e < 0 for _, e in x.monomial)


def _content(p: Polynomial) -> tuple[Number, Monomial]:
    """Common factor of all terms; negative if all coefficients are."""
    sign = -1 if all(c < 0 for c in p.values()) else 1
    exact = [c for c in p.values() if isinstance(c, Fraction)]
    scale = Fraction(1)
    if len(exact) == len(p):
        scale = Fraction(math.gcd(*(c.numerator for c in exact)), math.lcm(*(c.denominator for c in exact)))
        if scale not in map(abs, exact) and len({c.denominator for c in exact}) > 1:
            scale = Fraction(1)  # (2 a + 3 b)/6 is no better than a/3 + b/2
    return sign * scale, _common(p)


def _common(p: Polynomial) -> Monomial:
    first, *others = p
    exponents = dict(first)
    for m in others:
        e = dict(m)
        for i in {*exponents, *e}:
            exponents[i] = min(exponents.get(i, 0), e.get(i, 0))
    return tuple(sorted((i, e) for i, e in exponents.items() if e))


def _square_root(p: Polynomial) -> Polynomial | None:
    """Return ``a - b`` or ``a + b`` if ``p`` is its square."""
    exact = [(m, c) for m, c in p.items() if isinstance(c, Fraction)]
    squares = [(m, c) for m, c in exact if all(e % 2 == 0 for _, e in m) and c > 0]
    if len(exact) != 3 or len(p) != 3 or len(squares) != 2:
        return None
    roots = [
        (tuple((i, e // 2) for i, e in m), Fraction(math.isqrt(c.numerator), math.isqrt(c.denominator)))
        for m, c in squares
    ]
    if any(root**2 != c for (_, root), (_, c) in zip(roots, squares, strict=True)):
        return None
    (m, a), (n, b) = roots
    cross = _over(n, tuple((i, -e) for i, e in m))
    if abs(p.get(cross, Fraction(0))) != 2 * a * b:
        return None
    return {m: a, n: b if p[cross] > 0 else -b}


def _over(m: Monomial, common: Monomial) -> Monomial:
    e = dict(m)
    for i, k in common:
        e[i] = e.get(i, 0) - k
    return tuple(sorted((i, k) for i, k in e.items() if k))
