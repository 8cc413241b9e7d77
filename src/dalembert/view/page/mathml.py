"""LaTeX of closed forms as MathML, which browsers draw by themselves."""

from __future__ import annotations

import re

__all__ = ["mathml"]

# The converter writes brackets as operators that keep the height of a line; those of a matrix must grow with it.
_BRACKET = re.compile(r"<mo[^>]*>(&#x0005B;|&#x0005D;|\[|\])</mo>")
_ALIGNED = re.compile(r"\\begin\{aligned\}(.*)\\end\{aligned\}", re.DOTALL)


def mathml(latex: str) -> str:
    """Convert LaTeX in math mode to MathML elements: one, or one per line of an ``aligned`` block."""
    from latex2mathml.converter import convert

    block = _ALIGNED.fullmatch(latex.strip())
    lines = [latex] if block is None else [line.replace("&", "") for line in block[1].split("\\\\\n")]
    made = "".join(str(convert(line.strip(), display="block")) for line in lines)
    return _BRACKET.sub(r'<mo stretchy="true" fence="true">\1</mo>', made)
