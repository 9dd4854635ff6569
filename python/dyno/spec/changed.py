"""A copy of a model with some values changed, validated as if it had been written that way.

pydantic's own copy isn't validated: a command line could set what a file may not.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from dyno.errors import SpecError
from dyno.spec.explain import explain

Model = TypeVar("Model", bound=BaseModel)


def changed(model: Model, /, **values: Any) -> Model:
    """The copy; defaults stay defaults. Raises SpecError for values that aren't allowed."""
    fields = type(model).model_fields
    given = {name: getattr(model, name) for name in model.model_fields_set} | values
    try:
        return type(model).model_validate(
            {_key(fields, name): value for name, value in given.items()}
        )
    except ValidationError as error:
        message, hint = explain(error, type(model))
        raise SpecError(message, hint=hint) from None


def _key(fields: dict[str, FieldInfo], name: str) -> str:
    """The key as written in a file, which may differ from the field's own name."""
    return (fields[name].alias if name in fields else None) or name
