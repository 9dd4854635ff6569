"""What was read, as data for scripts: `dyno graph --json`. A figure missing from its file is null.

Schema history:
  1  first version
"""

from __future__ import annotations

from typing import Any

from dyno.graph.model import Graph, Latency, Reading, Run

GRAPH_SCHEMA = 1


def document(graph: Graph) -> dict[str, Any]:
    """The whole graph, file by file."""
    arms = iter(graph.named)
    return {
        "schema": GRAPH_SCHEMA,
        "arms": graph.arms,
        "files": [_file(each, [next(arms) for _ in each.found.runs]) for each in graph.readings],
    }


def _file(reading: Reading, named: list[tuple[str, Run]]) -> dict[str, Any]:
    return {
        "file": reading.file,
        "label": reading.label,
        "format": reading.format,
        "other_lines": len(reading.found.other_lines),
        "first_other_line": next(iter(reading.found.other_lines), None),
        "notes": list(reading.found.notes),
        "runs": [_run(arm, run) for arm, run in named],
    }


def _run(arm: str, run: Run) -> dict[str, Any]:
    """`engine` and the like stay in the arm's name; "line" is the trial number in a run folder."""
    return {
        "arm": arm,
        "line": run.line,
        "connections": run.connections,
        "rate_per_s": run.rate_per_s,
        "unit": run.unit,
        "throughput_per_s": vars(run.throughput_per_s) if run.throughput_per_s else None,
        "seconds": vars(run.seconds) if run.seconds else None,
        "latency": _latency(run.latency),
        "parts": [{**vars(each), "latency": _latency(each.latency)} for each in run.checkpoints],
        "intervals": [{**vars(each), "latency": _latency(each.latency)} for each in run.intervals],
    }


def _latency(latency: Latency) -> dict[str, Any]:
    quantiles = [{"quantile": q, "ms": ms} for q, ms in latency.quantiles]
    return {**vars(latency), "quantiles": quantiles}
