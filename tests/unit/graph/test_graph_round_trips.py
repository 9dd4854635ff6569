"""What is written in a tool's form is read back as it was, for whatever figures."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dyno.errors import SpecError
from dyno.graph.formats import FORMATS, format_of
from dyno.graph.model import Found
from dyno.graph.quantiles import quantiles_of
from dyno.graph.text import Text

MS = st.integers(1, 10**9).map(lambda n: n / 1000)
CENTS = st.integers(0, 10**9).map(lambda n: n / 100)
THREADS = st.integers(1, 10**5)


def found(lines: list[str]) -> Found:
    text = Text.decode("x", "\n".join(lines).encode())
    return format_of(text, None).read(text)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "innodb", "memory:max_rows=5"]),
            st.tuples(MS, MS, MS).map(sorted),
            THREADS,
            st.integers(1, 10**6),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_mysqlslap(rows: list[tuple[str, list[float], int, int]]) -> None:
    lines = [
        f"{engine},mixed,{mean:.3f},{low:.3f},{high:.3f},{clients},{queries}"
        for engine, (low, mean, high), clients, queries in rows
    ]
    runs = found(lines).runs
    assert len(runs) == len(rows)
    for run, (engine, (low, mean, high), clients, queries) in zip(runs, rows, strict=True):
        assert (run.arm, run.connections) == (engine, clients)
        assert run.seconds is not None
        assert run.throughput_per_s is not None
        assert (run.seconds.low, run.seconds.value, run.seconds.high) == (low, mean, high)
        assert run.throughput_per_s.value * mean - clients * queries < 1e-6 * clients * queries


@given(
    st.lists(
        st.tuples(THREADS, st.lists(st.tuples(CENTS, CENTS), min_size=1, max_size=5)),
        min_size=1,
        max_size=4,
    )
)
def test_sysbench_loops(loop: list[tuple[int, list[tuple[float, float]]]]) -> None:
    lines = []
    for threads, seconds in loop:
        lines += ["$ sysbench run", "sysbench 1.0.20 (using x)", f"Number of threads: {threads}"]
        lines += [
            f"[ {t}s ] thds: {threads} tps: {tps:.2f} qps: 0.00 (r/w/o: 0.00/0.00/0.00) "
            f"lat (ms,95%): {ms:.2f} err/s: 0.00 reconn/s: 0.00"
            for t, (tps, ms) in enumerate(seconds, 1)
        ]
    read = found(lines)
    assert len(read.other_lines) == len(loop)
    assert [run.connections for run in read.runs] == [threads for threads, _ in loop]
    for run, (_, seconds) in zip(read.runs, loop, strict=True):
        values = [(each.throughput_per_s, each.latency.at(0.95)) for each in run.intervals]
        assert values == seconds


@given(st.lists(st.tuples(CENTS, MS), min_size=1, max_size=8))
def test_pgbench_progress(seconds: list[tuple[float, float]]) -> None:
    lines = [
        f"progress: {t}.0 s, {tps:.2f} tps, lat {ms:.3f} ms stddev 0.100, 0 failed"
        for t, (tps, ms) in enumerate(seconds, 1)
    ]
    (run,) = found(lines).runs
    assert [each.throughput_per_s for each in run.intervals] == [tps for tps, _ in seconds]
    assert [each.latency.mean_ms for each in run.intervals] == [
        ms if tps else None for tps, ms in seconds
    ]


@given(st.lists(st.tuples(CENTS, MS), min_size=2, max_size=8), st.integers(1, 60))
def test_benchbase_series(windows: list[tuple[float, float]], width_s: int) -> None:
    lines = ["Time (seconds),Throughput (requests/second),95th Percentile Latency (millisecond)"]
    lines += [f"{i * width_s},{per_s:.3f},{ms:.3f}" for i, (per_s, ms) in enumerate(windows)]
    (run,) = found(lines).runs
    assert [each.end_s for each in run.intervals] == [
        (i + 1) * width_s for i in range(len(windows))
    ]
    assert [(e.throughput_per_s, e.latency.at(0.95)) for e in run.intervals] == windows


@given(st.dictionaries(MS, st.integers(1, 5000), min_size=1, max_size=40))
def test_quantiles_are_those_of_the_single_values(histogram: dict[float, int]) -> None:
    values = sorted(value for value, count in histogram.items() for _ in range(count))
    for quantile, value in quantiles_of(histogram):
        upto = sum(each <= value for each in values)
        below = sum(each < value for each in values)
        assert below < quantile * len(values) <= upto + 1e-6
        assert round(len(values) * (1 - quantile), 6) >= 100


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400))
def test_any_text_is_read_or_refused(content: str) -> None:
    for each in FORMATS:
        said = "x"
        try:
            assert isinstance(each.read(Text.decode("x", content.encode())), Found)
        except SpecError as error:
            said = error.message
        assert said.startswith("x")
