"""Make random changes of the numerical rooms and print those that no test notices: ``make mutants ARGS="--number 40"``.

Notes and verdicts are kept in ``.mutants``: a run that was stopped goes on where it was. ``--write`` puts the result
into ``docs/results/random/mutants.json``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.mutants.changes import draw, read_changes
from tests.mutants.lines import Lines, note_lines
from tests.mutants.report import reasons, result, stored, table
from tests.mutants.trials import SURVIVED, UNCOVERED, Copy, Verdicts

ROOT = Path(__file__).resolve().parents[2]
RESULT = ROOT / "docs" / "results" / "random" / "mutants.json"
PYTHON_ROOMS = (
    "core",
    "spatial",
    "model",
    "formulations",
    "engine",
    "simulation",
    "loop",
    "control",
    "plan",
    "analysis",
)
ROOMS = {"c": {"engine": (".c", ".h")}, "python": dict.fromkeys(PYTHON_ROOMS, (".py",))}


def main() -> int:
    """Exit status 1 if a change survived for which no reason is written down."""
    parser = argparse.ArgumentParser(
        prog="make mutants", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--number", type=int, default=20, help="changes of each language, those that have a verdict included"
    )
    parser.add_argument("--language", choices=("c", "python", "both"), default="both")
    parser.add_argument("--seed", type=int, default=36, help="of the draw")
    parser.add_argument("--only", default="", help="files whose path contains this text")
    parser.add_argument("--tests", nargs="*", default=["tests/unit", "tests/property"], help="tests that may notice")
    parser.add_argument("--limit", type=float, default=40.0, help="processor seconds of the tests of a change")
    parser.add_argument("--again", action="store_true", help="try survivors again, after tests were added")
    parser.add_argument("--folder", type=Path, default=ROOT / ".mutants", help="where notes and verdicts are kept")
    parser.add_argument("--no-notes", action="store_true", help="take the notes that there are; run no tests for them")
    parser.add_argument("--write", action="store_true", help=f"write {RESULT.relative_to(ROOT)}")
    options = parser.parse_args()
    if not options.no_notes:
        files = [file for name in options.tests for file in _test_files(ROOT / name)]
        note_lines(ROOT, options.folder, files, limit=600.0)
    lines, verdicts = Lines.read(options.folder), Verdicts(options.folder / "verdicts.jsonl", stored(RESULT))
    languages = ("c", "python") if options.language == "both" else (options.language,)
    drawn = []
    for language in languages:
        changes = [x for x in read_changes(ROOT / "src" / "dalembert", ROOMS[language]) if options.only in x.path]
        drawn += draw(changes, options.seed)[: options.number]
    with tempfile.TemporaryDirectory() as temporary:
        copy = Copy(ROOT, Path(temporary) / "copy", options.folder / "kernels")
        for change in drawn:
            known = verdicts.known.get(change.key)
            if known is not None and not (options.again and known.verdict in (SURVIVED, UNCOVERED)):
                continue
            tests = lines.chosen(change.path, change.line, options.limit)
            limit = 60.0 + 10.0 * sum(lines.seconds[name] for name in tests)
            verdict = copy.judge(change, tests, limit, Path(temporary) / "objects")
            verdicts.add(verdict)
            print(
                f"{verdict.verdict:10s} {change.path}:{change.line} {change.old!r} -> {change.new!r} {verdict.by}",
                flush=True,
            )
    made = [verdicts.known[change.key] for change in drawn if change.key in verdicts.known]
    written = reasons(RESULT)
    print(table(made, written))
    if options.write:
        RESULT.write_text(json.dumps(result(list(verdicts.known.values()), written, RESULT), indent=1) + "\n")
    return int(any(v.verdict in (SURVIVED, UNCOVERED) and not written.get(v.key) for v in made))


def _test_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("test_*.py"))


if __name__ == "__main__":
    sys.exit(main())
