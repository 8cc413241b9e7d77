"""The documentation cannot rot: its Python runs, prints what the page says, and names only what exists.

The blocks marked ``python`` of a page run one after the other in one namespace, in a folder of their own. Comments on
the line before a fence steer them:

- ``<!-- no-run: reason -->`` leaves a block out;
- ``<!-- file: NAME -->`` writes a block of any language to a file that later blocks find;
- ``<!-- run -->`` runs a ``text`` block of ``dalembert`` commands, a line each;
- ``<!-- output -->`` marks a ``text`` block as what the code or the commands before it print. White space counts
  once, and ``...`` stands for anything, such as digits that depend on the computer.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import dalembert
from dalembert.io.key_pages import key_pages

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (ROOT / "docs", ROOT / "docs" / "tutorials", ROOT / "docs" / "verification")
PAGES = [ROOT / "README.md", *(page for folder in FOLDERS for page in sorted(folder.glob("*.md")))]
# Pages about words, files and commands. Every other page is about calls, and shows at least one that works.
WITHOUT_CODE = {
    "benchmark_figures",
    "benchmarks",
    "changelog",
    "command_line",
    "comparison",
    "contributing",
    "coverage",
    "engine",
    "errata",
    "extending",
    "gallery",
    "notation",
    "releases",
    "speed",
    "speed_machines",
    "speed_runs",
    "studies",
    "style",
    "tutorials/index",
    "verification",
}
# Pages whose code takes long: with the slow tests.
SLOW = {
    "cable_robots",
    "capture",
    "capture_control",
    "capture_grip",
    "capture_mission",
    "capture_planning",
    "colliders",
    "control",
    "crane_control",
    "cranes",
    "finite_elements",
    "flexible_arms",
    "flexible_bodies",
    "rods",
    "fmu",
    "gibbs_appell",
    "hoist",
    "hoists",
    "identification",
    "linkage",
    "natural_coordinates",
    "optimal_control",
    "over_the_stack",
    "own_chaser",
    "own_crane",
    "predictive_control",
    "predictive_controller",
    "quadruped",
    "realtime",
    "robust_chaser",
    "robust_controller",
    "robust_ranges",
    "rollout_events",
    "rollouts",
    "rope_friction",
    "ropes",
    "rotor",
    "space_robots",
    "stresses",
    "varying",
}
# Pages whose code takes minutes: with all tests only.
LONG = {"robust_chaser"}
# Pages that run another engine beside the library: skipped where it is not installed.
PEERS = {"from_mujoco": "mujoco", "from_pinocchio": "pinocchio"}
# Pages that read a file of another package, and run its program: skipped where they are not installed.
PACKAGES = {"rotor": ("/usr/share/doc/calculix-ccx-test/examples/test/rotor.inp.gz", "ccx")}

# An indented fence belongs to a list, where its code would have to be dedented: pages do without.
_FENCE = re.compile(
    r"^(?:<!--[ ]*(?P<comment>(?:(?!-->).)*?)[ ]*-->\n+)?^```(?P<language>[\w{}-]*)[^\n]*\n(?P<text>.*?)^```[ ]*$",
    re.M | re.S,
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language, text and first line, and the comment on the line before it."""

    language: str
    text: str
    line: int
    comment: str

    @property
    def runs(self) -> bool:
        """Whether the block is code that is executed."""
        return self.language == "python" and not self.comment.startswith("no-run")


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a page, in order."""
    return [
        Block(m["language"], m["text"], text.count("\n", 0, m.start("text")) + 1, m["comment"] or "")
        for m in _FENCE.finditer(text)
    ]


def run_command(where: str, line: str) -> str:
    """Run a line of the shell that calls ``dalembert``; what it prints."""
    words = shlex.split(line, comments=True)
    assert words and words[0] == "dalembert", f"{where}: only dalembert commands run, got {line!r}"
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, f"{where}: {line!r} ends with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def run_page(page: Path, text: str) -> None:
    """Run the code of a page and compare what it prints with what the page says it prints."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    printed: str | None = None
    for block in blocks(text):
        where = f"{page.name}:{block.line}"
        if block.runs:
            # Empty lines in front make the line numbers of a traceback those of the page.
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec", dont_inherit=True)
            screen = io.StringIO()
            with contextlib.redirect_stdout(screen):
                exec(code, namespace)
            printed = screen.getvalue()
        elif block.comment == "run":
            printed = "".join(run_command(where, line) for line in block.text.splitlines())
        elif block.comment.startswith("file: "):
            Path(block.comment.removeprefix("file: ")).write_text(block.text, encoding="utf-8")
        elif block.comment == "output":
            assert printed is not None, f"{where}: an output without code before it"
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            matches = doctest.OutputChecker().check_output(block.text, printed, flags)
            assert matches, f"{where}: the page says\n{block.text}\nbut the code prints\n{printed}"
            printed = None


def marks(page: Path) -> list[pytest.MarkDecorator]:
    """Marks of the test that runs a page."""
    long = [pytest.mark.long] * (page.stem in LONG)
    return [pytest.mark.slow] * (page.stem in SLOW) + long + [pytest.mark.peer] * (page.stem in PEERS)


@pytest.mark.parametrize("page", [pytest.param(p, id=p.stem, marks=marks(p)) for p in PAGES])
def test_code_of_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.stem in PACKAGES and not (Path(PACKAGES[page.stem][0]).is_file() and shutil.which(PACKAGES[page.stem][1])):
        pytest.skip(f"{' and '.join(PACKAGES[page.stem])} are not installed")
    if page.stem in PEERS:
        pytest.importorskip(PEERS[page.stem])
    text = page.read_text(encoding="utf-8")
    if not any(block.runs for block in blocks(text)):
        name = page.stem if page.parent.name != "tutorials" else f"tutorials/{page.stem}"
        generated = page.parent.name == "verification"
        assert name in WITHOUT_CODE or generated, f"{page.name} shows no Python that runs"
        return
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        # A page may show a warning on purpose; a compiler is not a condition for reading it.
        warnings.simplefilter("ignore", dalembert.DalembertWarning)
        run_page(page, text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_fences_of_page_are_understood(page: Path) -> None:
    """A block that this file would overlook is not checked: none may hide from it."""
    text = page.read_text(encoding="utf-8")
    for block in blocks(text):
        if block.language == "python" and block.comment.startswith("no-run"):
            reason = re.fullmatch(r"no-run: \S.*", block.comment)
            assert reason, f"{page.name}:{block.line}: say why it does not run: <!-- no-run: reason -->"
    found = sum(block.language == "python" for block in blocks(text))
    assert found == len(re.findall(r"^[ >]*(?:```|~~~|:::)\s*\{?(?:python|py|code-block:? *python)\b", text, re.M))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_public_names_of_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = {name for name in re.findall(r"\bda\.([A-Za-z_]\w*)", text) if name not in dalembert.__all__}
    assert not missing, f"{page.name} speaks of names that dalembert does not export: {', '.join(sorted(missing))}"


def heading_anchors(text: str) -> set[str]:
    """What a link into a page may name: its headings as GitHub and MyST write them, and targets."""
    text = re.sub(r"^```.*?^```[ ]*$", "", text, flags=re.M | re.S)
    found, count = set(), Counter[str]()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        found.add(slug if not count[slug] else f"{slug}-{count[slug]}")
        count[slug] += 1
    return found | set(re.findall(r"^\(([\w-]+)\)=$", text, re.M))


def broken_links(page: Path, text: str) -> list[str]:
    """Links of a page to files and headings that are not there; those to other hosts are not followed."""
    prose = re.sub(r"^```.*?^```[ ]*$", "", text, flags=re.M | re.S)
    broken = []
    for link in re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", prose):
        if "://" in link or link.startswith(("mailto:", "_generated/", "../_generated/")):
            continue  # generated pages are there only after a build, which follows these links
        path, _, anchor = link.partition("#")
        target = page.parent / path
        there = not path or target.exists()
        if there and anchor:
            there = anchor in heading_anchors(text if not path else target.read_text(encoding="utf-8"))
        if not there:
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=lambda page: page.stem)
def test_links_of_page_lead_somewhere(page: Path) -> None:
    assert not broken_links(page, page.read_text(encoding="utf-8"))


def test_every_page_can_be_reached() -> None:
    """From the index, by the tables of contents; and every picture is shown somewhere."""
    docs = ROOT / "docs"
    seen, left = set(), ["index"]
    while left:
        name = left.pop()
        seen.add(name)
        text = (docs / f"{name}.md").read_text(encoding="utf-8")
        for block in re.findall(r"^```\{toctree\}(.*?)^```", text, re.M | re.S):
            lines = [
                line
                for line in block.split()
                if not line.startswith((":", "_generated/"))  # those are there only after a build
                and (docs / name).parent.joinpath(f"{line}.md").is_file()
            ]
            left += [str((docs / name).parent.joinpath(line).relative_to(docs)) for line in lines]
    assert {str(page.relative_to(docs).with_suffix("")) for page in PAGES[1:]} == seen
    words = "".join([*(page.read_text(encoding="utf-8") for page in PAGES), *key_pages().values()])
    pictures = [path.name for suffix in ("png", "gif") for path in (docs / "figures").rglob(f"*.{suffix}")]
    assert pictures and not [name for name in pictures if name not in words]


def test_landing_page_and_readme_agree() -> None:
    """Both begin with the same words and the same code."""
    readme, index = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/index.md"))
    first = [text.partition("\n## ")[0].replace("](docs/", "](") for text in (readme, index)]
    assert first[0].strip() == first[1].strip()
    assert any(block.runs for block in blocks(first[0]))


def test_pages_are_found() -> None:
    assert len(PAGES) > 5
    shown = {page.stem for page in PAGES if any(b.runs for b in blocks(page.read_text(encoding="utf-8")))}
    assert {"README", "quick_start", "machines", "equations", "simulation", "control"} <= shown


def test_wrong_page_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    good = "# Page\n\n```python\nprint(6 * 7)\n```\n\n<!-- output -->\n```text\n42\n```\n"
    run_page(page, good)
    with pytest.raises(AssertionError, match=r"page\.md:9: the page says"):
        run_page(page, good.replace("6 * 7", "6 * 8"))
    with pytest.raises(ZeroDivisionError) as raised:
        run_page(page, good.replace("6 * 7", "1 / 0"))
    assert raised.traceback[-1].lineno == 3  # counted from zero: line 4 of the page
    commands = "# Page\n\n<!-- run -->\n```text\ndalembert --version\n```\n\n<!-- output -->\n```text\n...\n```\n"
    run_page(page, commands)
    with pytest.raises(AssertionError, match=r"page\.md:5: 'dalembert no-such-command' ends with 2"):
        run_page(page, commands.replace("--version", "no-such-command"))
    assert broken_links(page, "[a](page.md) [b](#b) [c](c.md#d)\n## B\n") == ["page.md", "c.md#d"]
    assert not any(block.runs for block in blocks("<!-- no-run: takes an hour -->\n```python\n1 / 0\n```\n"))
