"""The API reference: a page for every public name, in a group, short types, examples."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path

import pytest

import dalembert

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS))

from api_pages import GROUPS, PACKAGES, _uses, api_pages, example, public_names, returned_by  # noqa: E402

PAGES = api_pages()


def test_every_public_name_has_a_page() -> None:
    text = "\n".join(PAGES.values())
    for package, names in public_names().items():
        for name in names:
            path = f"dalembert.{package}.{name}" if package else f"dalembert.{name}"
            assert len(re.findall(rf"^\.\. (?:auto\w+|py:data):: {re.escape(path)}$", text, re.M)) == 1, path


def test_packages_have_a_purpose() -> None:
    """A new package needs a line in PACKAGES of docs/api_pages.py."""
    assert {package for package in public_names() if package and not package.startswith("systems.")} == set(PACKAGES)
    assert {key for key, *_ in GROUPS} <= {path.partition("/")[0] for path in PAGES}


def test_pages_differ_also_where_the_case_of_letters_does_not_count() -> None:
    assert len({path.lower() for path in PAGES}) == len(PAGES)


def test_no_page_documents_more_than_one_name() -> None:
    for path, page in PAGES.items():
        assert page.count(":: dalembert") == (not path.endswith("index")), path


@pytest.mark.parametrize("name", [name for name in dalembert.__all__ if not name.startswith("__")])
def test_names_of_the_package_have_an_example(name: str) -> None:
    """In the docstring, which is run as a test; errors and constants need none."""
    thing = getattr(dalembert, name)
    if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, Exception | Warning)):
        return
    assert ">>>" in (inspect.getdoc(thing) or ""), f"the docstring of {name} has no example"


def _needs_example(thing: object) -> bool:
    """Functions, and classes that users make: not errors, protocols, or classes that other names return or hold."""
    if inspect.isclass(thing):
        return not issubclass(thing, Exception | Warning) and not getattr(thing, "_is_protocol", False)
    return inspect.isroutine(thing) or hasattr(thing, "__wrapped__")


def test_names_of_packages_have_an_example() -> None:
    """In the docstring or on a page of the documentation; or another name returns or holds the object."""
    uses, sources, missing = _uses(), returned_by(), []
    for package, names in public_names().items():
        for name in names:
            thing = getattr(importlib.import_module(f"dalembert.{package}".rstrip(".")), name)
            if not _needs_example(thing) or (inspect.isclass(thing) and name in sources):
                continue
            if ">>>" not in (inspect.getdoc(thing) or "") and not example(thing, name, uses):
                missing.append(f"{package}.{name}")
    assert not missing, f"no example in the docstring or on a page: {', '.join(missing)}"
