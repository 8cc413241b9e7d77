"""Attacks: a call with one thing wrong, what should become of it, and what became of it."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import dalembert as da

__all__ = ["OUTCOMES", "Attack", "Outcome", "attacks", "judge", "table"]

ALIASES = {
    "by": "formulation",
    "constraints": "constraint",
    "control": "control|inputs",
    "functions": "function",
    "at": "time of a Switch|at must|at named|equilibrium",
    "off": "constraint",
    "inputs": "input",
    "outputs": "output",
    "joints": "joint",
    "locked": "joint",
    "lock": "lock|joint",
    "joint_names": "joint|name",
    "eom": "equations",
    "names": "names|signal",
    "trace": "trace|point",
    "folder": "folder|file",
}
"""Words by which messages may name an argument."""

OUTCOMES = ("refused", "warned", "legitimate", "silent", "foreign")


@dataclass(frozen=True)
class Attack:
    """A call with one thing wrong.

    Parameters
    ----------
    entry
        The public entry, such as ``"Joint"``.
    label
        What is wrong.
    call
        The call.
    names
        What the message must hold: the element or the argument, so that the user knows where to look; alternatives
        are separated by ``|``.
    expected
        ``"refused"``, ``"warned"`` or ``"legitimate"``.
    """

    entry: str
    label: str
    call: Callable[[], object]
    names: str = ""
    expected: str = "refused"


@dataclass(frozen=True)
class Outcome:
    """What became of an attack: one of `OUTCOMES`, and the message."""

    kind: str
    message: str

    def as_expected(self, attack: Attack) -> bool:
        """Whether it is what the attack expects, with the name in the message."""
        named = any(name in self.message.lower() for name in attack.names.lower().split("|"))
        return self.kind == attack.expected and (named or self.kind == "legitimate")


def judge(attack: Attack) -> Outcome:
    """Make the call and say what became of it.

    Our own errors are refusals, our own warnings are warnings; any other exception or warning is foreign. What passes
    without a word is legitimate if it was expected to be, and silent if it was not.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            attack.call()
        except da.DalembertError as error:
            return Outcome("refused", str(error))
        except Exception as error:  # what this is all about
            return Outcome("foreign", f"{type(error).__name__}: {error}")
    for warning in caught:
        if not issubclass(warning.category, da.DalembertWarning):
            return Outcome("foreign", f"{warning.category.__name__}: {warning.message}")
    if caught:
        return Outcome("warned", "; ".join(str(w.message) for w in caught))
    return Outcome("legitimate" if attack.expected == "legitimate" else "silent", "")


def attacks(
    entry: str,
    make: Callable[..., object],
    wrong: Mapping[str, Iterable[Any]],
    *,
    names: str | None = None,
    expected: str = "refused",
) -> Iterator[Attack]:
    """Attacks on one keyword of a call at a time.

    Parameters
    ----------
    entry
        The entry.
    make
        The call; its other arguments have good defaults.
    wrong
        Wrong values by keyword.
    names
        What the messages must hold; None: the keyword, its underscores as spaces or not.
    expected
        The outcome.
    """
    for key, values in wrong.items():
        for value in values:
            yield Attack(
                entry,
                f"{key}={_shown(value)}",
                lambda k=key, v=value: make(**{k: v}),
                _named(key, value) if names is None else names,
                expected,
            )


def _named(key: str, value: Any) -> str:
    """What a message must hold: the argument, or the file that it is."""
    if key in ("path", "source") and isinstance(value, str):
        return f"{value[:20]}|<text>".replace("\0", "x00")
    return ALIASES.get(key, key)


def _shown(value: Any) -> str:
    text = value.__name__ if callable(value) and hasattr(value, "__name__") else repr(value)
    return text if len(text) < 50 else text[:47] + "..."


def table(results: Iterable[tuple[Attack, Outcome]]) -> str:
    """Number of attacks by entry and outcome."""
    counts: dict[str, Counter[str]] = {}
    for attack, outcome in results:
        counts.setdefault(attack.entry, Counter())[outcome.kind] += 1
    width = max(map(len, counts), default=0)
    lines = [f"{'entry':{width}}" + "".join(f"{kind:>12}" for kind in OUTCOMES)]
    lines += [f"{entry:{width}}" + "".join(f"{c[kind]:12d}" for kind in OUTCOMES) for entry, c in counts.items()]
    total = sum(counts.values(), Counter())
    lines.append(f"{'all ' + str(sum(total.values())):{width}}" + "".join(f"{total[kind]:12d}" for kind in OUTCOMES))
    return "\n".join(lines)
