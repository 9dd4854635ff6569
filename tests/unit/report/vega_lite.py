"""Vega-Lite's own schema, to hold the specs of charts against.

Altair brings the schema; a compiled validator reads it, for Altair's own takes seconds a chart.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jsonschema_rs import Validator, validator_for

SCHEMA = "vega-lite-schema.json"
DEFINITIONS = "#/definitions/"


def validate(spec: dict[str, Any]) -> None:
    """Raises jsonschema_rs.ValidationError for what isn't Vega-Lite."""
    _validator().validate(spec)


@cache
def _validator() -> Validator:
    text = (files("altair") / "vegalite" / "v6" / "schema" / SCHEMA).read_text()
    return validator_for(json.loads(text, object_hook=_quoted))


def _quoted(part: dict[str, Any]) -> dict[str, Any]:
    """Its references hold what a URI must quote."""
    ref = part.get("$ref")
    if isinstance(ref, str) and ref.startswith(DEFINITIONS):
        part["$ref"] = DEFINITIONS + quote(ref.removeprefix(DEFINITIONS))
    return part
