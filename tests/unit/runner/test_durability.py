"""The account of acknowledged orders, and its words: what is lost, what is too much, what is not
known.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from dyno.cli.durability_words import head_lines, kill_line, limits, summary_line
from dyno.errors import LoadError
from dyno.runner.durability import READ_BACK, Durability, DurabilityPlan, Kill, Nodes
from dyno.runner.durability.crash import rate_before
from dyno.runner.durability.nodes import AcknowledgedNodes
from dyno.runner.durability.orders import Order, counted, read_acknowledged
from dyno.spec.data_check import DataCheck
from dyno.spec.events import Bin, EventLog, Interval, IntervalOp

OK = DataCheck(name="condition 1", says="sums agree", state="ok", bad_rows=0)
BROKEN = DataCheck(name="condition 3", says="no gaps", state="broken", bad_rows=2, example="w_id 1")
UNKNOWN = DataCheck(name="s_ytd", says="sums agree", state="not checked", reason="crashed")
ORDERS: list[Order] = [(1, 1, 3001), (1, 1, 3002), (1, 2, 3001)]


def notes(folder: Path, text: str) -> Path:
    path = folder / "acknowledged.txt"
    path.write_text(text)
    return path


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


def test_the_noted_orders_are_read(tmp_path: Path) -> None:
    assert read_acknowledged(notes(tmp_path, "7 1 1 3001\n8 1 1 3002\n9 1 2 3001\n")) == ORDERS
    assert read_acknowledged(notes(tmp_path, "")) == []


@pytest.mark.parametrize("torn", ["1", "9 1 2", "9 1 2 300", "9 1 2 3001"])
def test_a_last_line_without_its_end_is_not_an_order(tmp_path: Path, torn: str) -> None:
    assert read_acknowledged(notes(tmp_path, f"7 1 1 3001\n8 1 1 3002\n{torn}")) == ORDERS[:2]


@pytest.mark.parametrize(
    "line", ["1 1 1", "9 1 1 x", "9 1 1 -3", "", "9 1 1 3001 1", "9 1  1 3001", "9 1 1 ²"]
)
def test_any_other_line_that_is_not_an_order_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(LoadError, match="line 2"):
        read_acknowledged(notes(tmp_path, f"7 1 1 3001\n{line}\n8 1 1 3002\n"))


def test_orders_that_are_gone_and_orders_without_lines_are_lost() -> None:
    missing = counted([(1, 1, 3002, None, 0), (1, 2, 3001, 7, 6)], ORDERS)
    assert (missing.lost, missing.incomplete) == (2, 1)
    assert missing.example == "w_id 1, d_id 1, o_id 3002: no such order"
    missing = counted([(1, 2, 3001, 7, 6)], ORDERS)
    assert missing.example == "w_id 1, d_id 2, o_id 3001: o_ol_cnt 7, lines 6"
    assert counted([], ORDERS).lost == 0


def test_a_number_that_two_clients_got_is_one_order_lost() -> None:
    missing = counted([], [*ORDERS, ORDERS[1], ORDERS[1]])
    assert (missing.lost, missing.incomplete) == (2, 0)
    assert missing.example == "w_id 1, d_id 1, o_id 3002: acknowledged 3 times"


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


def test_orders_that_nobody_could_look_for_are_not_counted_as_kept() -> None:
    gone = kill(number=2, lost=None, surplus=None, failure="the orders can't be read: crashed")
    words = summary_line(durability(kill(), gone))
    assert words.startswith("0 of 2,034 acknowledged new orders lost in 1 kill with")
    assert words.endswith("nobody could look after kill 2: the orders can't be read: crashed")
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
    assert "with rocksdb_flush_log_at_trx_commit=2 nothing" in limits(myrocks)


@pytest.mark.parametrize(
    ("found", "lost", "surplus", "example"),
    [
        (100, 0, 0, None),
        (103, 0, 3, None),
        (97, 3, 0, "97 new nodes are there"),
        (0, 100, 0, "0 new nodes are there"),
    ],
)
def test_nodes_are_counted(found: int, lost: int, surplus: int, example: str | None) -> None:
    looked = AcknowledgedNodes(100).judged(found)
    assert (looked.lost, looked.incomplete, looked.surplus) == (lost, 0, surplus)
    assert looked.example == example


def test_nodes_that_clients_saw_committed_are_acknowledged(tmp_path: Path) -> None:
    log = EventLog()
    for index, (op, outcome) in enumerate(
        [("add_node", "ok"), ("add_node", "failed:2013"), ("get_node", "ok"), ("add_node", "ok")]
    ):
        ops = [IntervalOp(op=op, outcome=outcome, count=10 + index, histogram="")]
        log.add(interval(index).model_copy(update={"ops": ops}))
    assert Nodes().acknowledged(tmp_path / "none", log, math.inf).count == 10 + 13


def test_a_graph_in_words() -> None:
    plan = DurabilityPlan("x", subject=Nodes(20_000))
    result = durability(kill()).model_copy(
        update={
            "workload": plan.subject.workload,
            "data": plan.subject.data,
            "counted": plan.subject.counted,
        }
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


def test_orders_after_a_cut_do_not_count(tmp_path: Path) -> None:
    path = notes(tmp_path, "1000000000 1 1 3001\n2000000000 1 1 3002\n3000000000 1 2 3001\n")
    assert read_acknowledged(path, before_s=2.5) == ORDERS[:2]


def test_a_power_cut_in_words() -> None:
    result = durability(kill()).model_copy(update={"crash": "power"})
    assert head_lines(result)[0].endswith(", power cut")
    assert limits(result).startswith("Each kill came right after a cut of the disk's power")
