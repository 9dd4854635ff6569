"""The sections that only loads have: figures, scaling, stability."""

from __future__ import annotations

from dyno.analysis.model import Findings
from dyno.report import load, view
from dyno.report.section import Pairs, Section, Table, at_points

FIGURES_MEAN = (
    "Medians of the blocks; n counts blocks. With each stands the 95 % interval of that arm alone, "
    "where there are three blocks. The comparisons say which arm is better: they pair the arms "
    "inside each block."
)
LATENCY_MEANS = "All ops of all good trials of an arm at a point, merged. Less is better."


def figures(findings: Findings) -> Section | None:
    """What was measured, by arm and point; None for statements."""
    if not view.is_load(findings):
        return None
    if not findings.figures:
        return Section("figures", "Figures", [], says="No trial gave a figure.")
    blocks = [Table(load.figures(findings), FIGURES_MEAN)]
    if findings.latency:
        shown = load.points_shown(findings)
        blocks.append(
            at_points(load.latency, findings, LATENCY_MEANS, "Latency by percentile", shown)
        )
    return Section("figures", "Figures", blocks)


def scaling(findings: Findings) -> Section | None:
    """How throughput grows with the level; None if there are too few levels."""
    if not findings.scaling:
        return None
    words = Pairs(load.scaling_words(findings))
    table = Table(load.scaling(findings), load.LAW_MEANS)
    return Section("scaling", "Scaling", [words, table], says=load.N95_MEANS)


def stability(findings: Findings) -> Section | None:
    """How evenly it ran; None if that wasn't recorded."""
    if not findings.stability:
        return None
    shown = load.points_shown(findings)
    table = at_points(load.stability, findings, load.STABILITY_MEANS, shown=shown)
    return Section("stability", "Stability", [table], says=load.stability_says(findings))
