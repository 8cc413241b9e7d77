"""Closed forms as text, LaTeX and Python: the order of a textbook, not the alphabet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sympy

__all__ = [
    "ACCELERATION",
    "FUNCTION",
    "GRAVITY",
    "INPUT",
    "LOAD",
    "MASS",
    "PARAMETER",
    "VELOCITY",
    "Style",
    "Writer",
    "latex_name",
]

# Order of the factors of a product; coordinates stand with the functions of them.
MASS, GRAVITY, PARAMETER, FUNCTION, LOAD, INPUT, VELOCITY, ACCELERATION = range(1, 9)
_UNKNOWN = (PARAMETER, 999)

_GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu"),
    *("xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
    *("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"),
)


def latex_name(name: str, accent: str = "") -> str:
    r"""Write an identifier as LaTeX: ``theta_m`` as ``\theta_{m}``, ``q1`` as ``q_{1}``, ``I_c2_zz`` as ``I_{c2,zz}``.

    An accent such as ``"dot"`` goes over the letter, not over its subscript.
    """
    head, *subscripts = [piece for piece in name.split("_") if piece] or [name]
    stem = head.rstrip("0123456789")
    if stem and stem != head:
        subscripts.insert(0, head[len(stem) :])
        head = stem
    body = f"\\{accent}{{{_latex_word(head, 1)}}}" if accent else _latex_word(head, 1)
    return body + ("_{" + ",".join(_latex_word(s, 2) for s in subscripts) + "}" if subscripts else "")


def _latex_word(word: str, short: int) -> str:
    if word in _GREEK:
        return f"\\{word}"
    letters = sum(c.isalpha() for c in word)
    return word if letters <= short else f"\\mathrm{{{word}}}"


@dataclass(frozen=True)
class Style:
    """How operations look in a language.

    Parameters
    ----------
    times
        Between factors.
    power, function, fraction
        Templates.
    parentheses
        Around a sum.
    digits
        Digits of a number that is no simple fraction.
    """

    times: str
    power: str
    function: str
    fraction: str
    parentheses: str
    digits: int


TEXT = Style("*", "{0}**{1}", "{0}({1})", "{0}/{1}", "({0})", 6)
LATEX = Style(" ", "{0}^{{{1}}}", "\\{0}({1})", "\\frac{{{0}}}{{{1}}}", "\\left({0}\\right)", 6)
PYTHON = Style("*", "{0}**{1}", "np.{0}({1})", "{0}/{1}", "({0})", 17)
_NUMPY = {
    "Abs": "abs",
    "Max": "maximum",
    "Min": "minimum",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
}
_LATEX = {
    "asin": "\\arcsin",
    "acos": "\\arccos",
    "atan": "\\arctan",
    "atan2": "\\mathrm{atan2}",
    "Abs": "\\mathrm{abs}",
    "sign": "\\mathrm{sign}",
}


class Writer:
    """Writes SymPy expressions in one style.

    Parameters
    ----------
    style
        ``"text"``, ``"latex"`` or ``"python"``.
    rank
        Place of each symbol in a product: masses, gravity, other parameters, (functions,) loads and inputs, velocities,
        accelerations; the classes are those of this module.
    latex
        LaTeX of the symbols that define it.
    decimals
        Whether numbers are data, to be written with decimals; else they are factors such as one half.
    """

    def __init__(
        self,
        style: str,
        rank: dict[str, tuple[int, int]],
        latex: dict[str, str] | None = None,
        decimals: bool = False,
    ) -> None:
        self.kind = style
        self.style = {"text": TEXT, "latex": LATEX, "python": PYTHON}[style]
        self.rank = rank
        self.latex = latex or {}
        self.decimals = decimals

    def __call__(self, expression: sympy.Expr) -> str:
        """Write an expression."""
        return self._sum(expression)

    # -- order ----------------------------------------------------------------------------------------------------

    def _factor_key(self, x: sympy.Expr) -> tuple[Any, ...]:
        base = x.base if x.is_Pow else x
        if base.is_Symbol:
            return (*self.rank.get(base.name, _UNKNOWN), base.name)
        ranks = [self.rank.get(s.name, _UNKNOWN) for s in base.free_symbols]
        if not ranks:
            return (0, 0, str(base))
        if base.is_Add:
            category = max((r for r in ranks if r[0] > FUNCTION), default=min(ranks))
            return (*category, str(base))
        inner = f"{base.args} {type(base).__name__ != 'sin'}"  # sin before cos of the same angle
        return (FUNCTION, 1000 * len(ranks) + min(ranks)[1], inner)

    def _term_key(self, x: sympy.Expr) -> tuple[Any, ...]:
        factors = [f for f in x.as_ordered_factors() if not f.is_Number]
        keys = sorted(self._factor_key(f) for f in factors)
        categories = {k[0] for k in keys}
        place = next((i for i, c in enumerate((ACCELERATION, INPUT, VELOCITY)) if c in categories), 3)
        column = max(k[1] for k in keys if k[0] == ACCELERATION) if place == 0 else 0
        return (place + (LOAD in categories), column, FUNCTION in categories, len(factors) > 1, keys)

    # -- writing --------------------------------------------------------------------------------------------------

    def _sum(self, x: sympy.Expr) -> str:
        if not x.is_Add:
            return self._term(x)
        pieces = [self._term(term) for term in sorted(x.args, key=self._term_key)]
        if pieces[0].startswith("-"):  # a + c - b rather than -b + a + c
            pieces.sort(key=lambda piece: piece.startswith("-"))
        text = ""
        for piece in pieces:
            if not text:
                text = piece
            elif piece.startswith("-"):
                text += f" - {piece[1:].lstrip()}"
            else:
                text += f" + {piece}"
        return text

    def _term(self, x: sympy.Expr) -> str:
        import sympy

        number, factors = x.as_coeff_mul()
        sign = "-" if number < 0 else ""
        top, bottom = [], []
        for f in sorted(factors, key=self._factor_key):
            if f.is_Pow and f.exp.is_Integer and f.exp < 0:
                bottom.append(1 / f)
            else:
                top.append(f)
        size = abs(number)
        n, d = (size.p, size.q) if self._simple(size) else (sympy.Float(size, 17), 1)
        if self.kind == "latex" and (d != 1 or bottom):
            return sign + self._latex_fraction(n, d, top, bottom)
        above = [self._factor(f) for f in top]
        if n != 1 or not above:
            above.insert(0, self._number(n))
        below = ([self._number(d)] if d != 1 else []) + [self._factor(f) for f in bottom]
        if not below:
            return sign + self.style.times.join(above)
        under = below[0] if len(below) == 1 else f"({self.style.times.join(below)})"
        return sign + self.style.fraction.format(self.style.times.join(above), under)

    def _latex_fraction(self, n: sympy.Expr, d: sympy.Expr, top: list[sympy.Expr], bottom: list[sympy.Expr]) -> str:
        r"""Write parameters over parameters, and next to them the variables: ``\frac{l}{n} \cos(\theta) F``."""
        beside = [f for f in top if not bottom or self._factor_key(f)[0] >= FUNCTION]
        if n == 1 and len(beside) == len(top) == 1 and beside[0].is_Symbol:
            beside = []
        above = [f for f in top if f not in beside]
        if len(above) == 1 and above[0].is_Add and n == 1:
            numerator = self._sum(above[0])
        else:
            numerator = " ".join(([self._number(n)] if n != 1 or not above else []) + [self._factor(f) for f in above])
        denominator = " ".join(([self._number(d)] if d != 1 else []) + [self._factor(f) for f in bottom])
        return " ".join([self.style.fraction.format(numerator, denominator), *map(self._factor, beside)])

    def _factor(self, x: sympy.Expr) -> str:
        if x.is_Add:
            return self.style.parentheses.format(self._sum(x))
        if x.is_Pow:
            return self._power(x)
        if x.is_Symbol:
            return self.latex.get(x.name, latex_name(x.name)) if self.kind == "latex" else x.name
        if x.is_Number:
            return self._number(x)
        if x.is_Function or type(x).__name__ in ("Max", "Min"):
            return self._function(x)
        if self.kind == "latex" and x.is_NumberSymbol:
            return f"\\{x}"
        return f"np.{x}" if self.kind == "python" else str(x)

    def _power(self, x: sympy.Expr) -> str:
        if str(x.exp) == "1/2":
            if self.kind == "latex":
                return f"\\sqrt{{{self._sum(x.base)}}}"
            return self.style.function.format("sqrt", self._sum(x.base))
        base = self._term(x.base) if x.base.is_Mul else self._factor(x.base)
        exponent = self._sum(x.exp)
        if self.kind == "latex" and x.base.is_Function:
            return self._function(x.base, f"^{{{exponent}}}")
        if not x.exp.is_Integer and self.kind != "latex":
            exponent = f"({exponent})"
        if x.base.is_Mul or x.base.is_Pow or (x.base.is_Number and not (x.base.is_Integer and x.base >= 0)):
            base = self.style.parentheses.format(base)
        return self.style.power.format(base, exponent)

    def _function(self, x: sympy.Expr, exponent: str = "") -> str:
        name, inner = type(x).__name__, ", ".join(self._sum(a) for a in x.args)
        if self.kind == "latex":
            tall = "\\frac" in inner
            return (
                _LATEX.get(name, f"\\{name.lower()}") + exponent + (f"\\left({inner}\\right)" if tall else f"({inner})")
            )
        return self.style.function.format(_NUMPY.get(name, name) if self.kind == "python" else name, inner)

    def _number(self, x: sympy.Expr) -> str:
        import sympy

        value = sympy.sympify(x)
        if value.is_Integer:
            return str(value)
        if value.is_Rational and self._simple(value):
            return self.style.fraction.format(value.p, value.q)
        text = f"{float(value):.{self.style.digits}g}"
        if self.kind == "latex" and "e" in text:
            mantissa, _, exponent = text.partition("e")
            return f"{mantissa} \\cdot 10^{{{int(exponent)}}}"
        return text

    def _simple(self, x: sympy.Expr) -> bool:
        """Whether a fraction is read more easily than its decimals."""
        if x.is_Integer:
            return True
        return bool(x.is_Rational and not self.decimals and x.q <= 12 and abs(x.p) <= 60)
