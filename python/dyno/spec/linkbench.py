"""The workload `linkbench`: nodes, links between them and counts of links, and ten requests.

docs/reference/load-plan.md says what the requests do; dynoload makes them. Here are the keys,
and how large the data get.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from dyno.spec.data_check import EVERY_TRIAL, CheckData
from dyno.spec.files import find_file
from dyno.spec.kind import Kind, pairs, written
from dyno.spec.metrics import MetricKey
from dyno.spec.strict import Strict, mistake
from dyno.spec.units import plural

IDS_MIN, IDS_MAX = 2, 2**31 - 1
# Links of n ids by each profile's degrees: so many an id, and those of the ids with the most, which
# are there whatever n is; and rows of counts an id. Within 1 % at 100,000 and 1,000,000 ids.
GROWTH = {
    "fb-as-coded": (4.35, 930_000, 0.772),
    "fb-as-configured": (4.038, 937_700, 0.772),
    "mc-2017": (4.41, 4_156_700, 2.0),
}
# Of InnoDB: a link stands in the table and, whole again, in its index.
LINK_BYTES, NODE_BYTES, COUNT_BYTES = 150, 260, 60

LISTS = "get_links_list"
OPS = (
    "add_link",
    "delete_link",
    "update_link",
    "count_link",
    "multiget_link",
    LISTS,
    "add_node",
    "update_node",
    "delete_node",
    "get_node",
)


def _written(value: Any) -> Any:
    """Numbers and booleans of a properties map as a properties file writes them."""
    if not isinstance(value, dict):
        return value
    return {key: _text(key, found) for key, found in value.items()}


def _text(key: str, value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        raise mistake(f"properties: {key} is {value}", hint="write a number")
    return repr(value) if isinstance(value, int | float) else value


Properties = Annotated[dict[str, str], BeforeValidator(_written)]


class LinkbenchKeys(Strict):
    """The keys that experiment and load plan share.

    `ids` nodes from `first_id` on; `properties` are LinkBench's own, over those of the profile;
    `distribution` is a file of degrees, without which a compact table stands for LinkBench's.
    """

    kind: Literal["linkbench"]
    ids: Annotated[int, Field(ge=IDS_MIN, le=IDS_MAX)] = 100_000
    first_id: Annotated[int, Field(ge=1, lt=2**63)] = 1
    profile: Literal["fb-as-coded", "fb-as-configured", "mc-2017"] = "fb-as-coded"
    properties: Properties = {}
    distribution: str | None = None
    secondary_index: Literal["before", "after"] = "before"
    partitions: Annotated[int, Field(ge=0, le=1024)] = 16
    engine: Annotated[str, Field(pattern=r"^\w+$")] = "innodb"
    create_options: str = ""
    loaders: Annotated[int, Field(ge=1, le=256)] = 4

    @property
    def links(self) -> int:
        """About how many links are loaded."""
        an_id, of_hubs, _ = GROWTH[self.profile]
        return round(self.ids * an_id) + of_hubs

    @property
    def counts(self) -> int:
        """About how many rows the table of counts is loaded with."""
        return round(self.ids * GROWTH[self.profile][2])


class LinkbenchWorkload(LinkbenchKeys, Kind):
    """Ten requests over a graph of nodes and links.

    `distribution_sha256` is filled in when the experiment is read. `check_data`: after which trials
    the rules of the data are checked; after the load, too, unless it is "never".
    """

    headline: ClassVar[MetricKey] = "total_throughput"
    has_sizes_before: ClassVar[bool] = True

    distribution_sha256: str | None = None
    session: list[str] = []
    check_data: CheckData = EVERY_TRIAL

    def with_files(self, folder: Path) -> LinkbenchWorkload:
        """The workload with its distribution's file found, from the experiment's folder.

        Raises SpecError.
        """
        if self.distribution is None:
            return self
        found = find_file(
            folder,
            self.distribution,
            key="distribution",
            sha256=self.distribution_sha256,
            hint="give LinkBench's Distribution.dat, or leave it out for the compact table",
        )
        return self.model_copy(update=found)

    @property
    def writes(self) -> bool:
        """Whether trials change the data, so that each needs a fresh copy."""
        return True

    @property
    def ops(self) -> list[str]:
        """The op kinds, in the order in which LinkBench counts them."""
        return list(OPS)

    @property
    def headline_ops(self) -> list[str]:
        """The throughput of all goes by the name of the most frequent."""
        return [LISTS]

    @property
    def row_count(self) -> int:
        """About how many rows are loaded into all three tables."""
        return self.ids + self.links + self.counts

    @property
    def size_bytes(self) -> int:
        """About how large the tables are on InnoDB, uncompressed."""
        return self.ids * NODE_BYTES + self.links * LINK_BYTES + self.counts * COUNT_BYTES

    @property
    def data_rules(self) -> CheckData:
        """After which trials the rules of its data are checked."""
        return self.check_data

    def scaled(self, scale: float) -> LinkbenchWorkload:
        """The workload with that part of its ids, as far as there may be that many."""
        ids = min(max(IDS_MIN, round(self.ids * scale)), IDS_MAX)
        return self.model_copy(update={"ids": ids})

    def facts(self) -> Iterator[tuple[str, str]]:
        """The data, and every key with its value; properties are those over the profile's."""
        yield "data", f"{plural(self.ids, 'id')}, about {plural(self.links, 'link')}"
        yield "ops", ", ".join(self.ops)
        yield "distribution", self.distribution or "the compact table"
        if self.properties:
            yield "properties", pairs(dict(self.properties))
        shown = {"kind", "ids", "session", "engine", "properties", "distribution"}
        yield "keys", written(self.model_dump(exclude=shown | {"distribution_sha256"}))
