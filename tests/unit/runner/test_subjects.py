"""Orders and nodes that were acknowledged: which are lost, since when, and which are unknown."""

from __future__ import annotations

import math
from pathlib import Path
from typing import get_args

import pytest

from dyno.errors import LoadError
from dyno.runner.subjects import SUBJECTS, Acknowledged, Looked, subject_of
from dyno.runner.subjects.nodes import AcknowledgedNodes, NodeNote, Nodes
from dyno.runner.subjects.orders import AcknowledgedOrders, Order, OrderNote, Orders, counted
from dyno.spec.crash_load import AnyLoad, Ledger, LinkbenchNodes, TpccOrders
from dyno.spec.workload import AnyLoadWorkload

ORDERS: list[Order] = [(1, 1, 3001), (1, 1, 3002), (1, 2, 3001)]
TPCC = Orders(TpccOrders(kind="tpcc", warehouses=2))
GRAPH = Nodes(LinkbenchNodes(kind="linkbench", ids=500))


def notes(folder: Path, text: str) -> Path:
    path = folder / "acknowledged.txt"
    path.write_text(text)
    return path


def orders_in(path: Path, cut_s: float = math.inf) -> list[Order]:
    return [note.order for note in TPCC.acknowledged(path, cut_s).notes]


def test_every_load_has_a_subject() -> None:
    kinds = [get_args(load.model_fields["kind"].annotation)[0] for load in get_args(AnyLoad)]
    assert list(SUBJECTS) == kinds
    assert isinstance(subject_of(TPCC.load), Orders)


def test_a_load_is_a_line_of_words() -> None:
    assert Ledger(ops=["insert", "update"]).words == (
        "ledger with 1,000 rows (insert, update), 8 connections"
    )
    assert TPCC.load.words == "tpcc with 2 warehouses, 8 connections"
    assert GRAPH.load.words == "linkbench with 500 ids, 8 connections"


@pytest.mark.parametrize("load", [Ledger(), TPCC.load, GRAPH.load], ids=lambda load: load.kind)
def test_engine_options_and_notes_reach_dynoload(load: AnyLoad, tmp_path: Path) -> None:
    subject = subject_of(load)
    made = subject.workload("ROCKSDB", "ROW_FORMAT=DYNAMIC", tmp_path / "notes")
    assert (made.kind, notes_of(made)) == (load.kind, str(tmp_path / "notes"))
    assert made.model_dump()["engine"] == "ROCKSDB"
    assert made.model_dump()["create_options"] == "ROW_FORMAT=DYNAMIC"
    assert notes_of(subject.workload("InnoDB", "", None)) is None
    assert subject.tables


def notes_of(workload: AnyLoadWorkload) -> str | None:
    keys = workload.model_dump()
    found: str | None = keys.get("success_file", keys.get("notes_file"))
    return found


def test_the_noted_orders_are_read(tmp_path: Path) -> None:
    assert orders_in(notes(tmp_path, "7 1 1 3001\n8 1 1 3002\n9 1 2 3001\n")) == ORDERS
    assert orders_in(notes(tmp_path, "")) == []
    assert orders_in(tmp_path / "none") == []


@pytest.mark.parametrize("torn", ["1", "9 1 2", "9 1 2 300", "9 1 2 3001"])
def test_a_last_line_without_its_end_is_not_an_order(tmp_path: Path, torn: str) -> None:
    assert orders_in(notes(tmp_path, f"7 1 1 3001\n8 1 1 3002\n{torn}")) == ORDERS[:2]


@pytest.mark.parametrize(
    "line", ["1 1 1", "9 1 1 x", "9 1 1 -3", "", "9 1 1 3001 1", "9 1  1 3001", "9 1 1 ²"]
)
def test_any_other_line_that_is_not_an_order_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(LoadError, match="line 2"):
        orders_in(notes(tmp_path, f"7 1 1 3001\n{line}\n8 1 1 3002\n"))


def test_orders_after_a_cut_do_not_count(tmp_path: Path) -> None:
    path = notes(tmp_path, "1000000000 1 1 3001\n2000000000 1 1 3002\n3000000000 1 2 3001\n")
    assert orders_in(path, 2.5) == ORDERS[:2]


def test_orders_that_are_gone_and_orders_without_lines_are_lost() -> None:
    missing = counted([(1, 1, 3002, None, 0), (1, 2, 3001, 7, 6)], ORDERS)
    assert (missing.lost, missing.incomplete) == (2, 1)
    assert missing.example == "w_id 1, d_id 1, o_id 3002: no such order"
    missing = counted([(1, 2, 3001, 7, 6)], ORDERS)
    assert missing.example == "w_id 1, d_id 2, o_id 3001: o_ol_cnt 7, lines 6"
    assert counted([], ORDERS).lost == 0


def test_the_example_is_the_oldest_order() -> None:
    missing = counted([(1, 1, 3002, None, 0), (1, 2, 3001, None, 0)], ORDERS[::-1])
    assert missing.example == "w_id 1, d_id 2, o_id 3001: no such order"


def test_a_number_that_two_clients_got_is_one_order_lost() -> None:
    missing = counted([], [*ORDERS, ORDERS[1], ORDERS[1]])
    assert (missing.lost, missing.incomplete) == (2, 0)
    assert missing.example == "w_id 1, d_id 1, o_id 3002: acknowledged 3 times"


def test_lost_orders_have_their_time_and_others_are_surplus() -> None:
    noted = [OrderNote(1.0 + n / 10, order) for n, order in enumerate(ORDERS)]
    looked = AcknowledgedOrders(noted, 2.0).judged(counted([(1, 2, 3001, None, 0)], ORDERS), 5)
    assert (looked.lost, looked.surplus, looked.lost_s) == (1, 3, pytest.approx(0.8))
    assert moments(looked) == [(0.85, 1, 1)]
    kept = AcknowledgedOrders(noted, math.inf).judged(counted([], ORDERS), 3)
    assert (kept.lost, kept.surplus, kept.lost_s, kept.moments) == (0, 0, None, [])


def moments(looked: Looked) -> list[tuple[float, int, int]]:
    """Those in which something was lost: when, and of how much."""
    return [(m.before_s, m.acknowledged, m.lost) for m in looked.moments if m.lost]


def nodes(*ids: int, cut_s: float = math.inf) -> AcknowledgedNodes:
    """One a tenth of a second, from second 1 on."""
    return AcknowledgedNodes([NodeNote(1 + n / 10, id_) for n, id_ in enumerate(ids)], cut_s)


@pytest.mark.parametrize(
    ("there", "lost", "surplus", "example"),
    [
        ({501, 502, 503}, 0, 0, None),
        ({501, 502, 503, 504, 507}, 0, 2, None),
        ({501, 503}, 1, 0, "id 502: no such node"),
        ({501, 503, 504}, 1, 1, "id 502: no such node"),
        (set(), 3, 0, "id 501: no such node"),
    ],
)
def test_nodes_are_looked_for_by_their_ids(
    there: set[int], lost: int, surplus: int, example: str | None
) -> None:
    looked = nodes(501, 502, 503).judged(there)
    assert (looked.lost, looked.incomplete, looked.surplus) == (lost, 0, surplus)
    assert looked.example == example


def test_a_node_after_the_cut_is_neither_lost_nor_unknown() -> None:
    """It was in flight: whether it is there, nobody may say."""
    cut: Acknowledged = nodes(501, 502, 503, cut_s=1.15)
    assert cut.count == 2
    looked = nodes(501, 502, 503, cut_s=1.15).judged({501, 503})
    assert (looked.lost, looked.surplus, looked.lost_s) == (1, 0, pytest.approx(0.05))
    assert nodes(501, 502, 503, cut_s=1.15).judged({501, 502}).lost == 0


def test_an_id_that_two_clients_got_is_one_node_lost() -> None:
    looked = nodes(501, 502, 501).judged({501, 502})
    assert (looked.lost, looked.example) == (1, "id 501: acknowledged 2 times")


def test_without_a_cut_the_last_one_is_the_end() -> None:
    looked = nodes(501, 502, 503, 504).judged({501, 502})
    assert looked.lost_s == pytest.approx(0.1)
    assert sum(lost for _, _, lost in moments(looked)) == 2


def test_the_noted_nodes_are_read(tmp_path: Path) -> None:
    path = notes(tmp_path, "1000000000 501\n2000000000 502\n3000000000 5")
    found = GRAPH.acknowledged(path, 1.5)
    assert found.notes == [NodeNote(1.0, 501), NodeNote(2.0, 502)]
    assert found.count == 1
    for line in ("1 501 2", "1", "1 x"):
        with pytest.raises(LoadError, match="line 1 of dynoload's notes"):
            GRAPH.acknowledged(notes(tmp_path, f"{line}\n"), math.inf)
