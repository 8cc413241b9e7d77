"""Short forms of grouped settings: a verb takes the fields of its settings as keywords of the call, too.

The keywords are written once, as a `typing.TypedDict`: type checkers and editors read ``**keywords: Unpack[Keywords]``,
`flat_keywords` lists them in ``help()`` and refuses any other name, and `grouped` puts them into the settings.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, TypeVar, cast

from dalembert.core.errors import InputError, UnknownNameError

__all__ = ["UnknownKeywordError", "changed_fields", "field_defaults", "flat_keywords", "grouped"]


class _Dataclass(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]


Verb = TypeVar("Verb", bound=Callable[..., object])
Group = TypeVar("Group", bound=_Dataclass)


class UnknownKeywordError(UnknownNameError, TypeError):
    """A call has a keyword that the verb does not take; it is a `TypeError` as well, as for any function."""


def flat_keywords(keywords: type, *, defaults: Mapping[str, object]) -> Callable[[Verb], Verb]:
    """Make a verb that ends with ``**keywords: Unpack[Keywords]`` show and check the keywords.

    ``inspect.signature`` and ``help()`` list them as keyword-only parameters after the verb's own. A name that is
    neither raises `UnknownKeywordError`, an `UnknownNameError` that says which name is near. The attribute
    ``__own_parameters__`` of the verb has the names of its own parameters without ``self``.

    Parameters
    ----------
    keywords
        The TypedDict; its annotations are those of the parameters.
    defaults
        Default of each key that is not required, for the signature: the verb itself gets only the keywords of the
        caller. `field_defaults` has those of settings.

    Returns
    -------
    Callable
        The decorator.

    Raises
    ------
    TypeError
        If an optional key has no default, a default has no key, a key is a parameter of the verb, or the verb takes no
        ``**keywords``.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import TypedDict, Unpack
    >>> @dataclass(frozen=True)
    ... class Tolerances:
    ...     relative: float = 1e-6
    ...     absolute: float = 1e-9
    >>> class Keywords(TypedDict, total=False):
    ...     relative: float
    ...     absolute: float
    >>> @flat_keywords(Keywords, defaults=field_defaults(Tolerances))
    ... def solve(x: float, *, tolerances: Tolerances | None = None, **keywords: Unpack[Keywords]) -> Tolerances:
    ...     return grouped(Tolerances, tolerances, keywords)
    >>> solve(1.0, absolute=1e-12)
    Tolerances(relative=1e-06, absolute=1e-12)
    >>> list(inspect.signature(solve).parameters)
    ['x', 'tolerances', 'relative', 'absolute']
    >>> solve.__own_parameters__
    ('x', 'tolerances')
    """
    annotations = {key: getattr(a, "__forward_arg__", a) for key, a in keywords.__annotations__.items()}
    optional = frozenset(getattr(keywords, "__optional_keys__", ()))
    if optional != set(defaults):
        raise TypeError(f"{keywords.__name__}: defaults and optional keys differ: {sorted(optional ^ set(defaults))}")

    def decorate(verb: Verb) -> Verb:
        signature = inspect.signature(verb)
        parameters = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        clashes = sorted(annotations.keys() & {p.name for p in parameters})
        if clashes or len(parameters) == len(signature.parameters):
            raise TypeError(f"{verb.__qualname__} must take **keywords and none of their names, got {clashes}")
        short = [
            inspect.Parameter(
                key, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(key, inspect.Parameter.empty), annotation=a
            )
            for key, a in annotations.items()
        ]
        known = {p.name for p in (*parameters, *short) if p.kind not in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL)}

        @functools.wraps(verb)
        def checked(*args: Any, **arguments: Any) -> object:
            for name in arguments:
                if name not in known:
                    raise UnknownKeywordError("keyword", name, known - {"self"}, f"{verb.__name__}()")
            return verb(*args, **arguments)

        checked.__signature__ = signature.replace(parameters=[*parameters, *short])  # type: ignore[attr-defined]
        checked.__own_parameters__ = tuple(p.name for p in parameters if p.name != "self")  # type: ignore[attr-defined]
        return cast(Verb, checked)

    return decorate


def field_defaults(*groups: type[_Dataclass]) -> dict[str, object]:
    """Defaults of the fields of settings, by name; fields without one are left out."""
    defaults: dict[str, object] = {}
    for field in (field for group in groups for field in dataclasses.fields(group) if field.init):
        if field.default is not dataclasses.MISSING:
            defaults[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            defaults[field.name] = field.default_factory()
    return defaults


def changed_fields(settings: _Dataclass) -> dict[str, Any]:
    """Fields of settings that differ from their defaults, as plain data: tuples become lists."""
    values = ((field, getattr(settings, field.name)) for field in dataclasses.fields(settings))
    return {
        field.name: list(value) if isinstance(value, tuple) else value
        for field, value in values
        if value != field.default
    }


def grouped(kind: type[Group], group: Group | None, keywords: Mapping[str, object]) -> Group:
    """Settings of a call: those of the group (None: the defaults), fields that are among the keywords replaced.

    Parameters
    ----------
    kind
        The dataclass of the settings.
    group
        The settings that the caller passed, or None.
    keywords
        Keywords of the call; those that are not fields of ``kind`` are left to other groups.

    Raises
    ------
    InputError
        If the group is of another kind.
    """
    if group is not None and not isinstance(group, kind):
        raise InputError(f"expected {kind.__name__}, got {group!r}")
    short: dict[str, Any] = {f.name: keywords[f.name] for f in dataclasses.fields(kind) if f.name in keywords}
    if group is None:
        return kind(**short)
    return dataclasses.replace(cast(Any, group), **short) if short else group
