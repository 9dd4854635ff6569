"""The checks of the workload `linkbench`: the count of links of an id matches its visible links,
and what must hold right after the load.

What each can and can't see: docs/reference/data-checks.md.
"""

from __future__ import annotations

from dyno.checks.model import Check, Checks, Growth
from dyno.checks.sql import Term, bad_rows, balanced, described

HIDDEN, VISIBLE = 0, 1
_LINKS_OF = ("id1", "link_type")
_LINK = ("id1", "link_type", "id2")


def _links(figure: str, is_bad: str) -> str:
    """Links that break a rule; read in the order of their table."""
    return bad_rows(described(_LINK, [(figure, figure)]), f"FROM linktable WHERE {is_bad}")


def _of_all(figures: dict[str, str], is_bad: str) -> str:
    """A rule about the tables as a whole: one bad row at most. `figures` are SELECTs of a value, by
    the names used in `is_bad`; one without a value is NULL and breaks the rule.
    """
    values = ", ".join(f"({sql}) AS {name}" for name, sql in figures.items())
    parts = [
        f"'{', ' * (place > 0)}{name} ', COALESCE({name}, 'NULL')"
        for place, name in enumerate(figures)
    ]
    return bad_rows(
        f"CONCAT({', '.join(parts)})",
        f"FROM (SELECT {values}) AS figures WHERE COALESCE({is_bad}, 1)",
    )


# One pass over each table: `id1_type` has all that is needed of a link, in the order of its groups.
# With a WHERE, servers would sort the links.
COUNTS = Check(
    "counts",
    "count is the number of the id's visible links of that type; no row counts as 0",
    balanced(
        _LINKS_OF,
        [Term("count", ("id", "link_type"), "count", "counttable")],
        [
            Term(
                "visible links",
                _LINKS_OF,
                f"SUM(visibility = {VISIBLE})",
                "linktable",
                grouped=True,
            )
        ],
    ),
)

ALWAYS = (
    COUNTS,
    Check(
        "visibility",
        f"a link is visible ({VISIBLE}) or hidden ({HIDDEN})",
        _links("visibility", f"visibility NOT IN ({HIDDEN}, {VISIBLE})"),
    ),
)

LOAD_CHECKS = (
    Check(
        "new links",
        "all are visible and of version 0",
        _links("version", f"visibility <> {VISIBLE} OR version <> 0"),
        just_loaded=True,
    ),
    Check(
        "sum of counts",
        "the counts add up to the number of links",
        _of_all(
            {
                "counted": "SELECT SUM(count) FROM counttable",
                "links": "SELECT COUNT(*) FROM linktable",
            },
            "counted <> links",
        ),
        just_loaded=True,
    ),
    Check(
        "nodes",
        "their ids have no gap",
        _of_all(
            {
                "nodes": "SELECT COUNT(*) FROM nodetable",
                "first_node": "SELECT MIN(id) FROM nodetable",
                "last_node": "SELECT MAX(id) FROM nodetable",
            },
            "nodes <> last_node - first_node + 1",
        ),
        just_loaded=True,
    ),
    Check(
        "ids of links",
        "every link begins at a node",
        _of_all(
            {
                "first_link": "SELECT MIN(id1) FROM linktable",
                "last_link": "SELECT MAX(id1) FROM linktable",
                "first_node": "SELECT MIN(id) FROM nodetable",
                "last_node": "SELECT MAX(id) FROM nodetable",
            },
            "first_link < first_node OR last_link > last_node",
        ),
        just_loaded=True,
    ),
)

# Ids are assigned in order, and only loaded nodes are deleted.
NODES = Growth(
    "acknowledged nodes",
    "the greatest id of nodetable has grown by the nodes that clients saw committed",
    "SELECT COALESCE(MAX(id), 0) FROM nodetable",
    "add_node",
)

CHECKS = Checks(
    tables=frozenset(("linktable", "counttable", "nodetable")),
    filled="nodetable",
    checks=(*ALWAYS, *LOAD_CHECKS),
    growths=(NODES,),
)
