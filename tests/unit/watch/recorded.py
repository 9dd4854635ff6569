"""Readings of real servers, as tests/live/watch/record.py wrote them down."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dyno.watch import Job, Reading, Waiting
from dyno.watch.phases import Build

FOLDER = Path(__file__).parent / "recordings"


@dataclass(frozen=True)
class Recording:
    """A statement on a server: its readings with their times, and how long it took."""

    name: str
    sql: str
    total_s: float
    readings: list[tuple[float, Reading]]


def recordings() -> list[Recording]:
    return [_read(path) for path in sorted(FOLDER.glob("*.jsonl.gz"))]


def _read(path: Path) -> Recording:
    said, *lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    readings = [(float(line.pop("t_s")), _reading(line)) for line in lines]
    return Recording(path.name.removesuffix(".jsonl.gz"), said["sql"], said["total_s"], readings)


def _reading(line: dict[str, Any]) -> Reading:
    line["jobs"] = tuple(_job(job) for job in line["jobs"])
    line["waiting"] = tuple(Waiting(**waiting) for waiting in line["waiting"])
    return Reading(**line)


def _job(job: dict[str, Any]) -> Job:
    return Job(**job | {"build": Build(**job["build"]) if job["build"] else None})
