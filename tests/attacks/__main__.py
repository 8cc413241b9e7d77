"""Print what becomes of all attacks, by entry and outcome."""

from __future__ import annotations

import os
import sys
import tempfile

from tests.attacks.harness import judge, table
from tests.attacks.test_attacks import KINDS


def main() -> int:
    """Make all attacks in a folder of their own; exit status 1 if one is not as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        tempfile.tempdir = folder
        made = [(a, judge(a)) for part in KINDS.values() for a in part()]
        os.chdir("/")
    print(table(made))
    wrong = [(a, o) for a, o in made if not o.as_expected(a)]
    for attack, outcome in wrong:
        print(f"{attack.entry}({attack.label}): {outcome.kind}, expected {attack.expected}: {outcome.message[:200]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
