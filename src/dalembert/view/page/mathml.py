"""LaTeX of closed forms as MathML, which browsers draw by themselves."""

from __future__ import annotations

import re

__all__ = ["mathml"]

# Only fonts made for mathematics have brackets that grow, and few computers have one: those of a matrix are drawn as
# borders of its table instead (``.da-bracket`` of the style sheet).
_MATRIX = re.compile(r"<mo[^>]*>(?:&#x0005B;|\[)</mo><mtable([^>]*)>(.*?)</mtable><mo[^>]*>(?:&#x0005D;|\])</mo>", re.S)


def mathml(latex: str) -> str:
    """Convert LaTeX in math mode to a MathML element; the brackets of its matrices are as high as these."""
    from latex2mathml.converter import convert

    markup = str(convert(latex, display="block"))
    return _MATRIX.sub(r'<mtable class="da-bracket"\1>\2</mtable>', markup)
