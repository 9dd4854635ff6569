"""What came of the sessions, as Markdown: false alarms, coverage, direction, time to a verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import inf
from statistics import median

from scipy.special import betaincinv

from benches.trust.session import Found

Cell = tuple[str, ...]


def false_alarms(found: Iterable[Found]) -> str:
    """Equal arms that were called different, by case, placement and neighbour."""
    cells: dict[Cell, list[Found]] = defaultdict(list)
    for f in found:
        if not f.effect:
            cells[f.case, f.placement, f.neighbour].append(f)
            cells["all", "", ""].append(f)
    rows = [
        [
            *cell,
            str(len(of)),
            *_share(sum(f.state == "different" for f in of), len(of)),
            _n(of),
            _spread(of),
        ]
        for cell, of in sorted(cells.items(), key=lambda item: (item[0][0] == "all", item[0]))
    ]
    head = ["workload", "placement", "host", "comparisons", "called different", "95 % bound"]
    return _table([*head, "blocks", "spread"], rows)


def planted(found: Iterable[Found]) -> str:
    """Effects that were put there: how often they were found, and how well."""
    cells: dict[tuple[float, Cell], list[Found]] = defaultdict(list)
    for f in found:
        if f.effect:
            made = "one CPU only" if f.burn == "cpu" else f"{100 * f.effect:g} %, {f.burn}"
            cells[f.effect, (made, f.case, f.placement, f.neighbour)].append(f)
            cells[inf, ("all", "", "", "")].append(f)
    rows = []
    for (_, cell), of in sorted(cells.items()):
        seen = [f for f in of if f.says_slower is not None]
        sized = [f for f in of if f.truth and f.low is not None and f.high is not None]
        covered = sum(f.low <= f.truth <= f.high for f in sized if f.low and f.truth and f.high)
        rows.append(
            [
                *cell,
                str(len(of)),
                f"{len(seen)}",
                f"{sum(not f.says_slower for f in seen)}",
                f"{covered} of {len(sized)}",
                _n(seen),
                f"{median(f.elapsed_s for f in seen) / 60:.1f} min" if seen else "—",
            ]
        )
    head = ["effect", "workload", "placement", "host", "comparisons", "called different"]
    return _table([*head, "wrong side", "in the interval", "blocks", "time"], rows)


def upper_bound(count: int, n: int) -> float:
    """Clopper-Pearson's one-sided 95 % bound of a share."""
    return 1.0 if count >= n else float(betaincinv(count + 1, n - count, 0.95))


def _share(count: int, n: int) -> list[str]:
    return [f"{count} ({count / n:.1%})", f"{upper_bound(count, n):.1%}"]


def _n(found: Sequence[Found]) -> str:
    return f"{median(f.n for f in found):g}" if found else "—"


def _spread(found: Sequence[Found]) -> str:
    """The median of what a block's ratio varies by, from the smallest to the largest."""
    spreads = [100 * f.spread for f in found if f.spread is not None]
    if not spreads:
        return "—"
    return f"{median(spreads):.1f} % ({min(spreads):.1f} to {max(spreads):.1f})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
