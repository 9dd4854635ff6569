"""The points of a sweep: at which level, and with which script or option, all arms are measured."""

from __future__ import annotations

from pydantic import Field, model_validator

from dyno.spec.strict import Line, Settings, SettingValue, Strict, mistake
from dyno.spec.units import plural


class Variant(Strict):
    """Which script runs at a point, or with which options. `with_level`: other points differ from
    it in their level alone, so that its name needs the level.
    """

    name: Line
    group: Line = ""
    script: Line | None = None
    options: Settings = {}
    with_level: bool = False


class Point(Strict):
    """One level of the sweep; without a sweep there is one point. A rate makes the load open."""

    connections: int
    rate_per_s: float | None = None
    variant: Variant | None = None

    @property
    def level(self) -> float:
        """What distinguishes it from others of its variant: its rate, else its connections."""
        return float(self.connections if self.rate_per_s is None else self.rate_per_s)

    @property
    def level_label(self) -> str:
        """The level with its unit: "64 connections", "1,000 ops/s"."""
        if self.rate_per_s is None:
            return plural(self.connections, "connection")
        return f"{self.rate_per_s:,.10g} ops/s"

    @property
    def label(self) -> str:
        """What it is called: its level, or its variant: "oltp_read_only, 64 connections"."""
        if self.variant is None:
            return self.level_label
        return ", ".join([self.variant.name, self.level_label][: 1 + self.variant.with_level])


class At(Strict):
    """Which points of a sweep a claim is about: all that have what is given here."""

    script: Line | None = Field(None, description="Those of this script, by its name.")
    group: Line | None = Field(None, description="Those of the scripts of this group.")
    option: SettingValue | None = Field(None, description="Those with this value of the option.")
    connections: int | None = Field(None, description="Those with that many connections.")
    rate: float | None = Field(None, description="Those at this rate.")

    @model_validator(mode="after")
    def _says_something(self) -> At:
        if not self.model_fields_set:
            raise mistake("at names no point", hint='write at = { script = "…" }, or at = "each"')
        return self

    def has(self, point: Point) -> bool:
        """Whether it is about this point."""
        variant = point.variant or Variant(name="")
        return (
            self.script in (None, variant.name)
            and self.group in (None, variant.group)
            and (self.option is None or self.option in variant.options.values())
            and self.connections in (None, point.connections)
            and self.rate in (None, point.rate_per_s)
        )

    @classmethod
    def only(cls, point: Point) -> At:
        """What only this point has."""
        variant = point.variant
        level = "connections" if point.rate_per_s is None else "rate"
        found: dict[str, object] = {}
        if variant is None or variant.with_level:
            found[level] = point.connections if point.rate_per_s is None else point.rate_per_s
        if variant is not None and variant.script is not None:
            found["script"] = variant.name
        elif variant is not None:
            found["option"] = next(iter(variant.options.values()))
        return cls.model_validate(found)
