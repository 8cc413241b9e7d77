"""The built page (its sources are in ``frontend/``): script, style sheet, and the licences of its content."""

from __future__ import annotations

import base64
import json
import zlib
from functools import cache
from html import escape
from importlib import resources

__all__ = ["asset", "compressed", "document", "inline_json"]


@cache
def asset(name: str) -> str:
    """Text of a file of the page."""
    return resources.files("dalembert.view.page").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def compressed(name: str) -> str:
    """A file of the page, deflated and in base 64."""
    return base64.b64encode(zlib.compress(asset(name).encode("utf-8"), 9)).decode("ascii")


def inline_json(value: object) -> str:
    """JSON that may stand inside of a script of an HTML page."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def document(title: str, body: str, kind: str, *, script: str = "", simulates: bool = False) -> str:
    """An HTML page that needs nothing from anywhere; a policy in it keeps it so.

    Parameters
    ----------
    title, body
        Title and body of the page.
    kind
        Class of its body.
    script
        Script that runs first; it brings the style sheet itself. Empty: none.
    simulates
        Whether the page may run WebAssembly that it holds.
    """
    scripts = "'unsafe-inline' 'wasm-unsafe-eval'" if simulates else "'unsafe-inline'"
    policy = f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:"
    first = f"<script>{script}</script>" if script else f"<style>{asset('dalembert.css')}</style>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="dalembert">\n'
        f"<title>{escape(title)}</title>\n{first}\n</head>\n"
        f'<body class="{kind}">\n{body}\n</body>\n</html>\n'
    )
