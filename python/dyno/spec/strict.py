"""What all parts of an experiment have in common: how strictly they are read, names, settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    model_validator,
)
from pydantic_core import PydanticCustomError, PydanticKnownError

from dyno.spec.printable import is_printable

SettingValue = bool | int | float | str
Settings = dict[str, SettingValue]
# What was typed isn't repeated in the message: it may hold a password.
UNSEEN = "unseen mistake"


def mistake(message: str, *, hint: str) -> PydanticCustomError:
    """The error of a validator that can say what to do next: `read.explain` keeps the hint."""
    return PydanticCustomError("mistake", "{message}", {"message": message, "hint": hint})


def refuse_other(value: str, known: Iterable[str]) -> str:
    """The value, which must be a key of a registry; refused as a Literal would refuse it."""
    names = list(known)
    if value not in names:
        expected = ", ".join(f"'{name}'" for name in names)
        raise PydanticKnownError("literal_error", {"expected": expected})
    return value


def check_keys(
    what: str, given: Collection[str], *, needs: Sequence[str], may: Sequence[str] = ()
) -> None:
    """Raise ValueError unless the keys given are those that `what` needs, and some that it may
    have.
    """
    missing = [key for key in needs if key not in given]
    if missing:
        raise ValueError(f"{what} needs {' and '.join(missing)}")
    surplus = sorted({*given} - {*needs, *may})
    if surplus:
        raise ValueError(f"{what} has no {' or '.join(surplus)}")


def in_one_line(text: str) -> str:
    """Refuse what would move a terminal's cursor, or what a chart can't show."""
    if not is_printable(text):
        raise mistake(
            "it holds a line break, a tab or a control character", hint="write it in one line"
        )
    return text


# What fits on one line of a screen, a table or a chart.
LINE_MAX = 300
Line = Annotated[str, Field(max_length=LINE_MAX), AfterValidator(in_one_line)]
# Arms and ops are identified by their names everywhere; "ARM @ OP" names both.
ArmName = Annotated[
    str, Field(min_length=1, max_length=80, pattern=r"^[^@]+$"), AfterValidator(in_one_line)
]
OpName = Annotated[
    str, Field(min_length=1, max_length=60, pattern=r"^[^@]+$"), AfterValidator(in_one_line)
]


class Strict(BaseModel):
    """A part of the experiment: immutable, no unknown keys, no booleans for numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="wrap")
    @classmethod
    def _keeps_booleans(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        made = handler(data)
        for key, value in data.items() if isinstance(data, dict) else ():
            if _converted(value, getattr(made, key, value)):
                raise mistake(f"{key} has true or false for a number", hint="write a number")
        return made


def _converted(given: Any, found: Any) -> bool:
    """Whether a boolean became a number on the way."""
    if isinstance(given, bool):
        return isinstance(found, int | float) and not isinstance(found, bool)
    if isinstance(given, list | tuple) and isinstance(found, list | tuple):
        return any(map(_converted, given, found))
    return False
