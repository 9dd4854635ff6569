"""Which server is meant: one that Dyno starts, by its name, or somebody else's, by its address.

A text is parsed once, where it comes in: from experiment.toml, a stored plan, the command line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator
from pydantic_core import PydanticCustomError, PydanticKnownError

from dyno.errors import SpecError
from dyno.spec.address import SCHEME, Address
from dyno.spec.strict import LINE_MAX, UNSEEN, in_one_line


@dataclass(frozen=True)
class NamedServer:
    """A server that Dyno starts: from the catalog, an installed tarball, or `path`, the one on the
    host's PATH. Which of them it is, and whether it exists, is known in `servers`.
    """

    name: str

    def __str__(self) -> str:
        return self.name


# Plans, findings and messages have it as text again: str() of either.
ServerRef = NamedServer | Address


def parse_server(text: str) -> ServerRef:
    """The server that somebody typed. Raises SpecError for an address with a password or a mistake,
    which shows nothing that may be a password.
    """
    is_file = text.startswith(("/", ".", "~"))
    if text.startswith(SCHEME) or (not is_file and ("@" in text or "://" in text)):
        return Address.parse(text)
    return NamedServer(text)


def read_server(given: Any) -> ServerRef:
    """The same for a field of a model, whose errors have one line."""
    if isinstance(given, ServerRef):
        return given
    if not isinstance(given, str):
        raise PydanticKnownError("string_type")
    try:
        found = parse_server(given)
    except SpecError as error:
        told = {"message": error.message, "hint": error.hint or f"write {SCHEME}…"}
        raise PydanticCustomError(UNSEEN, "{message}", told) from None
    if len(given) > LINE_MAX:
        raise PydanticKnownError("string_too_long", {"max_length": LINE_MAX})
    in_one_line(given)
    return found


ServerField = Annotated[ServerRef, PlainValidator(read_server), PlainSerializer(str)]
