"""The sweep of an experiment: levels, scripts, or values of a script's option."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from dyno.spec.point import Variant
from dyno.spec.protocol import LEVELS_MAX, Connections, RatePerSecond
from dyno.spec.strict import Line, SettingValue, Strict, mistake
from dyno.spec.words import first_twice

Scripts = Annotated[list[Line], Field(max_length=LEVELS_MAX)]


def script_name(script: str) -> str:
    """What a script is called: without folder and ending."""
    return Path(script).name.removesuffix(".lua")


class Sweep(Strict):
    """The points at which all arms are measured: levels of connections or of a rate, and with
    `kind = "sysbench"` scripts or values of an option. A block measures all arms at all points.
    Scripts or values and levels together make a point of each pair.
    """

    connections: Annotated[list[Connections], Field(max_length=LEVELS_MAX)] = Field(
        [],
        description="Numbers of connections, such as `[1, 4, 16, 64]`. Each connection begins its "
        "next op when the last one is done (closed load).",
    )
    rate: Annotated[list[RatePerSecond], Field(max_length=LEVELS_MAX)] = Field(
        [],
        description="Rates such as `[500.0, 1000.0]`: how many ops fall due each second, whether "
        "or not earlier ones are done (open load), over the protocol's `connections`.",
    )
    script: Scripts | dict[Line, Scripts] = Field(
        [],
        description='Scripts such as `["oltp_point_select", "orders.lua"]`, or a table of groups '
        "with a list each. They run on the data that the workload's own `script` has loaded, with "
        "the workload's options. Your own must all lie in one folder.",
    )
    option: dict[Line, Annotated[list[SettingValue], Field(max_length=LEVELS_MAX)]] = Field(
        {},
        description="One option of the script and its values: `{ range_size = [10, 100] }`. The "
        "data are loaded once, with the workload's own options.",
    )

    @model_validator(mode="after")
    def _axes_go_together(self) -> Sweep:
        if (self.connections and self.rate) or not (self.over or self.variants):
            found = "both" if self.rate else "neither"
            raise mistake(
                f"a sweep is over connections or over rate, found {found}",
                hint="write one of them: connections = [1, 8, 64]",
            )
        if (self.script and self.option) or len(self.option) > 1:
            raise mistake(
                "a sweep is over scripts or over one option", hint="make an experiment of each"
            )
        return self

    @model_validator(mode="after")
    def _different_points(self) -> Sweep:
        if (level := first_twice(self.levels)) is not None:
            raise mistake(f"the level {level:g} is given twice in {self.over}", hint="keep one")
        names = [variant.name for variant in self.variants]
        if (name := first_twice(names)) is not None:
            raise mistake(f"{name} is given twice in the sweep", hint="keep one, or rename it")
        return self

    @property
    def over(self) -> Literal["connections", "rate"] | None:
        """The key whose levels they are; None if only scripts or values differ."""
        return "connections" if self.connections else "rate" if self.rate else None

    @property
    def levels(self) -> list[float]:
        """The levels in the file's order."""
        return list(self.connections or self.rate)

    @property
    def groups(self) -> Mapping[str, Sequence[str]]:
        """The scripts by group; "" where there are no groups."""
        return self.script if isinstance(self.script, dict) else {"": self.script}

    @property
    def scripts(self) -> list[str]:
        """The scripts of all groups, as the file writes them."""
        return [script for scripts in self.groups.values() for script in scripts]

    @property
    def variants(self) -> list[Variant]:
        """What differs besides levels, in the file's order."""
        return list(self._variants())

    def _variants(self) -> Iterator[Variant]:
        for group, scripts in self.groups.items():
            for script in scripts:
                yield Variant(name=script_name(script), group=group, script=script)
        for option, values in self.option.items():
            for value in values:
                yield Variant(name=f"{option} {value}", options={option: value})
