"""Files, folders and standard input -> Graph: reads each, and names the arms. Draws nothing."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from dyno.errors import SpecError
from dyno.graph import dyno_run
from dyno.graph.formats import DYNO, format_of
from dyno.graph.model import Found, Graph, Reading, Run, over_rate
from dyno.graph.text import Text
from dyno.spec.bounded import open_regular

STDIN = "-"
BYTES_MOST = 256 * 1024 * 1024
UNENDED = "its last line has no line end: the file may be cut off there"
# What a label omits from a file's name.
ENDINGS = (".summary.json", ".results.csv", ".samples.csv", ".log", ".txt", ".out", ".csv", ".json")


@dataclass(frozen=True)
class Wanted:
    """A file to read; `label` and `format` are None if they are to be detected."""

    file: str
    label: str | None = None
    format: str | None = None


def read(wanted: list[Wanted]) -> Graph:
    """Everything that was asked for. Raises SpecError for what can't be read or holds nothing."""
    if sum(each.file == STDIN for each in wanted) > 1:
        raise SpecError("standard input is given twice", hint="give - once")
    places = Counter(Path(each.file).resolve() for each in wanted)
    for path, times in places.items():
        if times > 1:
            raise SpecError(f"{path} is given twice", hint="give each file once")
    readings = _joined(_labelled([_reading(each) for each in wanted]))
    named = tuple(_named(readings))
    return Graph(tuple(readings), named, list(dict.fromkeys(arm for arm, _ in named)))


def _reading(wanted: Wanted) -> Reading:
    shown = "standard input" if wanted.file == STDIN else wanted.file
    path = Path(wanted.file)
    if wanted.file != STDIN and path.is_dir():
        format_name, found = DYNO, _folder(path, wanted)
    elif wanted.format == DYNO:
        raise SpecError(f"{shown}: not a folder", hint="expected: a run folder of dyno run")
    else:
        text = Text.decode(shown, _content(wanted.file, shown))
        chosen = format_of(text, wanted.format)
        format_name, found = chosen.name, chosen.read(text)
        if text.unended:
            found = replace(found, notes=(*found.notes, UNENDED))
    if not found.runs:
        why = f": {found.notes[0]}" if found.notes else ""
        expected = chosen.expects if format_name != DYNO else "a run folder with a good trial"
        raise SpecError(f"{shown}: no run of {format_name} in it{why}", hint=f"expected {expected}")
    label = wanted.label if wanted.label is not None else _label(wanted.file, shown)
    return Reading(label, wanted.label is not None, shown, format_name, found)


def _folder(path: Path, wanted: Wanted) -> Found:
    if wanted.format not in (None, DYNO):
        raise SpecError(
            f"{path}: a folder, and --format {wanted.format} is of files", hint="name its files"
        )
    return dyno_run.read(path)


def _content(file: str, shown: str) -> bytes:
    try:
        if file == STDIN:
            content = sys.stdin.buffer.read(BYTES_MOST + 1)
        else:
            with open_regular(Path(file)) as opened:
                content = opened.read(BYTES_MOST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SpecError(
            f"{shown} can't be read: {reason}",
            hint="give files, run folders, or - for standard input",
        ) from error
    if len(content) > BYTES_MOST:
        raise SpecError(
            f"{shown}: longer than {BYTES_MOST // 1024**2} MiB",
            hint="cut out the runs that you want to see",
        )
    return content


def _label(file: str, shown: str) -> str:
    """A file's name without its extension."""
    name = Path(file).resolve().name if file != STDIN else shown
    for ending in ENDINGS:
        if name.endswith(ending) and name != ending:
            return name.removesuffix(ending)
    return name


def _labelled(readings: list[Reading]) -> list[Reading]:
    """Two files with the same name get their folders' names too; labels that were given stay.

    Files of one BenchBase execution differ only in the extension.
    """
    names = Counter(
        (each.label, Path(each.file).parent if each.format == "benchbase" else each.file)
        for each in readings
        if not each.given
    )
    twice = Counter(label for label, _ in names)
    return [
        replace(each, label=f"{Path(each.file).resolve().parent.name}/{each.label}")
        if not each.given and twice[each.label] > 1
        else each
        for each in readings
    ]


def _joined(readings: list[Reading]) -> list[Reading]:
    """A summary and a series with the same label become one run: each has what the other lacks."""
    found = list(readings)
    for place, series in enumerate(readings):
        if len(series.found.runs) != 1 or not _is_series(series.found.runs[0]):
            continue
        summaries = [
            i
            for i, each in enumerate(found)
            if (each.label, each.format) == (series.label, series.format)
            and len(each.found.runs) == 1
            and each.found.runs[0].throughput_per_s is not None
            and not each.found.runs[0].intervals
        ]
        if len(summaries) != 1:
            continue
        summary = found[summaries[0]].found
        whole = replace(summary.runs[0], intervals=series.found.runs[0].intervals)
        found[summaries[0]] = replace(found[summaries[0]], found=replace(summary, runs=(whole,)))
        empty = replace(series.found, runs=(), notes=(f"its series is drawn for {series.label}",))
        found[place] = replace(series, found=empty)
    return found


def _is_series(run: Run) -> bool:
    return bool(run.intervals) and run.connections is None


def _named(readings: list[Reading]) -> list[tuple[str, Run]]:
    """Each run with its arm's name: the file's label, what the file distinguishes, or both.

    Runs of one label at several rates are several arms, unless the rate is the horizontal axis.
    """
    runs = [run for each in readings for run in each.found.runs]
    inner = len({run.arm for run in runs}) > 1
    labels = len({each.label for each in readings if each.found.runs}) > 1
    rates: dict[str, set[float | None]] = {}
    for each in readings:
        rates.setdefault(each.label, set()).update(run.rate_per_s for run in each.found.runs)
    found = []
    for each in readings:
        for run in each.found.runs:
            parts = [each.label] if labels or each.given or not run.arm else []
            if run.arm and (inner or not parts):
                parts.append(run.arm)
            if len(rates[each.label]) > 1 and not over_rate(runs):
                rate = run.rate_per_s
                parts.append("closed loop" if rate is None else f"{rate:g}/s offered")
            found.append((", ".join(parts), run))
    return found
