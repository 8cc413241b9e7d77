"""LaTeX of formulas as Typst mathematics: fractions, roots, matrices, accents, indices, Greek letters."""

from __future__ import annotations

import re

__all__ = ["typst_math"]

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}_^&]|[A-Za-z]+|[0-9.]+|\s+|.")
_ACCENTS = {"dot": "dot", "ddot": "dot.double", "hat": "hat", "bar": "macron"}
_WORDS = {
    "cdot": "dot.op", "quad": "quad", "partial": "partial", "sum": "sum", "times": "times", "infty": "infinity",
    "lambda": "lambda", "int": "integral", "left": "", "right": "", "epsilon": "epsilon", "approx": "approx",
}  # fmt: skip
_FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "min", "max", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh")


def typst_math(latex: str) -> str:
    """Convert LaTeX of math mode, as closed forms and derivations write it, to Typst."""
    text = _Reader(latex).sequence()
    for loose, tight in ((" _(", "_("), (" ^(", "^("), (" )", ")")):
        text = text.replace(loose, tight)
    return re.sub(r" +", " ", text).strip()


class _Reader:
    """Reads tokens of LaTeX and writes Typst."""

    def __init__(self, latex: str) -> None:
        self.tokens = _TOKEN.findall(latex)
        self.at = 0

    def _next(self) -> str:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def sequence(self, *ends: str) -> str:
        """Everything up to one of the ends, which stays."""
        text = ""
        while self.at < len(self.tokens) and self._peek() not in ends:
            text += self.item()
        return text

    def group(self) -> str:
        """A group in braces, or one token."""
        while self._peek().isspace():
            self.at += 1
        if self._peek() != "{":
            return self.item()
        self.at += 1
        text = self.sequence("}")
        self.at += 1
        return text.strip()

    def item(self) -> str:
        """One token with its arguments."""
        token = self._next()
        if token in "_^":
            return f"{token}({self.group()})"
        if token == "{":
            self.at -= 1
            return self.group()
        if token == "\\begin":
            return self._environment(self._word().strip('"'))
        if token.startswith("\\"):
            return self._command(token[1:])
        if token.isalpha():
            return " ".join(token) + " "  # letters beside each other are a product
        return {"*": "ast", "#": "\\#", "/": "\\/"}.get(token, token)

    def _command(self, name: str) -> str:
        if name == "frac":
            return f"frac({self.group()}, {self.group()})"
        if name == "sqrt":
            return f"sqrt({self.group()})"
        if name == "mathrm":
            return self._word()
        if name in _ACCENTS:
            return f"{_ACCENTS[name]}({self.group()})"
        if name in (",", ";", "!", " "):
            return " "
        if name in _FUNCTIONS:
            return f"{name} "
        return f" {_WORDS.get(name, name)} "

    def _word(self) -> str:
        """Upright text."""
        self.at += 1
        word = ""
        while self._peek() != "}":
            word += self._next()
        self.at += 1
        return f'"{word}"'

    def _environment(self, name: str) -> str:
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(self.sequence("&", "\\\\", "\\end").strip())
            token = self._next()
            if token == "\\\\":
                rows.append([])
            elif token == "\\end":
                self._word()
                break
        if name == "bmatrix":
            return 'mat(delim: "[", ' + "; ".join(", ".join(row) for row in rows) + ")"
        return " \\\n".join(" & ".join(row) for row in rows)
