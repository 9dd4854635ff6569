"""What is wrong with a document that pydantic refuses, in the terms of its author."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from dyno.spec.bounded import path_of
from dyno.spec.strict import UNSEEN
from dyno.spec.words import near, shortened


def explain(error: ValidationError, root: type[BaseModel]) -> tuple[str, str | None]:
    """The first mistake of a validation as (message, hint), in the terms of the file's author.

    Unknown keys come first: a misspelt key often causes a "missing" one elsewhere.
    """
    mistakes = sorted(error.errors(), key=lambda m: m["type"] != "extra_forbidden")
    first = mistakes[0]
    where = _path(root, first["loc"])
    more = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
    context = first.get("ctx", {})
    match first["type"]:
        case "extra_forbidden":
            known = sorted(_known_keys(root, first["loc"][:-1]))
            meant = near(str(first["loc"][-1]), known, what="known keys")
            return f"unknown key {shortened(where)!r}{more}", meant
        case "missing":
            return f"missing key {where!r}{more}", None
        case "union_tag_not_found":
            key = str(context["discriminator"]).strip("'")
            return f"missing key '{where}.{key}'{more}", None
        case "union_tag_invalid":
            key = str(context["discriminator"]).strip("'")
            tag, tags = str(context["tag"]), _quoted(context["expected_tags"])
            return f"{where}.{key}: there is no {shortened(tag)!r}{more}", near(tag, tags)
        case "literal_error" if isinstance(first["input"], str):
            words, found = _quoted(context["expected"]), first["input"]
            return f"{where}: there is no {shortened(found)!r}{more}", near(found, words)
    text = first["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    text = text.partition(", unable to parse")[0]
    text = text[:1].lower() + text[1:]
    value = first["input"]
    seen = f", got {value!r}" if isinstance(value, (int, float, bool)) else ""
    seen = f", got {shortened(value)!r}" if isinstance(value, str) else seen
    seen = "" if first["type"] == UNSEEN else seen
    hint = str(context["hint"]) if first["type"] in ("mistake", UNSEEN) else None
    place = f"{where}: " if first["loc"] else ""
    return f"{place}{text}{seen}{more}", hint


def _quoted(text: str) -> list[str]:
    """The words in "'a', 'b' or 'c'", which is how pydantic lists what it expects."""
    return re.findall(r"'([^']*)'", text)


def _path(root: type[BaseModel], location: tuple[int | str, ...]) -> str:
    """The path of a place in the file, without the parts that pydantic adds."""
    added = ("list[", "literal[", "function-")
    return path_of(
        tuple(
            part
            for part, _ in _walk(root, location)
            if isinstance(part, int) or (part and not part.startswith(added))
        )
    )


def _known_keys(root: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The keys that the model at `location` below `root` knows."""
    models = [root, *(model for _, model in _walk(root, location))]
    fields = models[-1].model_fields if models[-1] else {}
    return [field.alias or name for name, field in fields.items()]


def _walk(
    root: type[BaseModel], location: tuple[int | str, ...]
) -> Iterator[tuple[int | str, type[BaseModel] | None]]:
    """Each part of a location with the model found there. The tag of a union's chosen member, such
    as "oltp" after `workload`, isn't in the file: it is given as "".
    """
    models, is_by_name = [root], False
    for part in location:
        if is_by_name:
            is_by_name = False
            yield part, models[0]
            continue
        tagged = next((m for m in models if len(models) > 1 and _tag(m) == part), None)
        if tagged is not None:
            models = [tagged]
            yield "", tagged
            continue
        if isinstance(part, str):
            field = models[0].model_fields.get(part) if models else None
            models = models_in(field.annotation) if field else []
            is_by_name = bool(field and models and get_origin(field.annotation) is dict)
        yield part, models[0] if models else None


def _tag(model: type[BaseModel]) -> str | None:
    """The one value of a model's `kind`, by which unions choose it."""
    field = model.model_fields.get("kind")
    values = get_args(field.annotation) if field else ()
    return values[0] if len(values) == 1 else None


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The model classes inside an annotation such as list[Arm] or Matrix | None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in models_in(argument)]
