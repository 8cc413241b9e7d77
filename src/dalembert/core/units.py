"""Units of numbers in files, and their dimensions.

A number may carry a unit: ``45 deg``, ``2.5 kg m^2``, ``120 rpm``. It is converted to SI and its dimension is compared
with that of the field; a bare number is in SI units already, of the dimension of the field.

The plane angle is a separate dimension, so that an angle is no number: ``restitution: 2 deg`` is refused.
As in SI it may vanish beside a length: an arc ``l * 30 deg`` is a length.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from dalembert.core.errors import InputError, UnknownNameError

__all__ = ["NUMBER", "UNITS", "Dimension", "Unit", "parse_unit", "unit_table", "with_units"]

_BASE = ("kg", "m", "s", "A", "rad")


@dataclass(frozen=True)
class Dimension:
    """Exponents of kilogram, metre, second, ampere and radian.

    Examples
    --------
    >>> force = parse_unit("N").dimension
    >>> str(force), force.admits(parse_unit("kg m/s^2").dimension), force.admits(parse_unit("deg").dimension)
    ('kg m/s^2', True, False)
    """

    exponents: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)

    def __mul__(self, other: Dimension) -> Dimension:
        a, b, c, d, e = (x + y for x, y in zip(self.exponents, other.exponents, strict=True))
        return Dimension((a, b, c, d, e))

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1.0

    def __pow__(self, power: float) -> Dimension:
        a, b, c, d, e = (power * x for x in self.exponents)
        return Dimension((a, b, c, d, e))

    @property
    def is_number(self) -> bool:
        """Whether it is that of a pure number, or of an angle."""
        return not any(self.exponents[:4])

    def admits(self, other: Dimension) -> bool:
        """Whether a quantity of another dimension is accepted in place of this one."""
        *asked, angle = self.exponents
        *got, turned = other.exponents
        if asked != got:
            return False
        if angle == turned or (self.is_number and turned == 0.0):
            return True
        solid = bool(asked[0] or asked[1])  # beside masses and lengths, the radian is 1
        return solid and (turned == 0.0 or turned > angle)

    def __str__(self) -> str:
        def listed(sign: float) -> list[str]:
            pairs = zip(_BASE, self.exponents, strict=True)
            return [name if abs(x) == 1 else f"{name}^{abs(x):g}" for name, x in pairs if x * sign > 0]

        above, below = " ".join(listed(1.0)) or "1", listed(-1.0)
        return "/".join([above, *below])


@dataclass(frozen=True)
class Unit:
    """A factor that converts to SI, and the dimension."""

    factor: float
    dimension: Dimension


NUMBER = Dimension()
_KG = Dimension((1.0, 0.0, 0.0, 0.0, 0.0))
_M = Dimension((0.0, 1.0, 0.0, 0.0, 0.0))
_S = Dimension((0.0, 0.0, 1.0, 0.0, 0.0))
_A = Dimension((0.0, 0.0, 0.0, 1.0, 0.0))
_RAD = Dimension((0.0, 0.0, 0.0, 0.0, 1.0))
_N = _KG * _M / _S**2
_UNITS: tuple[tuple[str, Dimension, Mapping[str, float]], ...] = (
    ("mass", _KG, {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "t": 1e3, "lb": 0.45359237}),
    ("length", _M, {"m": 1.0, "km": 1e3, "dm": 0.1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "ft": 0.3048, "in": 0.0254}),
    ("time", _S, {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0}),
    ("angle", _RAD, {"rad": 1.0, "mrad": 1e-3, "deg": math.pi / 180, "rev": 2 * math.pi}),
    ("angular velocity", _RAD / _S, {"rpm": math.pi / 30}),
    ("frequency", _S**-1, {"Hz": 1.0, "kHz": 1e3}),
    ("force", _N, {"N": 1.0, "mN": 1e-3, "kN": 1e3, "MN": 1e6, "lbf": 0.45359237 * 9.80665}),
    ("torque", _N * _M, {"Nm": 1.0, "mNm": 1e-3, "kNm": 1e3, "Nmm": 1e-3}),
    ("energy", _N * _M, {"J": 1.0, "kJ": 1e3}),
    ("power", _N * _M / _S, {"W": 1.0, "kW": 1e3}),
    ("pressure", _N / _M**2, {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "bar": 1e5}),
    ("current", _A, {"A": 1.0, "mA": 1e-3}),
)
UNITS: Mapping[str, Unit] = {
    name: Unit(factor, dimension) for _, dimension, factors in _UNITS for name, factor in factors.items()
}
"""All units by their symbols."""


def unit_table() -> list[tuple[str, str, str]]:
    """Return a row for each kind of quantity: its name, its SI unit, and the symbols that stand for it."""
    return [(kind, str(dimension), ", ".join(factors)) for kind, dimension, factors in _UNITS]


_PRODUCT = re.compile(r"\s*(?P<sign>[*/]?)\s*(?P<name>[A-Za-z]+)(?:(?:\^|\*\*)(?P<power>-?\d+))?")


@lru_cache(maxsize=512)
def parse_unit(text: str) -> Unit:
    """Read a unit such as ``"kg m^2"``, ``"N/m"`` or ``"deg/s"``; ``"1"`` is that of pure numbers.

    A slash divides by the next symbol alone: write ``N/m/s`` for N/(m s).
    """
    factor, dimension, place = 1.0, NUMBER, 0
    rest = text.strip()
    if rest == "1" or rest.startswith("1/"):
        place = 1
    while place < len(rest):
        found = _PRODUCT.match(rest, place)
        if found is None:
            raise InputError(f"cannot read {text!r} as a unit")
        if found["name"] not in UNITS:
            raise UnknownNameError("unit", found["name"], UNITS)
        unit = UNITS[found["name"]]
        power = float(found["power"] or 1) * (-1.0 if found["sign"] == "/" else 1.0)
        factor, dimension, place = factor * unit.factor**power, dimension * unit.dimension**power, found.end()
    return Unit(factor, dimension)


# A number, and the text after it: names side by side, or joined by signs without spaces around them. The lookbehind
# keeps names such as l2 whole.
_QUANTITY = re.compile(
    r"(?<![\w.])((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"(?P<unit>\s*(?!e[+-]?\d)[A-Za-z]+(?:(?:\^|\*\*)-?\d+)?(?:(?:[*/]|\s+)(?:[A-Za-z]+)(?:(?:\^|\*\*)-?\d+)?)*)"
)


def with_units(text: str) -> tuple[str, dict[str, Unit]]:
    """Return an expression in which names replace the units, and the units by these names.

    Signs without spaces belong to the unit: ``2 m/s`` are metres per second, ``2 m / s`` is divided by ``s``. A name
    behind such a sign that is no unit is left to the expression.

    Examples
    --------
    >>> text, units = with_units("2 * l + 30 mm/l")
    >>> text, [unit.factor for unit in units.values()]
    ('2 * l + (30 * _unit_0)/l', [0.001])
    """
    units: dict[str, Unit] = {}

    def replaced(found: re.Match[str]) -> str:
        unit, rest = _unit_part(found["unit"])
        key = f"_unit_{len(units)}"
        units[key] = parse_unit(unit)
        return f"({found[1]} * {key}){rest}"

    return _QUANTITY.sub(replaced, text), units


_STEP = re.compile(r"(?P<sign>[*/]|\s+|^\s*)(?P<name>[A-Za-z]+)(?:(?:\^|\*\*)-?\d+)?")


def _unit_part(text: str) -> tuple[str, str]:
    """Split the text after a number into its unit and the rest of the expression."""
    end = 0
    for step in _STEP.finditer(text):
        if step["sign"] in ("*", "/") and step["name"] not in UNITS:
            break
        end = step.end()
    return text[:end], text[end:]
