"""Make random changes of the numerical rooms and print those that no test notices: ``make mutants ARGS="--number 40"``.

Notes and verdicts are kept in ``.mutants``: a run that was stopped goes on where it was, and several at a time share
the work. ``--write`` puts the result into ``docs/results/random/mutants.json``, or the file that ``--result`` names.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from itertools import zip_longest
from pathlib import Path

from tests.mutants.changes import Change, draw, read_changes
from tests.mutants.nearness import near_files, nearest_first
from tests.mutants.notes import Notes
from tests.mutants.plugin import Job
from tests.mutants.report import reasons, result, stored, table
from tests.mutants.trials import SURVIVED, UNCOVERED, Claims, Copy, Verdict, Verdicts

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
ENDED = "ended"
"""A file that says that every change of the batch has its verdict."""
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
    parser.add_argument(
        "--patience", type=float, default=600.0, help="processor seconds of a file of tests and its trials"
    )
    parser.add_argument(
        "--longest", type=float, default=10.0, help="processor seconds of a test that is run with changes"
    )
    parser.add_argument("--near", action="store_true", help="leave out tests that are near to none of the changes left")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="for how long files of tests are begun")
    parser.add_argument("--again", action="store_true", help="try survivors again, after tests were added")
    parser.add_argument("--folder", type=Path, default=ROOT / ".mutants", help="where notes and verdicts are kept")
    parser.add_argument("--write", action="store_true", help="write the result")
    parser.add_argument(
        "--result", type=Path, default=RESULT, help=f"its file, if it is not {RESULT.relative_to(ROOT)}"
    )
    options = parser.parse_args()
    verdicts = Verdicts(options.folder / "verdicts.jsonl", stored(options.result))
    languages = ("c", "python") if options.language == "both" else (options.language,)
    everything = {language: read_changes(ROOT / "src" / "dalembert", ROOMS[language]) for language in ROOMS}
    chosen = [[x for x in everything[name] if options.only in x.path] for name in languages]
    samples = [draw(changes, options.seed)[: options.number] for changes in chosen]
    drawn = [x for pair in zip_longest(*samples) for x in pair if x is not None]
    wanted = [x for x in drawn if _is_open(verdicts.known.get(x.key), options.again)]
    by_key = {change.key: change for changes in everything.values() for change in changes}
    if wanted:
        _try(wanted, by_key, verdicts, options)
    made = [verdicts.known[change.key] for change in drawn if change.key in verdicts.known]
    written = reasons(options.result)
    print(table(made, written))
    if options.write:
        keys = {v.key for v in made}
        others = [v for v in verdicts.known.values() if v.key in by_key and v.key not in keys]
        options.result.write_text(json.dumps(result(made, others, written), indent=1) + "\n")
    return int(any(v.verdict in (SURVIVED, UNCOVERED) and not written.get(v.key) for v in made))


def _is_open(verdict: Verdict | None, again: bool) -> bool:
    return verdict is None or (again and verdict.verdict in (SURVIVED, UNCOVERED))


def _batch(wanted: list[Change], by_key: dict[str, Change], folder: Path) -> tuple[list[Change], Path]:
    """Changes of the batch that was begun, if it has all that are wanted and texts are as they were; else a new one."""
    file = folder / "batch.json"
    keys = json.loads(file.read_text()) if file.exists() else []
    ended = (folder / ENDED).exists()
    if ended or not set(keys) <= set(by_key) or not {x.key for x in wanted} <= set(keys):
        shutil.rmtree(folder / "notes", ignore_errors=True)
        (folder / ENDED).unlink(missing_ok=True)
        keys = [x.key for x in wanted]
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(keys))
    return [by_key[key] for key in keys], folder / "notes"


def _try(wanted: list[Change], by_key: dict[str, Change], verdicts: Verdicts, options: argparse.Namespace) -> None:
    """Run files of tests with each change that their tests come by, until a test fails."""
    batch, notes = _batch(wanted, by_key, options.folder)
    notes.mkdir(parents=True, exist_ok=True)
    claims = Claims(options.folder / "claims")
    place = {change.key: k for k, change in enumerate(batch)}
    numbers = [place[change.key] for change in wanted]
    names = [file.relative_to(ROOT).as_posix() for name in options.tests for file in _test_files(ROOT / name)]
    paths = [change.path for change in wanted]
    found = [(v.path, v.by.partition("::")[0]) for v in verdicts.known.values() if v.by]
    found += [(batch[k].path, test.partition("::")[0]) for k, (test, _) in Notes.read(notes).noticed.items()]
    near = near_files(ROOT / "src" / "dalembert", paths, {name: (ROOT / name).read_text() for name in names}, found)
    with (
        tempfile.TemporaryDirectory() as temporary,
        Copy(ROOT, Path(temporary) / "copy", options.folder / "kernels", batch) as copy,
    ):
        copy.refuse_units()
        texts = copy.texts()
        to = {name: notes / (name.replace("/", ".") + ".jsonl") for name in names}
        left, end = [name for name in names if not to[name].exists()], time.monotonic() + 60.0 * options.minutes
        while left and time.monotonic() < end:
            known = Notes.read(notes)
            unnoticed = [k for k in numbers if k not in known.noticed]
            name = nearest_first(left, near, [batch[k].path for k in unnoticed])[0]
            close = [k for k in unnoticed if name in near[batch[k].path]]
            if options.near and not close:
                break
            left.remove(name)
            if to[name].exists() or not claims.take(to[name].name):
                continue
            spent = {str(k): known.spent.get(k, (0, 0.0)) for k in unnoticed}
            to_notes, told = str(Path(temporary) / "notes"), str(Path(temporary) / "told")
            job = Job(to_notes, told, copy.variants(), texts, spent, close, options.longest, options.patience)
            problem = copy.try_file(name, job, Path(temporary), options.patience + 300.0)
            shutil.copy(job.told, to[name].with_suffix(".told"))
            shutil.copy(job.notes, to[name])
            print(f"{name}: {len(known.noticed)} changes were noticed before. {problem}", flush=True)
        while not all(to[name].exists() for name in set(names) - set(left)):  # other processes try some
            time.sleep(1.0)
        known = Notes.read(notes)
        for change, number in zip(wanted, numbers, strict=True):
            if claims.take(change.key):
                verdict = copy.judge(change, number, known)
                verdicts.add(verdict)
                where = f"{change.path}:{change.line} {change.old!r} -> {change.new!r}"
                print(f"{verdict.verdict:10s} {where} {verdict.by}", flush=True)
    (options.folder / ENDED).touch()


def _test_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("test_*.py"))


if __name__ == "__main__":
    sys.exit(main())
