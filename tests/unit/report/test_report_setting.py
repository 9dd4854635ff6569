"""The host of the servers, and those that made the load in its place."""

from __future__ import annotations

from load_fixtures import sweep

from dyno.analysis.load.model import LoadHostSeen
from dyno.report.section import Table
from dyno.report.sections.setting import host
from dyno.spec.changed import changed

SEEN = LoadHostSeen(
    name="load1",
    blocks=12,
    round_trip_us=84.2,
    round_trip_p99_us=210,
    bytes_per_s=1.1e9,
    late_us=61.0,
    cpu_busy_pct=41.3,
    generator_cpu_pct=22.0,
    agent_cpu_share_pct=0.414,
)


def test_each_load_host_is_a_row() -> None:
    unknown = LoadHostSeen(name="load2", blocks=0)
    section = host(changed(sweep(), load_hosts=[SEEN, unknown]))
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
    (group,) = table.sheet.groups
    rows = {row.name: [cell.text for cell in row.cells] for row in group.rows}
    way = ["84.2 µs", "210 µs", "1.0 GiB/s", "12", "61.0 µs"]
    assert rows["load1"] == [*way, "41 %", "22 %", "0.41 %"]
    assert rows["load2"] == ["—"] * 3 + ["0"] + ["—"] * 4
