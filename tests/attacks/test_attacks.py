"""More than two thousand wrong inputs: each refused or warned of by name, none silent, none a foreign traceback.

``python -m tests.attacks`` prints the table.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.attacks.assembly import assembly_attacks
from tests.attacks.calls import call_attacks, file_attacks
from tests.attacks.data import label_attacks, question_attacks, unit_attacks
from tests.attacks.harness import Attack, Outcome, judge
from tests.attacks.machines import description_attacks

KINDS = {
    "descriptions": description_attacks, "calls": call_attacks, "files": file_attacks, "labels": label_attacks,
    "units": unit_attacks, "questions": question_attacks, "assembly": assembly_attacks,
}  # fmt: skip
LEAST = {"labels": 800, "units": 400, "questions": 40}


@pytest.mark.parametrize("kind", KINDS)
def test_attacks(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # where runs are rescued to
    results = [(attack, judge(attack)) for attack in KINDS[kind]()]
    wrong = [_line(a, o) for a, o in results if not o.as_expected(a)]
    assert not wrong, "\n".join(["", *wrong])
    assert len(results) > LEAST.get(kind, 200)


def _line(attack: Attack, outcome: Outcome) -> str:
    expected = f"{attack.expected}, naming {attack.names!r}"
    return f"{attack.entry}({attack.label}): {outcome.kind} ({outcome.message[:200]!r}), expected: {expected}"


def test_the_judge() -> None:
    """What is not ours is foreign, what passes in silence is silent."""
    import warnings

    assert judge(Attack("x", "raises", lambda: 1 / 0)).kind == "foreign"
    assert judge(Attack("x", "warns", lambda: warnings.warn("?", stacklevel=1))).kind == "foreign"
    assert judge(Attack("x", "passes", lambda: None)).kind == "silent"
    assert judge(Attack("x", "passes", lambda: None, expected="legitimate")).kind == "legitimate"
