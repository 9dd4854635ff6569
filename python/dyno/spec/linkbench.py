"""The workload `linkbench`: nodes, links between them and counts of links, and ten requests.

docs/reference/load-plan.md says what the requests do; dynoload makes them. Here are the keys,
and how large the data get.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from dyno.spec.changed import changed
from dyno.spec.data_check import EVERY_TRIAL, CheckData
from dyno.spec.files import find_file
from dyno.spec.kind import (
    WHICH_KIND,
    CreateOptions,
    DataChecked,
    Engine,
    Kind,
    Loaders,
    SessionStatements,
    pairs,
    written,
)
from dyno.spec.metrics import MetricKey
from dyno.spec.strict import Strict, mistake
from dyno.spec.units import plural

IDS_MIN, IDS_MAX = 2, 2**31 - 1
# Links of n ids by each profile's degrees: links per id, and the constant number of those at the
# ids with the most; and rows of counts per id. Within 1 % at 100,000 and 1,000,000 ids.
GROWTH = {
    "fb-as-coded": (4.35, 930_000, 0.772),
    "fb-as-configured": (4.038, 937_700, 0.772),
    "mc-2017": (4.41, 4_156_700, 2.0),
}
# On InnoDB: a link is in the table and, in full, again in its index.
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
    """Numbers and booleans of a properties map, formatted as in a properties file."""
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
    """The keys that experiment and load plan share."""

    kind: Annotated[Literal["linkbench"], WHICH_KIND]
    ids: Annotated[int, Field(ge=IDS_MIN, le=IDS_MAX)] = Field(
        100_000,
        description="The scale, which `--scale` multiplies, LinkBench's maxid1 - startid1: how "
        "many nodes are loaded. 4.4 links each, and 930,000 of the nodes with the most. About 1 GB "
        "a million on InnoDB.",
    )
    first_id: Annotated[int, Field(ge=1, lt=2**63)] = Field(
        1, description="The first of them, LinkBench's startid1."
    )
    profile: Literal["fb-as-coded", "fb-as-configured", "mc-2017"] = Field(
        "fb-as-coded",
        description='`"fb-as-coded"`: what the original does, for figures beside its own. '
        '`"fb-as-configured"`: what its configuration says, without two of its defects. '
        '`"mc-2017"`: the mix and sizes of a fork of 2017.',
    )
    properties: Properties = Field(
        {},
        description="LinkBench's own property names over those of the profile, as numbers, "
        'booleans or texts: `{ getlinklist_history = 0.3, addlink = "9" }`. Only those that say '
        "what is asked and loaded.",
    )
    distribution: str | None = Field(
        None,
        description="LinkBench's Distribution.dat, from the experiment's folder. Without it a "
        "compact table within 0.1 % of that file is taken.",
    )
    secondary_index: Literal["before", "after"] = Field(
        "before",
        description='`"before"`: `id1_type` is made with the table. `"after"`: once all rows are '
        "in.",
    )
    partitions: Annotated[int, Field(ge=0, le=1024)] = Field(
        16, description="Of the table of links; 0: it isn't partitioned."
    )
    engine: Engine = "innodb"
    create_options: CreateOptions = ""
    loaders: Loaders = 4

    @property
    def links(self) -> int:
        """About how many links are loaded."""
        an_id, of_hubs, _ = GROWTH[self.profile]
        return round(self.ids * an_id) + of_hubs

    @property
    def counts(self) -> int:
        """About how many rows the table of counts is loaded with."""
        return round(self.ids * GROWTH[self.profile][2])


class LoadLinkbench(LinkbenchKeys):
    """The workload in a load plan, with the engine filled in. `success_file` gets a line for each
    added node that the server has acknowledged: "ns id".
    """

    success_file: str | None = None


class LinkbenchWorkload(LinkbenchKeys, Kind):
    """The social graph of LinkBench: nodes, links between them, and how many links each node has;
    ten requests, a few hot nodes with very long lists. More in [its guide](../guides/linkbench.md).

    The ops are `add_link`, `delete_link`, `update_link`, `count_link`, `multiget_link`,
    `get_links_list`, `add_node`, `update_node`, `delete_node` and `get_node`. Compare runs of equal
    length only: the graph grows, and later requests find the links that a run has added.
    """

    load_keys: ClassVar[type[Strict]] = LoadLinkbench

    has_sizes_before: ClassVar[bool] = True

    distribution_sha256: str | None = Field(
        None,
        description="The checksum that `distribution` must have. The plan of a run stores it "
        "anyway.",
    )
    session: SessionStatements = []
    check_data: DataChecked = EVERY_TRIAL

    def with_files(self, folder: Path, scripts: Sequence[str] = ()) -> LinkbenchWorkload:
        """The workload with its distribution's file, resolved from the experiment's folder.

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
        return changed(self, **found)

    @property
    def writes(self) -> bool:
        """Whether trials change the data, so that each needs a fresh copy."""
        return True

    @property
    def headline(self) -> MetricKey:
        """The throughput of all requests together."""
        return "total_throughput"

    @property
    def ops(self) -> list[str]:
        """The op kinds, in the order in which LinkBench counts them."""
        return list(OPS)

    @property
    def headline_ops(self) -> list[str]:
        """The throughput of all is filed under the name of the most frequent one."""
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

    def data_parts(self, engine: str | None, create_options: str | None = None) -> dict[str, Any]:
        """All keys, because any property may affect the rows or their order, and the distribution
        by its file's content.
        """
        load = self.for_load(engine, create_options)
        found = load.model_dump(mode="json", exclude={"distribution", "success_file"})
        return found | {"distribution_sha256": self.distribution_sha256}

    def scaled(self, scale: float) -> LinkbenchWorkload:
        """The workload with that share of its ids, as far as that many are possible."""
        ids = min(max(IDS_MIN, round(self.ids * scale)), IDS_MAX)
        return changed(self, ids=ids)

    def facts(self) -> Iterator[tuple[str, str]]:
        """The data, and every key with its value; properties are those over the profile's."""
        yield "data", f"{plural(self.ids, 'id')}, about {plural(self.links, 'link')}"
        yield "ops", ", ".join(self.ops)
        yield "distribution", self.distribution or "the compact table"
        if self.properties:
            yield "properties", pairs(dict(self.properties))
        shown = {"kind", "ids", "session", "engine", "properties", "distribution"}
        yield "keys", written(self.model_dump(exclude=shown | {"distribution_sha256"}))
