"""Finds and reads experiment.toml, and turns every mistake in it into one line with a hint."""

from __future__ import annotations

from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from dyno.errors import SpecError
from dyno.spec.bounded import parse_toml, path_of, read_bounded, values_in
from dyno.spec.changed import changed
from dyno.spec.durability import DurabilityExperiment
from dyno.spec.experiment import Experiment
from dyno.spec.explain import explain
from dyno.spec.printable import has_controls
from dyno.spec.words import shortened

Model = TypeVar("Model", bound=BaseModel)
# The largest bundled one has 10 KB.
MOST_BYTES = 256 * 1024


def read_any(path: Path) -> Experiment | DurabilityExperiment:
    """The experiment in `path`, a file or a folder that holds experiment.toml.

    Raises SpecError for a missing file, broken TOML, an unknown key or a wrong value.
    """
    file = path / "experiment.toml" if path.is_dir() else path
    missing = SpecError(f"no experiment at {file}", hint="dyno experiments lists the bundled ones")
    document = read_document(file, missing=missing)
    if document.get("kind") == "durability":
        return parsed(DurabilityExperiment, document, source=str(file))
    experiment = parse_experiment(document, source=str(file))
    scripts = experiment.sweep.scripts if experiment.sweep is not None else []
    found = experiment.workload.with_files(file.parent, scripts)
    return changed(experiment, workload=found)


def read_experiment(path: Path) -> Experiment:
    """The same, if it measures. Raises SpecError for one of crashes, too."""
    found = read_any(path)
    if isinstance(found, DurabilityExperiment):
        raise SpecError(
            f"{path}: an experiment of crashes has no trials", hint="run it with: dyno run"
        )
    return found


def read_document(file: Path, *, missing: SpecError) -> dict[str, Any]:
    """What a TOML file holds. Raises `missing` if there is none, SpecError for what isn't one."""
    try:
        document = parse_toml(read_bounded(file, most_bytes=MOST_BYTES).decode())
    except (FileNotFoundError, NotADirectoryError):
        raise missing from None
    except UnicodeDecodeError as error:
        raise SpecError(f"{file} is not UTF-8 text: {error}") from None
    except OSError as error:
        raise SpecError(
            f"{file} can't be read: {error.strerror}", hint="it must be a TOML file"
        ) from None
    except ValueError as error:
        hint = "the file must be valid TOML" if isinstance(error, TOMLDecodeError) else None
        raise SpecError(f"{file}: {error}", hint=hint) from None
    _refuse_controls(document, source=str(file))
    return document


def _refuse_controls(document: dict[str, Any], *, source: str) -> None:
    """Nobody writes control characters except line ends and tabs, and no chart can show them."""
    for keys, value in values_in(document):
        if any(has_controls(text) for text in (*keys[-1:], value) if isinstance(text, str)):
            raise SpecError(
                f"{source}: {shortened(path_of(keys))} holds a control character",
                hint="leave it out",
            )


def parse_experiment(document: dict[str, Any], *, source: str) -> Experiment:
    """The experiment in a parsed TOML document; `source` names it in messages."""
    return parsed(Experiment, document, source=source)


def parsed(model: type[Model], document: dict[str, Any], *, source: str) -> Model:
    """The document as a model. Raises SpecError."""
    try:
        return model.model_validate(document)
    except ValidationError as error:
        message, hint = explain(error, model)
        raise SpecError(f"{source}: {message}", hint=hint) from None
