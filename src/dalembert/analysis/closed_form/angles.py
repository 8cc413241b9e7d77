"""The shortest way to write a trigonometric polynomial: as it is, with the other square, or with sums of angles."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from dalembert.analysis.closed_form.algebra import ONE, Algebra, Atom, Monomial, Number, Polynomial, add_to

__all__ = ["shorten_angles"]

_Frequencies = tuple[int, ...]
_Complex = tuple[Number, Number]


def shorten_angles(algebra: Algebra, polynomial: Polynomial) -> Polynomial:
    """Return the same expression with each coefficient's trigonometric polynomial in its shortest form.

    The result is to be written, not to be multiplied: it holds cosines of sums of angles and squares that the algebra
    would reduce.
    """
    groups: dict[Monomial, Polynomial] = {}
    for monomial, value in polynomial.items():
        angles = tuple((i, e) for i, e in monomial if algebra.atoms[i].kind in ("sin", "cos"))
        rest = tuple((i, e) for i, e in monomial if algebra.atoms[i].kind not in ("sin", "cos"))
        groups.setdefault(rest, {})[angles] = value
    result: Polynomial = {}
    for rest, angles_only in groups.items():
        best = min(_forms(algebra, angles_only), key=lambda form: _cost(algebra, form))
        for angles, value in best.items():
            result[tuple(sorted((*rest, *angles)))] = value
    return result


def _cost(algebra: Algebra, form: Polynomial) -> float:
    """Count the symbols that a reader has to read."""
    total = 0.0
    for monomial, value in form.items():
        total += 1.0 if monomial == ONE else 0.0 if abs(value) == 1 else 0.5
        for i, e in monomial:
            (angle,) = algebra.atoms[i].terms
            total += 1.0 + 0.5 * (len(angle) - 1) + (0.75 if any(abs(c) != 1 for _, c in angle) else 0.0)
            total += 0.25 if e != 1 else 0.0
    return total


def _forms(algebra: Algebra, p: Polynomial) -> Iterator[Polynomial]:
    """Yield equal forms of a trigonometric polynomial, the first being the given one."""
    yield p
    squared = sorted({i for m in p for i, e in m if algebra.atoms[i].kind == "sin" and e >= 2})
    for chosen in list(product((False, True), repeat=len(squared)))[1:] if len(squared) <= 4 else ():
        form = p
        for i, use in zip(squared, chosen, strict=True):
            form = _with_cosine(algebra, form, i) if use else form
        yield form
    if any(e < 0 for m in p for _, e in m):
        return
    waves = _fourier(algebra, p)
    if waves is not None:
        yield waves
        folded = _folded(algebra, waves)
        if folded is not None:
            yield folded


def _with_cosine(algebra: Algebra, p: Polynomial, sine: int) -> Polynomial:
    """Replace ``sin^2`` by ``1 - cos^2``."""
    cosine = algebra.atom(Atom("cos", terms=algebra.atoms[sine].terms))
    result: Polynomial = {}
    todo = list(p.items())
    while todo:
        monomial, value = todo.pop()
        exponents = dict(monomial)
        if exponents.get(sine, 0) >= 2:
            exponents[sine] -= 2
            todo.append((_monomial(exponents), value))
            exponents[cosine] = exponents.get(cosine, 0) + 2
            todo.append((_monomial(exponents), -value))
            continue
        add_to(result, monomial, value)
    return result


def _monomial(exponents: dict[int, int]) -> Monomial:
    return tuple(sorted((i, e) for i, e in exponents.items() if e))


def _fourier(algebra: Algebra, p: Polynomial) -> Polynomial | None:
    """Write a trigonometric polynomial as a sum of cosines and sines of sums of angles."""
    units = sorted({algebra.atoms[i].terms for m in p for i, _ in m})
    if not units or len(units) > 6:
        return None
    total: dict[_Frequencies, _Complex] = {}
    for monomial, value in p.items():
        wave: dict[_Frequencies, _Complex] = {(0,) * len(units): (value, Fraction(0))}
        for i, e in monomial:
            k = units.index(algebra.atoms[i].terms)
            for _ in range(e):
                wave = _times(wave, k, algebra.atoms[i].kind)
        for f, (re, im) in wave.items():
            old = total.get(f, (Fraction(0), Fraction(0)))
            total[f] = (old[0] + re, old[1] + im)
    result: Polynomial = {}
    for f, (re, im) in sorted(total.items()):
        lead = next((x for x in f if x), 0)
        if lead < 0:
            continue
        if lead == 0:
            add_to(result, ONE, re)
            continue
        angle: dict[Monomial, Number] = {}  # an angle and its half are two units of one angle
        for unit, n in zip(units, f, strict=True):
            for monomial, part in unit[0]:
                add_to(angle, monomial, part * n)
        terms = tuple(sorted(angle.items()))
        if not terms:
            add_to(result, ONE, 2 * re)
            continue
        if terms[0][1] < 0:
            terms, im = tuple((m, -c) for m, c in terms), -im
        for kind, coefficient in (("cos", 2 * re), ("sin", -2 * im)):
            if coefficient:
                add_to(result, ((algebra.atom(Atom(kind, terms=(terms,))), 1),), coefficient)
    return result


def _folded(algebra: Algebra, waves: Polynomial) -> Polynomial | None:
    """Write two waves of the same size as a product: ``cos a + cos b = 2 cos((a + b)/2) cos((a - b)/2)`` and so on."""
    if len(waves) != 2:
        return None
    (first, x), (second, y) = sorted(waves.items(), key=lambda item: item[0] == ONE)  # a constant is cos 0
    kinds = {algebra.atoms[m[0][0]].kind for m in (first, second) if m != ONE}
    if abs(x) != abs(y) or len(kinds) != 1 or (second == ONE and kinds == {"sin"}):
        return None
    a, b = (dict(algebra.atoms[m[0][0]].terms[0]) if m != ONE else {} for m in (first, second))
    half_sum, half_difference = (
        {m: (a.get(m, Fraction(0)) + s * b.get(m, Fraction(0))) / 2 for m in {**a, **b}} for s in (1, -1)
    )
    finest = max(Fraction(c).denominator for angle in (a, b) for c in angle.values())
    if any(Fraction(c).denominator > finest for half in (half_sum, half_difference) for c in half.values()):
        return None  # it would need half angles
    if kinds == {"cos"}:
        parts, sign = (("cos", "cos"), 1) if x == y else (("sin", "sin"), -1)
    else:
        parts, sign = (("sin", "cos"), 1) if x == y else (("cos", "sin"), 1)
    value = 2 * sign * x
    exponents: dict[int, int] = {}
    for kind, angle in zip(parts, (half_sum, half_difference), strict=True):
        terms = tuple(sorted((m, c) for m, c in angle.items() if c))
        if not terms:
            return None
        if terms[0][1] < 0:
            terms = tuple((m, -c) for m, c in terms)
            value = -value if kind == "sin" else value
        i = algebra.atom(Atom(kind, terms=(terms,)))
        exponents[i] = exponents.get(i, 0) + 1
    return {_monomial(exponents): value}


def _times(wave: dict[_Frequencies, _Complex], k: int, kind: str) -> dict[_Frequencies, _Complex]:
    """Multiply by ``cos u = (e + e*)/2`` or ``sin u = (e - e*)/(2 i)``."""
    result: dict[_Frequencies, _Complex] = {}
    for f, (re, im) in wave.items():
        for step in (1, -1):
            g = (*f[:k], f[k] + step, *f[k + 1 :])
            a, b = (re / 2, im / 2) if kind == "cos" else (step * im / 2, -step * re / 2)
            old = result.get(g, (Fraction(0), Fraction(0)))
            result[g] = (old[0] + a, old[1] + b)
    return result
