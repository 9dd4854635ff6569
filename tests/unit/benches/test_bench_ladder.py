"""The ladder: what is run always, what when it is asked for, and percentiles of a histogram."""

from __future__ import annotations

import math

import pytest
from benches.child import Cost, Line
from benches.rows import ROWS, chosen
from benches.tools.sysbench import BUCKET, LEAST_MS, read_report
from test_bench_tools import REPORT

USUAL = {"1_socket", "2_socket", "16_socket", "256_socket"}


def lines(text: str) -> list[Line]:
    return [Line(t, 0.1 * i, 0.1 * i) for i, t in enumerate(text.splitlines())]


def test_a_thinned_ladder_is_run_always_and_all_of_it_by_name() -> None:
    usual = [row.name for row in chosen(ROWS, None) if row.name.startswith("ladder.")]
    assert {name.split(".")[2] for name in usual} == USUAL
    every = chosen(ROWS, "ladder")
    assert len(every) == 4 * 2 * 16 * 3
    assert {row.name.rpartition(".")[2] for row in every} == {"throughput", "p50", "p99"}


def histogram(counts: dict[int, int]) -> str:
    """As sysbench prints it, each bucket named by its middle in ms."""
    rows = [
        f"{LEAST_MS * math.exp(bucket * BUCKET):12.3f} |{'*' * 9}{' ' * 30} {count}"
        for bucket, count in counts.items()
    ]
    head = "Latency histogram (values are in milliseconds)"
    columns = "       value  ------------- distribution ------------- count"
    return "\n".join([head, columns, *rows, " "])


@pytest.mark.parametrize("bucket", [250, 400, 700])
def test_percentiles_lie_between_the_edges_of_their_bucket(bucket: int) -> None:
    text = histogram({bucket: 50, bucket + 10: 49, bucket + 20: 1}) + "\n" + REPORT
    sample = read_report(lines(text), Cost(1, 1, None))

    def middle_us(at: float) -> float:
        return 1e3 * LEAST_MS * math.exp(at * BUCKET)

    assert sample.latency_us_p50 == pytest.approx(middle_us(bucket + 0.5), rel=1e-6)
    assert sample.latency_us_p99 == pytest.approx(middle_us(bucket + 10.5), rel=1e-6)


def test_without_a_histogram_there_is_no_percentile() -> None:
    sample = read_report(lines(REPORT), Cost(1, 1, None))
    assert (sample.latency_us_p50, sample.latency_us_p99) == (None, None)
