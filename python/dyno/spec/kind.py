"""What every kind of workload provides.

A workload is a model of `[workload]` in its own file, which is a `Kind`, together with the model of
its keys in a load plan; both are listed in `workload`. This file has what holds for most loads; a
workload overrides what differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from dyno.spec.data_check import CheckData
from dyno.spec.metrics import MetricKey
from dyno.spec.point import Variant
from dyno.spec.strict import Strict

# The keys that several kinds have.
WHICH_KIND = Field(description="Which workload it is.")
Engine = Annotated[
    str,
    Field(pattern=r"^\w+$", description="The engine of the tables where the arm names none."),
]
CreateOptions = Annotated[
    str, Field(description="Text after CREATE TABLE's options, where the arm has none.")
]
Loaders = Annotated[int, Field(ge=1, le=256, description="How many connections load the rows.")]
SessionStatements = Annotated[
    list[str],
    Field(description="SQL on every measuring connection, right after the connection was made."),
]
DataChecked = Annotated[
    CheckData,
    Field(
        description="When the [rules of the data](data-checks.md) are checked: after "
        '`"every_trial"`, after those of the `"first_block"` (each arm\'s last where they share a '
        'copy of the data), or `"never"`. They are checked after the load as well, unless it is '
        '`"never"`.'
    ),
]


class Kind(Strict):
    """The methods. The keys are the model's own; each model has `session`, and `writes` says
    whether trials change the data, so that each trial needs a fresh copy.
    """

    # Its model in a load plan, if that takes the experiment's keys as they are.
    load_keys: ClassVar[type[Strict]]
    # Whether it runs for a time, rather than statement by statement.
    is_load: ClassVar[bool] = True
    # Whether a sweep may be over scripts and their options.
    takes_scripts: ClassVar[bool] = False
    # Whether the sizes of the tables before a trial are figures, too.
    has_sizes_before: ClassVar[bool] = False

    @property
    def headline(self) -> MetricKey:
        """What a run is about, unless a claim says otherwise."""
        return "throughput"

    @property
    def ops(self) -> list[str]:
        """The op kinds."""
        raise NotImplementedError

    @property
    def headline_ops(self) -> list[str]:
        """The ops that have the headline. A figure of all ops together is filed under one."""
        return self.ops

    @property
    def counted_ops(self) -> list[str]:
        """The ops that the headline counts, if they have it together."""
        return self.ops

    @property
    def secondary_ops(self) -> list[str]:
        """Those whose p95 latency is compared on the side."""
        return self.ops if self.is_load else []

    @property
    def has_dataset(self) -> bool:
        """Whether anything is loaded before the first trial."""
        return True

    @property
    def row_count(self) -> int:
        """The rows that are loaded into all tables, or about as many."""
        raise NotImplementedError

    @property
    def size_bytes(self) -> int:
        """About how large the tables are before the first trial."""
        raise NotImplementedError

    @property
    def has_pauses(self) -> bool:
        """Whether it has its own think times."""
        return False

    @property
    def data_rules(self) -> CheckData | None:
        """After which trials the rules of its data are checked; None if it has none."""
        return None

    def for_load(self, engine: str | None, create_options: str | None = None) -> Strict:
        """What dynoload gets to load the data: with an arm's engine and its options of CREATE
        TABLE.
        """
        own = {"engine": engine} if engine else {}
        if create_options is not None:
            own["create_options"] = create_options
        keys = self.model_dump(include=set(self.load_keys.model_fields))
        return self.load_keys.model_validate(keys | own)

    def for_trial(self, engine: str | None, create_options: str | None = None) -> Strict:
        """What dynoload gets to run a trial on existing data."""
        return self.for_load(engine, create_options)

    def data_parts(self, engine: str | None, create_options: str | None = None) -> dict[str, Any]:
        """What the tables and rows depend on, ready for JSON; seed and settings aside."""
        return self.for_load(engine, create_options).model_dump(mode="json")

    def scaled(self, scale: float) -> Self:
        """The workload with that share of its rows; not validated."""
        raise NotImplementedError

    def narrowed(self, ops: list[str]) -> Self:
        """The workload with these of its named statements; all if none is named."""
        return self

    def at_levels(self, connections: Sequence[int]) -> Self:
        """The workload with enough data for these levels: the dataset is loaded once for all of
        them.

        Raises SpecError if it can't have one of them.
        """
        return self

    def at_variant(self, variant: Variant) -> Self:
        """The workload that runs at the points of this variant."""
        raise NotImplementedError

    def refuse_option(self, option: str) -> None:
        """Raise a mistake for an option that a sweep can't be over."""

    def with_files(self, folder: Path, scripts: Sequence[str] = ()) -> Self:
        """The workload with the files that it and the sweep's scripts name, resolved from the
        experiment's folder.

        Raises SpecError.
        """
        return self

    def facts(self) -> Iterator[tuple[str, str]]:
        """What `dyno check` shows about it: a name and a value per line."""
        raise NotImplementedError


def pairs(keys: Mapping[str, object]) -> str:
    """Keys and values in one line."""
    return " ".join(f"{key}={value}" for key, value in keys.items()) or "—"


def written(keys: Mapping[str, object]) -> str:
    """Keys and values in one line, as an experiment writes them."""
    return pairs({key: _written(value) for key, value in keys.items()})


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, str) else str(value)
