"""XML elements with their line numbers; entities are refused, nothing outside the text is read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from dalembert.core.errors import FileFormatError
from dalembert.io.source import located

__all__ = ["Element", "parse_xml"]


@dataclass
class Element:
    """An element: its tag, attributes, children, and where it begins."""

    tag: str
    attributes: dict[str, str]
    label: str
    line: int
    children: list[Element] = field(default_factory=list)
    owner: str = ""

    def error(self, message: str) -> FileFormatError:
        """Return an error that begins with the place and the owner of this element."""
        return located(self.label, self.line, f"{self.owner}{': ' if self.owner else ''}{message}")

    def all(self, tag: str) -> list[Element]:
        """Children with that tag."""
        return [child for child in self.children if child.tag == tag]

    def one(self, tag: str) -> Element | None:
        """The child with that tag, or None; two are an error."""
        elements = self.all(tag)
        if len(elements) > 1:
            raise elements[1].error(f"<{self.tag}> has {len(elements)} <{tag}> elements, expected at most one")
        return elements[0] if elements else None

    def needed(self, tag: str) -> Element:
        """The child with that tag, which must be there."""
        element = self.one(tag)
        if element is None:
            raise self.error(f"<{self.tag}> has no <{tag}> element, which it needs")
        return element

    def text(self, name: str, default: str | None = None) -> str:
        """Attribute as text; without a default it must be there and not be empty."""
        value = self.attributes.get(name, default)
        if value is None:
            names = ", ".join(self.attributes) or "none"
            raise self.error(f"<{self.tag}> has no attribute '{name}', which it needs (given: {names})")
        value = value.strip()
        if not value:
            raise self.error(f"attribute '{name}' of <{self.tag}> is empty")
        return value

    def numbers(
        self, name: str, count: int, default: tuple[float, ...] | None = None, *, infinite: bool = False
    ) -> tuple[float, ...]:
        """Attribute as ``count`` numbers separated by blanks; NaN is refused, and infinity unless allowed."""
        if name not in self.attributes and default is not None:
            return default
        text = self.text(name)
        words = text.split()
        expected = "a number" if count == 1 else f"{count} numbers"
        if "${" in text or "$(" in text:
            raise self.error(f"attribute '{name}' of <{self.tag}> is {text!r}, an expression of xacro; run xacro first")
        try:
            values = tuple(_number(word) for word in words)
        except ValueError:
            raise self.error(f"attribute '{name}' of <{self.tag}> must be {expected}, got {text!r}") from None
        if len(values) != count:
            got = f"{len(values)}: {text!r}"
            raise self.error(f"attribute '{name}' of <{self.tag}> must be {expected}, got {got}")
        if any(math.isnan(v) or (math.isinf(v) and not infinite) for v in values):
            raise self.error(f"attribute '{name}' of <{self.tag}> must be finite, got {text!r}")
        return values

    def number(self, name: str, default: float | None = None, *, infinite: bool = False) -> float:
        """Attribute as a number."""
        return self.numbers(name, 1, None if default is None else (default,), infinite=infinite)[0]


def _number(word: str) -> float:
    if "_" in word:  # a separator of digits in Python, not in XML
        raise ValueError(word)
    return float(word)


def parse_xml(data: bytes | str, label: str, skipped: int = 0) -> Element:
    """Return the root element of an XML text.

    Parameters
    ----------
    data
        Content of the file, or text.
    label
        File name, for messages.
    skipped
        Number of lines before ``data``.
    """
    parser = expat.ParserCreate(encoding="utf-8" if isinstance(data, str) else None)
    top: list[Element] = []
    stack: list[Element] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, label, skipped + parser.CurrentLineNumber)
        if stack:
            element.owner = stack[-1].owner
            stack[-1].children.append(element)
        else:
            top.append(element)
        if tag in ("link", "joint") and len(stack) == 1:
            name = attributes.get("name")
            element.owner = f"{tag} without a name" if name is None else f"{tag} '{name}'"
        stack.append(element)

    def end(_tag: str) -> None:
        stack.pop()

    def refuse(*_arguments: object) -> NoReturn:
        line = skipped + parser.CurrentLineNumber
        raise located(label, line, "declares an XML entity; entities are not allowed")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    content = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise located(label, skipped + error.lineno, f"is not well-formed XML: {reason}") from None
    except (LookupError, ValueError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise located(label, None, f"is not well-formed XML: {error}") from None
    return top[0]
