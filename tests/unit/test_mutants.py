"""The changes that ``make mutants`` tries, and a sample of them that tests notice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.mutants.changes import changes_of
from tests.mutants.named import NAMED
from tests.mutants.trials import NOTICED, REFUSED, SURVIVED, Copy, Verdict, Verdicts

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "dalembert"


def made(path: str, text: str) -> list[tuple[int, str, str, str]]:
    return [(c.line, c.old, c.new, c.applied(text).splitlines()[c.line - 1].strip()) for c in changes_of(path, text)]


def test_changes_of_c() -> None:
    text = """
/* a + b */
#define NOT(x) (1 - x)
static double f(const double *a, struct pair *b, int n) {
    double s = -a[0] * 1e-12;
    for (int i = 1; i < n; i++) s += fmax(a[i], 0.5);
    return s <= 2.0 && n == 3 ? s : *a;
}
"""
    assert made("engine/f.c", text) == [
        (5, "-", "", "double s = a[0] * 1e-12;"),
        (5, "0", "1", "double s = -a[1] * 1e-12;"),
        (5, "*", "/", "double s = -a[0] / 1e-12;"),
        (6, "1", "2", "for (int i = 2; i < n; i++) s += fmax(a[i], 0.5);"),
        (6, "+=", "-=", "for (int i = 1; i < n; i++) s -= fmax(a[i], 0.5);"),
        (6, "fmax", "fmin", "for (int i = 1; i < n; i++) s += fmin(a[i], 0.5);"),
        (6, "0.5", "1.0", "for (int i = 1; i < n; i++) s += fmax(a[i], 1.0);"),
        (7, "<=", "<", "return s < 2.0 && n == 3 ? s : *a;"),
        (7, "2.0", "4.0", "return s <= 4.0 && n == 3 ? s : *a;"),
        (7, "&&", "||", "return s <= 2.0 || n == 3 ? s : *a;"),
        (7, "==", "!=", "return s <= 2.0 && n != 3 ? s : *a;"),
        (7, "3", "4", "return s <= 2.0 && n == 4 ? s : *a;"),
    ]


def test_changes_of_python() -> None:
    text = '''"""A text with 1 + 1."""
def f(x: "int | 3" = 2, é=-1):
    """Docs: 2 * 2."""
    if x < 0 and é != 1:
        raise ValueError(f"{x + 1}" + "2")
    return é * x.T[1] + cos(1e-9) if 2 ** x else np.cos(x)
'''
    assert made("core/f.py", text) == [
        (2, "2", "3", 'def f(x: "int | 3" = 3, é=-1):'),
        (2, "-", "", 'def f(x: "int | 3" = 2, é=1):'),
        (2, "1", "2", 'def f(x: "int | 3" = 2, é=-2):'),
        (4, "<", "<=", "if x <= 0 and é != 1:"),
        (4, "0", "1", "if x < 1 and é != 1:"),
        (4, "and", "or", "if x < 0 or é != 1:"),
        (4, "!=", "==", "if x < 0 and é == 1:"),
        (4, "1", "2", "if x < 0 and é != 2:"),
        (6, "*", "/", "return é / x.T[1] + cos(1e-9) if 2 ** x else np.cos(x)"),
        (6, ".T", "", "return é * x[1] + cos(1e-9) if 2 ** x else np.cos(x)"),
        (6, "1", "2", "return é * x.T[2] + cos(1e-9) if 2 ** x else np.cos(x)"),
        (6, "+", "-", "return é * x.T[1] - cos(1e-9) if 2 ** x else np.cos(x)"),
        (6, "2", "3", "return é * x.T[1] + cos(1e-9) if 3 ** x else np.cos(x)"),
        (6, "**", "*", "return é * x.T[1] + cos(1e-9) if 2 * x else np.cos(x)"),
        (6, "cos", "sin", "return é * x.T[1] + cos(1e-9) if 2 ** x else np.sin(x)"),
    ]


def test_a_change_keeps_its_name_when_lines_come_above_it() -> None:
    text = "a = b + c\na = b + c\n"
    keys = [change.key for change in changes_of("x.py", text)]
    assert len(set(keys)) == 2
    assert [change.key for change in changes_of("x.py", "import y\n\n" + text)] == keys


def test_verdicts_are_kept(tmp_path: Path) -> None:
    verdict = Verdict("k", "x.py", 1, "+", "-", "a + b", NOTICED, "test_a", 3)
    Verdicts(tmp_path / "v.jsonl").add(verdict)
    assert Verdicts(tmp_path / "v.jsonl").known == {"k": verdict}


def test_survivors_of_the_result_have_reasons() -> None:
    result = json.loads((ROOT / "docs" / "results" / "random" / "mutants.json").read_text())
    assert result["changes"]["c"]["tried"] > 0 < result["changes"]["python"]["tried"]
    assert [row["key"] for row in result["survivors"] if not row["reason"]] == []


def test_named_changes_are_where_they_are_said_to_be() -> None:
    for named in NAMED:
        assert named.change(PACKAGE).applied((PACKAGE / named.path).read_text()).count(named.new)
        file, _, test = named.test.partition("::")
        assert f"def {test}(" in (ROOT / file).read_text()


@pytest.mark.slow
def test_named_changes_are_noticed(tmp_path: Path) -> None:
    """Tests of each change pass without it, and one of them fails with it."""
    copy = Copy(ROOT, tmp_path / "copy", tmp_path / "kernels")
    assert copy.run_tests([named.test for named in NAMED], 600.0) == (SURVIVED, "")
    for named in NAMED:
        verdict = copy.judge(named.change(PACKAGE), [named.test], 300.0, tmp_path / "objects")
        assert verdict.verdict == NOTICED and named.test.split("::")[1] in verdict.by, (named.name, verdict)
    broken = NAMED[0]
    broken = type(broken)("no C", broken.path, broken.old, "t1 = ;", broken.test).change(PACKAGE)
    assert copy.judge(broken, [NAMED[0].test], 300.0, tmp_path / "objects").verdict == REFUSED
