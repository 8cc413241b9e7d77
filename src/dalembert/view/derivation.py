"""Derivation sheets as documents: HTML with MathML, Markdown, LaTeX, and PDF by Typst."""

from __future__ import annotations

import base64
import io
import os
import tempfile
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from dalembert.analysis.derivation.formula import SheetStep
from dalembert.analysis.derivation.sheet import Derivation, derivation
from dalembert.core.errors import InputError
from dalembert.core.files import target_file, write_files
from dalembert.core.version import __version__
from dalembert.model.machine import Machine
from dalembert.view.animation import draw_machine
from dalembert.view.page.assets import document
from dalembert.view.page.mathml import mathml
from dalembert.view.page.sections import table
from dalembert.view.page.typst import typst_math

__all__ = ["ENDINGS", "write_derivation"]

ENDINGS = (".html", ".md", ".tex", ".pdf")
"""Kinds of documents of a derivation."""

_SPECIAL = {"&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "^": r"\^{}"}
_CHECK = "Checks"


def write_derivation(sheet: Derivation | Machine, path: str | os.PathLike[str]) -> Path:
    """Write the derivation of a machine as a document.

    Parameters
    ----------
    sheet
        The derivation, or a machine.
    path
        The file: ``.html`` (MathML, no other program needed), ``.md``, ``.tex`` or ``.pdf`` (package typst). Markdown
        and LaTeX have their picture in a file ``NAME.png`` beside them.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems import load_system
    >>> da.write_derivation(load_system("pr-robot"), "robot.html").name  # doctest: +SKIP
    'robot.html'
    """
    made = derivation(sheet) if isinstance(sheet, Machine) else sheet
    if not isinstance(made, Derivation):
        raise InputError(f"a derivation or a Machine is expected, got {type(sheet).__name__}")
    target = target_file(path, ENDINGS)
    picture = _picture(made.machine)
    beside = target.with_suffix(".png")
    match target.suffix.lower():
        case ".html":
            write_files({target: _html(made, picture)})
        case ".md":
            write_files({target: _markdown(made, beside.name), beside: picture})
        case ".tex":
            write_files({target: _latex(made, beside.name), beside: picture})
        case _:
            write_files({target: _pdf(made, picture)})
    return target


def _picture(machine: Machine) -> bytes:
    import matplotlib.pyplot as plt

    figure = draw_machine(machine, frames=[frame.name for frame in machine.frames])
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=160)
    plt.close(figure)
    return content.getvalue()


def _checks(sheet: Derivation) -> SheetStep:
    """The printed formulas beside the compiled functions of the machine."""
    found = sheet.check()
    rows = tuple((name, f"{deviation:.1e}") for name, deviation in found.items())
    text = (
        "Each formula above was evaluated at random states with the nominal values and compared with the compiled "
        "functions of the machine, which are built from another formulation. The Christoffel symbols are compared with "
        "central differences of the mass matrix."
        if rows
        else "All numbers above are those of the compiled functions of the machine."
    )
    return SheetStep(_CHECK, text, tables=((("formula", "largest relative difference"), rows),) if rows else ())


def _lines(sheet: Derivation, step: SheetStep) -> list[str]:
    return [*step.rules, *(line for formula in step.formulas for line in formula.lines(sheet.form, sheet.state))]


def _state_rows(sheet: Derivation) -> list[tuple[str, str]]:
    machine, state = sheet.machine, sheet.state
    pairs = [*zip(machine.q_names, state.q, strict=True), *zip(machine.v_names, state.v, strict=True)]
    return [(name, f"{value:.6g}") for name, value in pairs]


def _html(sheet: Derivation, picture: bytes) -> str:
    name = sheet.machine.name
    image = base64.b64encode(picture).decode("ascii")
    parts = [
        f"<h1>{escape(name)}: derivation of the equations of motion</h1>",
        f'<p class="lead">by Lagrange and by recursion; written by dalembert {__version__}</p>',
        f'<p><img alt="{escape(name)} in its neutral configuration" src="data:image/png;base64,{image}" '
        'style="max-width: 100%; width: 560px"></p>',
    ]
    for number, step in enumerate([*sheet.steps, _checks(sheet)], start=1):
        parts.append(f"<h2>{number}. {escape(step.title)}</h2>")
        if step.text:
            parts.append(f"<p>{escape(step.text)}</p>")
        parts += [table(head, rows, numbers=(1,)) for head, rows in step.tables]
        if lines := _lines(sheet, step):
            parts.append('<div class="equations">' + "".join(mathml(line) for line in lines) + "</div>")
    if any(formula.value is None for step in sheet.steps for formula in step.formulas):
        parts.append("<h2>State of the numbers</h2>" + table(("name", "value"), _state_rows(sheet), numbers=(1,)))
    return document(f"{name}: derivation", "\n".join(parts), "da-report")


def _marked(
    sheet: Derivation,
    *,
    heading: Callable[[int, str], str],
    text: Callable[[str], str],
    rows: Callable[[Sequence[str], Sequence[Sequence[str]]], str],
    formula: Callable[[str], str],
) -> str:
    """The steps in the notation of a language."""
    parts = []
    for number, step in enumerate([*sheet.steps, _checks(sheet)], start=1):
        parts.append(heading(number, step.title))
        if step.text:
            parts.append(text(step.text))
        parts += [rows(head, body) for head, body in step.tables]
        parts += [formula(line) for line in _lines(sheet, step)]
    if any(one.value is None for step in sheet.steps for one in step.formulas):
        parts += [heading(0, "State of the numbers"), rows(("name", "value"), _state_rows(sheet))]
    return "\n\n".join(parts) + "\n"


def _markdown(sheet: Derivation, picture: str) -> str:
    def rows(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
        lines = [head, ["---"] * len(head), *body]
        return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)

    body = _marked(
        sheet,
        heading=lambda number, title: f"## {title}",
        text=lambda words: words,
        rows=rows,
        formula=lambda line: f"$$\n{line}\n$$",
    )
    name = sheet.machine.name
    return f"# {name}: derivation of the equations of motion\n\n![{name}]({picture})\n\n{body}"


def _escaped(words: str) -> str:
    return "".join(_SPECIAL.get(c, c) for c in words)


def _latex(sheet: Derivation, picture: str) -> str:
    def rows(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
        lines = [" & ".join(map(_escaped, line)) + r" \\" for line in (head, *body)]
        lines.insert(1, r"\hline")
        inner = "\n".join(lines)
        return f"\\begin{{longtable}}{{{'l' * len(head)}}}\n{inner}\n\\end{{longtable}}"

    body = _marked(
        sheet,
        heading=lambda number, title: f"\\section{'' if number else '*'}{{{_escaped(title)}}}",
        text=_escaped,
        rows=rows,
        formula=lambda line: f"\\begin{{equation*}}\n\\fitted{{{line}}}\n\\end{{equation*}}",
    )
    title = _escaped(f"{sheet.machine.name}: derivation of the equations of motion")
    return (
        "\\documentclass{article}\n\\usepackage{amsmath,graphicx,longtable}\n\\usepackage[margin=25mm]{geometry}\n"
        "\\newcommand{\\fitted}[1]{\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}"
        "{$\\displaystyle #1$}}\n"
        f"\\setcounter{{MaxMatrixCols}}{{40}}\n\\title{{{title}}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n"
        f"\\begin{{center}}\\includegraphics[width=0.7\\linewidth]{{{picture}}}\\end{{center}}\n\n{body}\\end{{document}}\n"
    )


def typst_source(sheet: Derivation, picture: str) -> str:
    """The document in Typst."""

    def quoted(words: str) -> str:
        return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def rows(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
        cells = ", ".join(f"text({quoted(cell)})" for line in body for cell in line)
        top = ", ".join(f"strong(text({quoted(cell)}))" for cell in head)
        return f"#table(columns: {len(head)}, stroke: 0.4pt + gray, table.header({top}), {cells})"

    body = _marked(
        sheet,
        heading=lambda number, title: f"#heading(level: 1, {quoted(title)})",
        text=lambda words: f"#text({quoted(words)})",
        rows=rows,
        # A formula that is wider than the page is shrunk to fit.
        formula=lambda line: f"#fitted($ {typst_math(line)} $)",
    )
    title = quoted(f"{sheet.machine.name}: derivation of the equations of motion")
    return (
        f'#set page(paper: "a4", margin: 22mm, numbering: "1")\n#set text(size: 10pt)\n#set heading(numbering: "1.")\n'
        "#let fitted(body) = layout(size => {\n  let wide = measure(body).width\n"
        "  if wide > size.width { scale(size.width / wide * 100%, reflow: true, body) } else { body }\n})\n"
        f'#align(center, text(size: 16pt, weight: "bold", {title}))\n'
        f"#align(center, image({quoted(picture)}, width: 70%))\n\n"
        f"{body}"
    )


def _pdf(sheet: Derivation, picture: bytes) -> bytes:
    try:
        import typst
    except ImportError:
        raise InputError(
            "a derivation as .pdf needs the package typst: pip install 'dalembert[pdf]'; .html, .md and .tex do not"
        ) from None
    with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
        (Path(folder) / "machine.png").write_bytes(picture)
        source = Path(folder) / "sheet.typ"
        source.write_text(typst_source(sheet, "machine.png"), encoding="utf-8")
        return bytes(typst.compile(str(source)))
