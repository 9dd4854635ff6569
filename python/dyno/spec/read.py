"""Finds and reads experiment.toml, and turns every mistake in it into one line with a hint."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from dyno.errors import SpecError
from dyno.spec.experiment import AccessLogWorkload, Experiment, LinkbenchWorkload
from dyno.spec.words import near


def read_experiment(path: Path) -> Experiment:
    """The experiment in `path`, a file or a folder that holds experiment.toml.

    Raises SpecError for a missing file, broken TOML, an unknown key or a wrong value.
    """
    file = path / "experiment.toml" if path.is_dir() else path
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SpecError(
            f"no experiment at {file}", hint="dyno experiments lists the bundled ones"
        ) from None
    except UnicodeDecodeError as error:
        raise SpecError(f"{file} is not UTF-8 text: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"{file}: {error}", hint="the file must be valid TOML") from None
    experiment = parse_experiment(document, source=str(file))
    if isinstance(experiment.workload, AccessLogWorkload | LinkbenchWorkload):
        found = experiment.workload.with_files(file.parent)
        return experiment.model_copy(update={"workload": found})
    return experiment


def parse_experiment(document: dict[str, Any], *, source: str) -> Experiment:
    """The experiment in a parsed TOML document; `source` names it in messages."""
    try:
        return Experiment.model_validate(document)
    except ValidationError as error:
        message, hint = explain(error, Experiment)
        raise SpecError(f"{source}: {message}", hint=hint) from None


def explain(error: ValidationError, root: type[BaseModel]) -> tuple[str, str | None]:
    """The first mistake of a validation as (message, hint), in the words of the file's author.

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
            return f"unknown key {where!r}{more}", meant
        case "missing":
            return f"missing key {where!r}{more}", None
        case "union_tag_not_found":
            key = str(context["discriminator"]).strip("'")
            return f"missing key '{where}.{key}'{more}", None
        case "union_tag_invalid":
            key = str(context["discriminator"]).strip("'")
            tag, tags = str(context["tag"]), _quoted(context["expected_tags"])
            return f"{where}.{key}: there is no {tag!r}{more}", near(tag, tags)
        case "literal_error" if isinstance(first["input"], str):
            words = _quoted(context["expected"])
            return f"{where}: there is no {first['input']!r}{more}", near(first["input"], words)
    text = first["msg"].removeprefix("Value error, ")
    value = first["input"]
    seen = f", got {value!r}" if isinstance(value, (str, int, float, bool)) else ""
    hint = str(context["hint"]) if first["type"] == "mistake" else None
    return f"{where or 'the file'}: {text}{seen}{more}", hint


def _quoted(text: str) -> list[str]:
    """The words in "'a', 'b' or 'c'", which is how pydantic lists what it expects."""
    return re.findall(r"'([^']*)'", text)


def _path(root: type[BaseModel], location: tuple[int | str, ...]) -> str:
    """("arm", 1, "server") -> "arm[2].server": counted from one, as people do."""
    text = ""
    for part, _ in _walk(root, location):
        if isinstance(part, int):
            text += f"[{part + 1}]"
        elif part and not part.startswith(("list[", "literal[", "function-")):
            text += f".{part}" if text else part
    return text


def _known_keys(root: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The keys that the model at `location` below `root` knows."""
    models = [root, *(model for _, model in _walk(root, location))]
    fields = models[-1].model_fields if models[-1] else {}
    return [field.alias or name for name, field in fields.items()]


def _walk(
    root: type[BaseModel], location: tuple[int | str, ...]
) -> Iterator[tuple[int | str, type[BaseModel] | None]]:
    """Each part of a location with the model found there. The tag of a union's chosen member, such
    as "oltp" after `workload`, isn't in the file: it comes as "".
    """
    models = [root]
    for part in location:
        tagged = next((m for m in models if len(models) > 1 and _tag(m) == part), None)
        if tagged is not None:
            models = [tagged]
            yield "", tagged
            continue
        if isinstance(part, str):
            field = models[0].model_fields.get(part) if models else None
            models = _models_in(field.annotation) if field else []
        yield part, models[0] if models else None


def _tag(model: type[BaseModel]) -> str | None:
    """The one value of a model's `kind`, by which unions choose it."""
    field = model.model_fields.get("kind")
    values = get_args(field.annotation) if field else ()
    return values[0] if len(values) == 1 else None


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    """The model classes inside an annotation such as list[Arm] or Matrix | None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]
