"""The type, bounds and default of a key in plain words, for the reference of an experiment's keys.

What a value must be is in the model's annotations: they are only read here, nothing is added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, PlainValidator
from pydantic.fields import FieldInfo

from dyno.spec.placement import read_placement
from dyno.spec.server_ref import read_server
from dyno.spec.strict import LINE_MAX, Settings, in_one_line
from dyno.spec.units import parse_bytes, parse_duration_s

_PLAIN = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    date: "date",
    Settings: "table of settings",
    dict[str, str]: "table of names and values",
}
_READ_BY: dict[Any, str] = {
    parse_duration_s: "duration",
    parse_bytes: "size",
    in_one_line: "line",
    read_server: "line",
    read_placement: '`"free"`, `"split"` or two lists of CPUs such as `"0-2/3"`',
}
_POWERS: dict[float, str] = {2**31 - 1: "2^31 - 1", 2**63: "2^63", 10**12: "10^12"}
_BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}

Place = Callable[[type[BaseModel]], str]


def type_of(field: FieldInfo, place: Place) -> str:
    """The type of a key with its bounds; `place` links the section of a table's own keys."""
    return _words(field.annotation, field.metadata, place)


def default_of(field: FieldInfo) -> str:
    """The default as an experiment would write it."""
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None:
        return "none"
    if isinstance(value, BaseModel):
        kind = getattr(value, "kind", None)
        return f'`"{kind}"`' if kind else "its defaults"
    if _read_by(field.metadata) == "duration":
        return f"`{_duration(value)}`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def is_list(annotation: Any) -> bool:
    """Whether a key has several values, each its own table."""
    return get_origin(annotation) is list


def _words(annotation: Any, constraints: Iterable[Any], place: Place) -> str:
    """One type. What pydantic keeps beside the annotation is passed as `constraints`."""
    limits = list(constraints)
    if get_origin(annotation) is Annotated:
        annotation, *inner = get_args(annotation)
        for part in inner:
            limits += part.metadata if isinstance(part, FieldInfo) else [part]
        return _words(annotation, limits, place)
    if any(isinstance(limit, PlainValidator) for limit in limits):
        return _read_by(limits) or "text"
    if get_origin(annotation) in (Union, UnionType):
        choices = [part for part in get_args(annotation) if part is not type(None)]
        if any(map(_is_table, choices[1:])):
            return "table, by its `kind`"
        *first, last = (_words(choice, limits, place) for choice in choices)
        return f"{', '.join(first)} or {last}" if first else last
    if get_origin(annotation) is Literal:
        return _quoted(get_args(annotation))
    if known := _registered(limits):
        return _quoted(known)
    if _is_table(annotation):
        return f"table: {place(annotation)}"
    return _container(annotation, place) or _plain(annotation, limits)


def _container(annotation: Any, place: Place) -> str:
    """A list, a pair or a table by name; empty for anything else."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is dict and inner[1] == Settings:
        return "tables of settings by name"
    if origin is dict and _is_table(inner[1]):
        return f"tables by name: {place(inner[1])}"
    if origin is dict and get_origin(_bare(inner[1])) is list:
        return "lists by name"
    if origin is tuple:
        return f"list of two {_several(_words(inner[0], [], place))}"
    if origin is not list:
        return ""
    if _is_table(inner[0]):
        return f"blocks: {place(inner[0])}"
    return f"list of {_several(_words(inner[0], [], place))}"


def _bare(annotation: Any) -> Any:
    """A type without what limits it."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _is_table(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _several(words: str) -> str:
    """The plural of a type: its noun comes first, up to a comma."""
    noun, comma, bounds = words.partition(",")
    return " or ".join(f"{part}s" for part in noun.split(" or ")) + comma + bounds


def _plain(annotation: Any, limits: list[Any]) -> str:
    """A single value: its noun and its bounds."""
    noun = _read_by(limits) or _PLAIN[annotation]
    show = _duration if noun == "duration" else _number
    bounds = {
        name: getattr(limit, name) for name in _BOUNDS for limit in limits if _has(limit, name)
    }
    if {"ge", "le"} <= bounds.keys():
        return f"{noun}, {show(bounds['ge'])} to {show(bounds['le'])}"
    words = [f"{_BOUNDS[name]} {show(value)}" for name, value in bounds.items()]
    lengths = [limit.max_length for limit in limits if _has(limit, "max_length")]
    words += [f"at most {most} characters" for most in lengths if most != LINE_MAX]
    return ", ".join((noun, *words))


def _has(limit: Any, name: str) -> bool:
    return getattr(limit, name, None) is not None


def _read_by(limits: Iterable[Any]) -> str | None:
    """What a validator makes of a value: a duration, a size, a line."""
    validators = (BeforeValidator, AfterValidator, PlainValidator)
    found = (_READ_BY.get(limit.func) for limit in limits if isinstance(limit, validators))
    return next(filter(None, found), None)


def _registered(limits: Iterable[Any]) -> list[str]:
    """The words of a registry that a value must be one of."""
    functions = [limit.func for limit in limits if isinstance(limit, AfterValidator)]
    known = [getattr(function, "keywords", {}).get("known", ()) for function in functions]
    return [word for words in known for word in words]


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f'`"{word}"`' for word in words)


def _number(value: float) -> str:
    return _POWERS.get(value) or f"{value:,.10g}"


def _duration(seconds: float) -> str:
    """A duration as an experiment writes it."""
    if seconds == 0:
        return "0"
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g}{unit}"
    return f"{seconds:g}s"
