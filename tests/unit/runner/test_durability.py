"""The account of all kills, and its words: what is lost, what is too much, what is not known."""

from __future__ import annotations

import pytest

from dyno.cli.durability_words import head_lines, kill_line, limits, summary_line
from dyno.runner.durability import READ_BACK, Durability, DurabilityPlan, Kill
from dyno.runner.durability.crash import rate_before
from dyno.spec.crash_load import LinkbenchNodes
from dyno.spec.data_check import DataCheck
from dyno.spec.events import Bin, Interval

OK = DataCheck(name="condition 1", says="sums agree", state="ok", bad_rows=0)
BROKEN = DataCheck(name="condition 3", says="no gaps", state="broken", bad_rows=2, example="w_id 1")
UNKNOWN = DataCheck(name="s_ytd", says="sums agree", state="not checked", reason="crashed")


def kill(**changed: object) -> Kill:
    values = {
        "number": 1,
        "after_s": 4.21,
        "ops_per_s": 519.6,
        "connections": 16,
        "acknowledged": 2034,
        "lost": 0,
        "surplus": 3,
        "recovery_s": 1.24,
        "checks": [OK, OK],
    }
    return Kill.model_validate(values | changed)


def durability(*kills: Kill, flush: str | None = "1") -> Durability:
    return Durability(
        server="mariadb-debian",
        product="mariadb",
        version="10.11.6",
        engine="innodb",
        workload="tpcc",
        data="1 warehouse",
        counted="new orders",
        connections=16,
        seed=42,
        settings=dict.fromkeys(READ_BACK) | {"innodb_flush_log_at_trx_commit": flush},
        kills=list(kills),
    )


@pytest.mark.parametrize(("surplus", "ok"), [(-1, False), (0, True), (16, True), (17, False)])
def test_as_many_orders_too_many_as_connections_are_good(surplus: int, ok: bool) -> None:
    assert kill(surplus=surplus).ok is ok
    assert ("NOT OK: surplus" in kill_line(kill(surplus=surplus))) is not ok


@pytest.mark.parametrize(
    "changed",
    [
        {"lost": 1},
        {"checks": [OK, BROKEN]},
        {"checks": [OK, UNKNOWN]},
        {"checks": []},
        {"lost": None, "surplus": None, "failure": "no recovery: it fell over"},
    ],
)
def test_what_is_lost_broken_or_unknown_is_not_ok(changed: dict[str, object]) -> None:
    bad = kill(**changed)
    assert not bad.ok
    assert "NOT OK" in kill_line(bad)
    assert not durability(kill(), bad).ok


def test_no_kill_is_not_ok() -> None:
    assert durability(kill()).ok
    assert not durability().ok
    assert summary_line(durability()).startswith("no kill could be judged")


def test_a_kill_in_words() -> None:
    assert kill_line(kill()) == (
        "kill 1 after 4.2 s, at 520 ops/s: 2,034 acknowledged, 2,034 found, 0 lost, surplus 3; "
        "back in 1.24 s; 2 of 2 checks ok"
    )
    lost = kill(lost=5, incomplete=2, example="w_id 1: no such order", checks=[OK, BROKEN])
    assert kill_line(lost).endswith(
        "2,029 found, 5 lost, surplus 3; back in 1.24 s; 1 of 2 checks ok; NOT OK: lost 5, "
        "2 of them in part, such as w_id 1: no such order; "
        "condition 3: 2 bad rows, such as w_id 1"
    )
    gone = kill(lost=None, surplus=None, recovery_s=None, failure="no recovery: it fell over")
    assert kill_line(gone) == (
        "kill 1 after 4.2 s, at 520 ops/s: 2,034 acknowledged; NOT OK: no recovery: it fell over"
    )


def test_the_sum_of_all_kills_in_words() -> None:
    assert summary_line(durability(kill(), kill(number=2))) == (
        "0 of 4,068 acknowledged new orders lost in 2 kills with innodb_flush_log_at_trx_commit=1"
    )
    lossy = durability(kill(lost=37), kill(acknowledged=10_000), flush="0")
    assert summary_line(lossy) == (
        "lost 37 of 12,034 acknowledged new orders (0.31 %, 95 % Wilson interval 0.22 to 0.42 %) "
        "in 2 kills, 0 to 37 a kill, with innodb_flush_log_at_trx_commit=0"
    )


def test_a_kill_with_nothing_to_lose_counts_among_others_and_not_alone() -> None:
    idle = kill(number=2, acknowledged=0, ops_per_s=0.0)
    both = durability(kill(), idle)
    assert not both.shows_nothing
    assert "0 of 2,034 acknowledged new orders lost in 2 kills" in summary_line(both)
    assert "kill 2 came at less than a tenth of the best rate" in summary_line(both)
    assert durability(idle).shows_nothing
    assert not durability(kill(lost=None, failure="no recovery: it fell over")).shows_nothing


def test_orders_that_nobody_could_look_for_are_not_counted_as_kept() -> None:
    gone = kill(number=2, lost=None, surplus=None, failure="the orders can't be read: crashed")
    words = summary_line(durability(kill(), gone))
    assert words.startswith("0 of 2,034 acknowledged new orders lost in 1 kill with")
    assert words.endswith("nothing was checked after kill 2: the orders can't be read: crashed")
    assert durability(kill(), gone).acknowledged == 2034
    assert "broke a rule" in summary_line(durability(kill(checks=[BROKEN])))


def test_the_kill_of_an_idle_server_says_that_it_shows_little() -> None:
    assert "shows little" not in summary_line(durability(kill(), kill(ops_per_s=52.0)))
    words = summary_line(durability(kill(), kill(number=2, ops_per_s=51.0)))
    assert words.endswith("kill 2 came at less than a tenth of the best rate, and shows little")


def test_settings_are_shown_as_read_back() -> None:
    _, read = head_lines(durability(flush="2"))
    assert "innodb_flush_log_at_trx_commit=2" in read
    assert "sync_binlog=unknown to the server" in read
    assert all(name in read for name in READ_BACK)
    assert "isn't a power failure" in limits(durability())


def test_an_engine_with_a_log_of_its_own_is_judged_by_its_own_setting() -> None:
    myrocks = durability(kill()).model_copy(update={"engine": "ROCKSDB"})
    assert summary_line(myrocks).endswith("rocksdb_flush_log_at_trx_commit=unknown to the server")
    assert "may be lost here with rocksdb_flush_log_at_trx_commit=2 although" in limits(myrocks)


def test_a_graph_in_words() -> None:
    load = LinkbenchNodes(kind="linkbench", ids=20_000)
    plan = DurabilityPlan("x", load=load)
    result = durability(kill()).model_copy(
        update={"workload": load.kind, "data": load.data, "counted": load.counted}
    )
    assert "linkbench with 20,000 ids in innodb, 16 connections" in head_lines(result)[0]
    assert summary_line(result).startswith("0 of 2,034 acknowledged new nodes lost in 1 kill with")
    # 5 MB of nodes, 153 of links and 1 of counts beside the 128 that there always are
    assert plan.all_settings["innodb_buffer_pool_size"] == "286M"


def test_kills_come_at_drawn_times_and_no_load_repeats_another() -> None:
    plan = DurabilityPlan("mariadb-debian", after_s=2.0, seed=7)
    drawn = [plan.draw_after_s(number) for number in range(1, 101)]
    assert drawn == [plan.draw_after_s(number) for number in range(1, 101)]
    assert 1 <= min(drawn) < 1.2 < 2.8 < max(drawn) <= 3
    assert len({plan.ops_seed(number) for number in range(1, 101)}) == 100


def test_a_setting_that_is_given_goes_before_the_tests_own() -> None:
    assert DurabilityPlan("x").all_settings["innodb_flush_log_at_trx_commit"] == 1
    given = DurabilityPlan("x", settings={"Innodb-Flush-Log-At-Trx-Commit": "0"})
    assert given.all_settings["innodb_flush_log_at_trx_commit"] == "0"
    assert len(given.all_settings) == len(DurabilityPlan("x").all_settings)


def interval(index: int, *ended: int) -> Interval:
    bins = [Bin(ended=count, heartbeat_late_ms=0.0) for count in ended]
    t_s = 0.02 + index
    return Interval(
        event="interval", phase="measure", index=index, t_s=t_s, duration_s=1, ops=[], bins=bins
    )


def test_the_rate_at_the_kill_is_that_of_the_second_before() -> None:
    # The load still waits for its server when that is dead: those intervals don't count.
    load = [interval(0, *[90] * 10), interval(1, *[30] * 10), interval(2, *[0] * 10)]
    assert rate_before(load, 2.02) == pytest.approx(300)
    assert rate_before(load, 1.52) == pytest.approx(600)
    assert rate_before(load, 0.52) == pytest.approx(900)
    assert rate_before(load, 3.02) == 0
    assert rate_before([], 3.0) == 0


def test_a_power_cut_in_words() -> None:
    result = durability(kill()).model_copy(update={"crash": "power"})
    assert head_lines(result)[0].endswith(", power cut")
    assert limits(result).startswith("Each kill came right after a cut of the disk's power")
