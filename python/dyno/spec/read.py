"""Finds and reads experiment.toml, and turns every mistake in it into one line with a hint."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from dyno.errors import SpecError
from dyno.spec.experiment import Experiment


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
    return parse_experiment(document, source=str(file))


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
    where = _path(first["loc"])
    more = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        known = _known_keys(root, first["loc"][:-1])
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(sorted(known))}"
        return f"unknown key {where!r}{more}", hint
    if first["type"] == "missing":
        return f"missing key {where!r}{more}", None
    text = first["msg"].removeprefix("Value error, ")
    value = first["input"]
    seen = f", got {value!r}" if isinstance(value, (str, int, float, bool)) else ""
    return f"{where or 'the file'}: {text}{seen}{more}", None


def _path(location: tuple[int | str, ...]) -> str:
    """("arm", 1, "server") -> "arm[2].server": counted from one, as people do."""
    text = ""
    for part in location:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        elif not part.startswith(("list[", "literal[", "function-")):
            text += f".{part}" if text else part
    return text


def _known_keys(root: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The keys that the model at `location` below `root` knows."""
    model: type[BaseModel] | None = root
    for part in location:
        if isinstance(part, int) or model is None:
            continue
        field = model.model_fields.get(part)
        model = _model_in(field.annotation) if field else None
    return list(model.model_fields) if model else []


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model class inside an annotation such as list[Arm] or Matrix | None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_in(argument)
        if found:
            return found
    return None
