"""The registry is sound and its page is up to date."""

from __future__ import annotations

from pathlib import Path

from dyno.telemetry import COLLECTORS, COLUMNS
from dyno.telemetry.reference import reference

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "telemetry.md"
UNITS = ("_pct", "_bytes", "_per_s", "_ms", "_1min")
COUNTS = {"host_procs_running", "host_procs_blocked", "server_threads", "heartbeat_missed"}


def test_the_page_is_what_the_registry_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "run: python -m dyno.telemetry.reference > docs/reference/telemetry.md"
    )


def test_every_column_is_described_named_by_its_collector_and_ends_with_its_unit() -> None:
    assert len(COLUMNS) == sum(len(collector.columns) for collector in COLLECTORS)
    for collector in COLLECTORS:
        for column in collector.columns:
            assert column.collector == collector.name
            assert column.name.endswith(UNITS) or column.name in COUNTS
            assert column.unit
            assert column.meaning
            assert column.rate or not column.name.endswith("_per_s")
            assert f"| `{column.name}` | {column.unit} |" in reference()
