"""Reads BenchBase's results: the summary (JSON) and the series (results.csv, samples.csv).

A summary has no times, a series no terminals: given with the same label, read.py joins them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from dyno.graph.model import Figure, Found, Interval, Latency, Run
from dyno.graph.text import NUMBER, Format, Text, number

PER_S = "Throughput (requests/second)"
DISTRIBUTION = "Latency Distribution"
TIME = "Time (seconds)"
# Percentiles as the columns and keys begin; the unit follows in brackets.
QUANTILES = {
    "25th Percentile Latency": 0.25,
    "Median Latency": 0.5,
    "75th Percentile Latency": 0.75,
    "90th Percentile Latency": 0.9,
    "95th Percentile Latency": 0.95,
    "99th Percentile Latency": 0.99,
}
UNITS_MS = {"(millisecond)": 1.0, "(microseconds)": 1e-3}
SUMMARY_EXPECTED = f'a summary with "{PER_S}" and "{DISTRIBUTION}"'
SERIES_EXPECTED = f"a series that begins with {TIME},{PER_S},…, or {TIME},Requests,{PER_S},…"
RAW = "Transaction Type Index,"


def _read(text: Text) -> Found:
    first = next((line.lstrip() for _, line in text.numbered()), "")
    if first.startswith("{"):
        return Found(tuple(_summaries(text)))
    return _series(text)


def _summaries(text: Text) -> Iterator[Run]:
    """One run per JSON document; several may follow each other."""
    whole = "\n".join(text.lines)
    decoder, place = json.JSONDecoder(), 0
    while (begin := _next(whole, place)) is not None:
        line = whole.count("\n", 0, begin) + 1
        try:
            document, place = decoder.raw_decode(whole, begin)
        except (json.JSONDecodeError, RecursionError) as error:
            at = error.lineno if isinstance(error, json.JSONDecodeError) else line
            said = error.msg if isinstance(error, json.JSONDecodeError) else "too deeply nested"
            raise text.broken(at, f"not JSON ({said})", SUMMARY_EXPECTED) from None
        yield _summary(text, line, document)


def _next(whole: str, place: int) -> int | None:
    found = re.compile(r"\S").search(whole, place)
    return found.start() if found else None


def _summary(text: Text, line: int, document: Any) -> Run:
    if not isinstance(document, dict) or PER_S not in document:
        raise text.broken(line, f'no "{PER_S}"', SUMMARY_EXPECTED)
    distribution = document.get(DISTRIBUTION)
    if not isinstance(distribution, dict):
        raise text.broken(line, f'no "{DISTRIBUTION}"', SUMMARY_EXPECTED)
    per_s = _finite(document[PER_S])
    terminals = str(document.get("terminals"))
    return Run(
        line=line,
        unit="requests",
        connections=int(terminals) if re.fullmatch(r"\d{1,9}", terminals) else None,
        throughput_per_s=None if per_s is None else Figure(per_s),
        latency=_latency({key: _finite(value) for key, value in distribution.items()}),
    )


def _finite(value: Any) -> float | None:
    """A finite JSON number; text such as "NaN" isn't one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return number(repr(float(value))) if abs(value) < 1e18 else None


def _latency(values: Mapping[str, float | None]) -> Latency:
    """Latencies by name; a negative one means that there is none."""

    def ms(name: str) -> float | None:
        for unit, scale in UNITS_MS.items():
            value = values.get(f"{name} {unit}")
            if value is not None and value >= 0:
                return round(value * scale, 6)
        return None

    found = [(quantile, ms(name)) for name, quantile in QUANTILES.items()]
    return Latency(
        ms("Minimum Latency"),
        ms("Average Latency"),
        None,
        ms("Maximum Latency"),
        tuple((quantile, value) for quantile, value in found if value is not None),
    )


def _series(text: Text) -> Found:
    runs: list[tuple[int, list[tuple[float, dict[str, float | None]]]]] = []
    columns: list[str] = []
    other = []
    for place, line in text.numbered():
        if line.startswith(RAW):
            raise text.broken(place, "single requests, not a series", SERIES_EXPECTED)
        if line.startswith(TIME + ","):
            columns = line.strip().split(",")
            if PER_S not in columns:
                raise text.broken(place, f"no column {PER_S}", SERIES_EXPECTED)
            runs.append((place, []))
        elif runs and re.match(r"[-\d]", line):
            row = _row(text, place, line, columns)
            begin_s = row[TIME]
            if begin_s is None or (runs[-1][1] and begin_s <= runs[-1][1][-1][0]):
                raise text.broken(place, "a time that doesn't go on", SERIES_EXPECTED)
            runs[-1][1].append((begin_s, row))
        else:
            other.append(place)
    found = [_series_run(place, rows) for place, rows in runs if rows]
    short = sum(len(rows) == 1 for _, rows in runs)
    notes = [f"{short} of {len(runs)} series have one row: its length isn't known"] if short else []
    return Found(tuple(found), tuple(other), tuple(notes))


def _row(text: Text, place: int, line: str, columns: list[str]) -> dict[str, float | None]:
    values = line.strip().split(",")
    if len(values) != len(columns):
        raise text.broken(
            place,
            f"{len(values)} values for {len(columns)} columns",
            f"{len(columns)} values",
        )
    wrong = next((value for value in values if not re.fullmatch(NUMBER, value, re.I)), None)
    if wrong is not None:
        raise text.broken(place, f"{wrong!r} is not a number", "numbers with commas between them")
    return {name: number(value) for name, value in zip(columns, values, strict=True)}


def _series_run(place: int, rows: list[tuple[float, dict[str, float | None]]]) -> Run:
    """Times mark the beginning of a window; its length is the step to the next."""
    width_s = rows[1][0] - rows[0][0] if len(rows) > 1 else 0.0
    intervals = [
        Interval(round(begin_s + width_s, 6), row[PER_S], _latency(row)) for begin_s, row in rows
    ]
    return Run(line=place, unit="requests", intervals=tuple(intervals) if width_s else ())


FORMAT = Format(
    name="benchbase",
    expects="BenchBase's summary.json, results.csv or samples.csv",
    mark=re.compile(
        r'^\s*(?:\{.*)?"(?:Throughput \(requests/second\)|Latency Distribution)"\s*:'
        r"|^Time \(seconds\),|^Transaction Type Index,"
    ),
    read=_read,
)
