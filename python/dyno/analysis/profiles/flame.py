"""Two arms' stacks as one tree with both arms' costs: what a differential flame graph shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dyno.analysis.profiles.cells import Side
from dyno.analysis.profiles.model import Flame
from dyno.analysis.profiles.objects import Part

LEAST_POINTS = 0.1
DIGITS = 3


@dataclass
class _Node:
    """A part below those above it, with what it costs in both arms, the parts below it included."""

    costs: list[float] = field(default_factory=lambda: [0.0, 0.0])
    below: dict[Part, _Node] = field(default_factory=dict)


def flame(ours: Side, theirs: Side) -> Flame:
    """The mean over each arm's trials. Larger costs in the arm come first among siblings."""
    root = _Node()
    points = 100 / theirs.mean_us
    for place, side in enumerate((ours, theirs)):
        for cost, folded in zip(side.per_op, side.folded, strict=True):
            scale = points * float(cost) / folded.samples / len(side.folded)
            for parts, n in folded.paths.items():
                _add(root, parts, place, n * scale)
    found = Flame(names=[], parents=[], points=[], baseline_points=[])
    _write(root, -1, found)
    return found


def _add(root: _Node, parts: Sequence[Part], side: int, points: float) -> None:
    node = root
    for part in parts:
        node = node.below.setdefault(part, _Node())
        node.costs[side] += points


def _write(node: _Node, parent: int, found: Flame) -> None:
    large = [
        (part, below) for part, below in node.below.items() if max(below.costs) >= LEAST_POINTS
    ]
    for part, below in sorted(large, key=lambda item: (-item[1].costs[0], item[0])):
        found.names.append(part.label)
        found.parents.append(parent)
        found.points.append(round(below.costs[0], DIGITS))
        found.baseline_points.append(round(below.costs[1], DIGITS))
        _write(below, len(found.names) - 1, found)
