"""The base of every part of the findings: immutable, and without unknown keys."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import (
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from dyno.stats import Estimate as Estimate
from dyno.stats import bounded


class FindingsPart(BaseModel):
    """A part of the findings."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Keys(NamedTuple):
    """The keys of findings.json that hold an estimate: its value and the two ends of its interval,
    null where there is none. `ends_last`: the ends come after all other keys.
    """

    value: str
    low: str
    high: str
    ends_last: bool = False


class WithEstimates(FindingsPart):
    """A part with estimates: fields of the type `Annotated[Estimate, Keys(...)]`, or None."""

    @classmethod
    def estimates(cls) -> dict[str, Keys]:
        """The fields that are estimates, with their keys."""
        return {
            name: keys
            for name, field in cls.model_fields.items()
            for keys in field.metadata
            if isinstance(keys, Keys)
        }

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, data: Any) -> Any:
        """Estimates from the keys of findings.json, if present."""
        for name, keys in cls.estimates().items():
            if isinstance(data, dict) and keys.low in data:
                value, low, high = (data.get(key) for key in keys[:3])
                data = {key: given for key, given in data.items() if key not in keys[:3]}
                data[name] = None if value is None else bounded(value, low, high)
        return data

    @model_serializer(mode="wrap")
    def _spread(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Each estimate as its three keys."""
        found: dict[str, Any] = {}
        last: dict[str, Any] = {}
        known = self.estimates()
        for name, value in handler(self).items():
            if name not in known:
                found[name] = value
                continue
            keys, estimate = known[name], getattr(self, name)
            low, high = (estimate.interval if estimate else None) or (None, None)
            found[keys.value] = estimate.value if estimate else None
            (last if keys.ends_last else found).update({keys.low: low, keys.high: high})
        return found | last


class BlockValue(FindingsPart):
    """A figure of one block."""

    block: int
    value: float
