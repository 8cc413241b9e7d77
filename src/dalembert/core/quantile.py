"""Numbers of the normal quantile of `core.noise`, for Python and for C.

The standard library is all that this module needs: an installation writes the texts of the engine with it.
"""

from __future__ import annotations

__all__ = ["BOTTOM", "FROM", "LN2", "LOG", "ROOT", "SPREAD", "TOP", "quantile_macros"]

ROOT = 0x3FE6A09E667F3BCD
"""Bits of sqrt(1/2)."""
SPREAD = 0x3FF0000000000000 - ROOT
LOG = (
    0.666666666666667,
    0.3999999999989889,
    0.28571428626253836,
    0.22222211089379496,
    0.1818289243253687,
    0.15331611722055008,
    0.14617807153417325,
)
"""(2 atanh(s) - 2 s)/s^3 in s^2, for numbers between sqrt(1/2) and sqrt(2)."""
LN2 = (0.6931471805592082, 7.371002565167799e-13)
"""In two parts: products of the first with exponents are exact."""
FROM = (0.0, 4.5, 13.0)
"""Where the pieces of the quantile begin, in w."""
TOP = (
    (
        1.2533141373155003,
        0.4860076558899041,
        0.1288234209496962,
        0.02454086119657329,
        0.0034546259620257,
        0.000367579816297351,
        2.8743403570439175e-05,
        1.5028952223500962e-06,
        4.049815665584809e-08,
    ),
    (
        2.787602523301929,
        1.2804151190211188,
        0.29098254554487096,
        0.04149155301046265,
        0.004029177080450197,
        0.0002728649254632311,
        1.2420137680440824e-05,
        3.2110471416750906e-07,
        2.4401664250162297e-09,
    ),
    (
        4.867509520045023,
        1.6466906673922084,
        0.25617295155501435,
        0.023456412652935188,
        0.0013402952603794164,
        4.571051993948913e-05,
        8.050028052362238e-07,
        5.7003649154709785e-09,
        9.903786292806804e-12,
    ),
)
"""Numerators of the pieces, lowest power first: quotients of polynomials in w less where the piece begins, fitted at 60
digits with errors below 3e-17. All coefficients are positive: nothing cancels."""
BOTTOM = (
    (
        1.0,
        0.12597861726739695,
        0.056773056819534345,
        0.005710744789094883,
        0.0009978745849262072,
        7.281704965440508e-05,
        5.210690610072594e-06,
        2.0980425942619083e-07,
        1.7746491386643959e-09,
    ),
    (
        1.0,
        0.3471886424742028,
        0.0691898166623744,
        0.008425077165060782,
        0.0007179756959759306,
        4.121461750406098e-05,
        1.5305212899577332e-06,
        2.4661067432123966e-08,
        5.697807238843387e-11,
    ),
    (
        1.0,
        0.29768946737622687,
        0.041305082568366874,
        0.003341310648399446,
        0.00016416461701451512,
        4.434958353950265e-06,
        5.378582020393476e-08,
        2.107907322995084e-10,
        1.1001508509214385e-13,
    ),
)
"""Their denominators."""


def quantile_macros() -> dict[str, object]:
    """Numbers of the quantile, for ``noise.h``."""

    def listed(rows: tuple[object, ...]) -> str:
        return ", ".join(f"{{{listed(row)}}}" if isinstance(row, tuple) else repr(row) for row in rows)

    rows = {"TOP": tuple(zip(*TOP, strict=True)), "BOTTOM": tuple(zip(*BOTTOM, strict=True))}
    tables = {"FROM": FROM, **rows, "LOG": LOG, "LN2": LN2}
    macros: dict[str, object] = {f"QUANTILE_{name}": listed(table) for name, table in tables.items()}
    return {**macros, "QUANTILE_ROOT": f"0x{ROOT:x}u", "QUANTILE_SPREAD": f"0x{SPREAD:x}u"}
