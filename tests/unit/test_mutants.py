"""The changes that ``make mutants`` tries, and a sample of them that tests notice."""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.mutants.changes import changes_of
from tests.mutants.machine_code import same_machine_code
from tests.mutants.named import NAMED
from tests.mutants.nearness import near_files, nearest_first
from tests.mutants.notes import Notes
from tests.mutants.plugin import changed_code
from tests.mutants.report import ANOTHER_WAY, EQUIVALENT, REASONS, result, table
from tests.mutants.trials import NOTICED, REFUSED, SURVIVED, UNCOVERED, Claims, Copy, Verdict, Verdicts
from tests.mutants.variants import FIRST, MAP, marked_c, marked_python

from dalembert.compile.build import build_units, find_toolchain

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


def test_sizes_of_memory_are_left_alone() -> None:
    text = """
static int64_t rows_memory(int64_t n) { return 3 * n + 2; }
static double f(double a[3], struct memory m, int64_t n) {
    double u[3], v[2 * 4][3] = {{5}}, *w = take(&m, 6 * n), x = a[7];
    u[1] = a[2];
}
"""
    assert [row[:2] for row in made("engine/f.c", text)] == [(4, "5"), (4, "7"), (5, "1"), (5, "2")]


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


def with_marks(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[ctypes.CDLL, Path]:
    """The library of a unit with variants, and its file of marks."""
    toolchain = find_toolchain()
    if toolchain is None:
        pytest.skip("there is no C compiler")
    file = folder / "marks"
    file.write_bytes(bytes(1 << 14))
    monkeypatch.setenv(MAP, str(file))
    library = ctypes.CDLL(str(build_units(toolchain, [text], folder, name="f")))
    return library, file


def test_c_has_all_changes_as_variants_and_marks_what_it_comes_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
double most = 8.0;
#define HALF(x) double half_##x(void) { return 0.5 * x; }
HALF(3)
HALF(4)

double f(const double *a, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) {
        if (a[i] < 0.0) continue;
        else s += a[i];
    }
    switch (n) {
    case 0: return 2.0 * most;
    default: return s;
    }
}
double g(void) { return most; }
"""
    changes = [c for c in changes_of("engine/f.c", text) if c.old in ("8.0", "<", "+=", "2.0")]
    assert [c.old for c in changes] == ["8.0", "<", "+=", "2.0"]
    written, made = marked_c(text, list(enumerate(changes)))
    assert made == {1, 2, 3}  # a number outside functions is no variant
    library, file = with_marks(written, tmp_path, monkeypatch)
    library.f.restype = library.g.restype = ctypes.c_double
    a = (ctypes.c_double * 3)(1.0, 0.0, 3.0)

    def called(active: int, n: int) -> tuple[float, bytes]:
        file.write_bytes(active.to_bytes(4, sys.byteorder) + bytes((1 << 14) - 4))
        return library.f(a, n), file.read_bytes()[FIRST : FIRST + 4]

    assert called(0, 3) == (4.0, b"\1\1\1\0")
    assert called(0, 0) == (16.0, b"\1\0\0\1")
    assert called(4, 0)[0] == 32.0
    assert called(2, 3)[0] == 4.0
    assert called(3, 3)[0] == -4.0
    file.write_bytes(bytes(1 << 14))
    library.half_4.restype = ctypes.c_double
    assert library.half_4() == 2.0  # macros before a function are not repeated with its variants
    assert library.g() == 8.0 and file.read_bytes()[FIRST : FIRST + 4] == b"\1\0\0\0"


def test_a_function_that_calls_itself_has_variants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
static int power(int x, int n) {
    return n > 0 ? x * power(x, n - 1) : 1;
}
int cube(int x) { return power(x, 3); }
"""
    change = next(c for c in changes_of("engine/f.c", text) if c.old == "*")
    written, made = marked_c(text, [(0, change)])
    assert made == {0} and change.new == "/"
    library, file = with_marks(written, tmp_path, monkeypatch)
    assert library.cube(7) == 343
    file.write_bytes((1).to_bytes(4, sys.byteorder) + bytes((1 << 14) - 4))
    assert library.cube(7) == 7  # 7 / (7 / (7 / 1))


def test_python_marks_the_changes_it_comes_by(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
LIMIT = 2.0


def f(x):
    \"\"\"Docs.\"\"\"
    if x > 0.0: return x
    elif x < -1.0:
        return -x
    try:
        return 1 / x
    except ZeroDivisionError:
        return 3.0 * LIMIT
"""
    changes = [c for c in changes_of("core/f.py", text) if c.old in ("2.0", ">", "<", "/", "3.0")]
    marks = bytearray(FIRST + 5)
    monkeypatch.setitem(sys.modules, "dalembert_marks", SimpleNamespace(marks=marks))
    scope: dict[str, object] = {}
    exec(marked_python(text, list(enumerate(changes))), scope)
    assert [c.old for c in changes] == ["2.0", ">", "<", "/", "3.0"] and not any(marks)
    for x, value, seen in ((1.0, 1.0, "11100"), (-2.0, 2.0, "11100"), (-0.5, -2.0, "11110"), (0.0, 6.0, "11111")):
        marks[:] = bytes(len(marks))
        assert scope["f"](x) == value  # type: ignore[operator]
        assert "".join(map(str, marks[FIRST:])) == seen, x


def test_functions_that_differ_are_found() -> None:
    text = """
class A:
    x = 1

    def f(self):
        return [2 * k for k in range(3)]

def g(x=4):
    return x
"""
    code = compile(text, "a", "exec")
    pairs = list(changed_code(code, compile(text.replace("2 *", "5 *"), "a", "exec")))
    assert pairs[0][0].co_qualname == "A.f" and len(pairs) == 2  # it, and what runs within it
    pairs = list(changed_code(code, compile(text.replace("range(3)", "range(3, 4)"), "a", "exec")))
    assert pairs[0][0].co_qualname == "A.f"
    for old, new in (("x = 1", "x = 2"), ("x=4", "x=5")):  # what runs at the import
        with pytest.raises(ValueError, match="differs itself"):
            list(changed_code(code, compile(text.replace(old, new), "a", "exec")))
    assert list(changed_code(code, code)) == []


def test_notes_say_what_was_noticed_and_which_tests_come_by(tmp_path: Path) -> None:
    rows = [{"test": f"t{k}", "seconds": 5.0 - 0.05 * k, "marks": [7, 8]} for k in range(50)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = [
        {"number": n, "test": f"t{n}", "status": s, "tests": c, "seconds": 1.5} for n, s, c in ((1, 0, 4), (2, 1, 2))
    ]
    (tmp_path / "a.told").write_text("\n".join(map(json.dumps, told)))
    notes = Notes.read(tmp_path)
    assert notes.noticed == {2: ("t2", 2)} and notes.spent[1] == (4, 1.5)
    assert notes.chosen(7)[:3] == ["t49", "t48", "t47"] and sum(notes.seconds[name] for name in notes.chosen(7)) <= 40.0
    assert notes.chosen(5) == []


def test_claims_of_processes_at_work_are_respected(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    assert claims.take("a") and not claims.take("a")
    (tmp_path / "a").write_text("999999999")  # a process that has ended
    assert claims.take("a")


@pytest.mark.skipif(find_toolchain() is None, reason="there is no C compiler")
def test_a_change_that_the_compiler_undoes_is_none() -> None:
    text = (PACKAGE / "engine" / "vm.c").read_text()
    assert same_machine_code("engine/vm.c", text, text.replace("= 0;", "= 1 - 1;"))
    assert not same_machine_code("engine/vm.c", text, text.replace("= 0;", "= 1;"))
    assert not same_machine_code("engine/rollout/lanes_rollout.c", "", "")  # it is in no unit


def test_verdicts_are_kept(tmp_path: Path) -> None:
    verdict = Verdict("k", "x.py", 1, "+", "-", "a + b", NOTICED, "test_a", 3)
    Verdicts(tmp_path / "v.jsonl").add(verdict)
    assert Verdicts(tmp_path / "v.jsonl").known == {"k": verdict}


@pytest.mark.parametrize(
    "file", sorted((ROOT / "docs" / "results" / "random").glob("mutants*.json")), ids=lambda file: file.stem
)
def test_survivors_of_results_have_reasons(file: Path) -> None:
    stored = json.loads(file.read_text())
    assert stored["changes"]["c"]["tried"] > 0 < stored["changes"]["python"]["tried"]
    assert [row["key"] for row in stored["survivors"] if not row["reason"].startswith(REASONS)] == []
    counted = sum(count["tried"] - count["noticed"] for count in stored["changes"].values())
    assert counted == len(stored["survivors"])


def test_shares_of_noticed_changes() -> None:
    kinds = [NOTICED] * 6 + [SURVIVED] * 3 + [UNCOVERED, REFUSED]
    verdicts = [Verdict(str(k), "engine/x.c", 1, "+", "-", "", kind) for k, kind in enumerate(kinds)]
    written = {"6": f"{EQUIVALENT} a", "7": f"{ANOTHER_WAY} b", "8": f"{ANOTHER_WAY} c", "0": f"{EQUIVALENT} once"}
    share = result(verdicts, [], written)["changes"]["c"]
    assert share["tried"] == 10 and share["percent noticed"] == 66.7  # 6 of 9
    assert share["percent noticed of changes of results"] == 85.7  # 6 of 7
    assert "6 of 10 noticed" in table(verdicts, written)


def test_tests_that_use_a_module_are_near_to_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def rare(): ...\ndef common(): ...\n")
    (tmp_path / "b.c").write_text("double only_here(double x) { return x; }\n")
    tests = {"t1": "common rare", "t2": "common", "t3": "only_here common"}
    near = near_files(tmp_path, ["a.py", "b.c"], tests)
    assert next(iter(near["a.py"])) == "t1" and near["b.c"] == {"t3": 1.0}
    assert nearest_first(tests, near, ["b.c", "b.c", "a.py"]) == ["t3", "t1", "t2"]
    near = near_files(tmp_path, ["b.c"], tests, [("b.c", "t2")] * 4)  # it noticed changes there
    assert list(near["b.c"]) == ["t2", "t3"]


def test_named_changes_are_where_they_are_said_to_be() -> None:
    for named in NAMED:
        assert named.change(PACKAGE).applied((PACKAGE / named.path).read_text()).count(named.new)
        file, _, test = named.test.partition("::")
        assert f"def {test}(" in (ROOT / file).read_text()


@pytest.mark.slow
def test_named_changes_are_noticed(tmp_path: Path) -> None:
    """Tests of each change pass without it, and one of them fails with it."""
    with Copy(ROOT, tmp_path / "copy", tmp_path / "kernels") as copy:
        assert copy.run_tests([named.test for named in NAMED], 600.0) == (SURVIVED, "")
        for named in NAMED:
            verdict = copy.tried(named.change(PACKAGE), [named.test])
            assert verdict.verdict == NOTICED and named.test.split("::")[1] in verdict.by, (named.name, verdict)
        broken = NAMED[0]
        broken = type(broken)("no C", broken.path, broken.old, "t1 = ;", broken.test).change(PACKAGE)
        assert copy.tried(broken, [NAMED[0].test]).verdict == REFUSED
