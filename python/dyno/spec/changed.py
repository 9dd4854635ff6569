"""A copy of a model with some values changed, checked as if it had been written so.

pydantic's own copy takes whatever it is given: what a file may not say, a command line could.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from dyno.errors import SpecError
from dyno.spec.explain import explain

Model = TypeVar("Model", bound=BaseModel)


def changed(model: Model, /, **values: Any) -> Model:
    """The copy; what was left to defaults still is. Raises SpecError for values that don't suit."""
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
    """As it is written, which may differ from the field's own name."""
    return (fields[name].alias if name in fields else None) or name
