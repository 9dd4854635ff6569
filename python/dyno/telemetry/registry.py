"""All collectors and columns. A new collector has its own file and a line here.

Not a factory: the runner makes the collectors that a trial needs.
"""

from __future__ import annotations

from dyno.telemetry.collector import Column
from dyno.telemetry.heartbeat import Heartbeat
from dyno.telemetry.host import HostCollector
from dyno.telemetry.server import ServerCollector

COLLECTORS = (
    HostCollector,
    ServerCollector,
    Heartbeat,
)

COLUMNS: dict[str, Column] = {
    column.name: column for collector in COLLECTORS for column in collector.columns
}
