"""Load experiments: sweeps, points, orders and claims about them; mistakes are one line."""

from __future__ import annotations

import tomllib
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spec_samples import CLAIM, GOOD, LOAD

from dyno.errors import SpecError
from dyno.spec.cost import estimate
from dyno.spec.plan import Options, Plan, Point, Quantity, Turn, make_plan
from dyno.spec.read import parse_experiment
from dyno.spec.wording import asks


def plan(text: str = LOAD, **options: Any) -> Plan:
    experiment = parse_experiment(tomllib.loads(text), source="x.toml")
    return make_plan(experiment, Options.model_validate({"control": False} | options), name="x")


def changed(old: str, new: str, text: str = LOAD) -> str:
    assert old in text
    return text.replace(old, new, 1)


def refused(text: str, **options: Any) -> SpecError:
    with pytest.raises(SpecError) as caught:
        plan(text, **options)
    assert "\n" not in caught.value.message
    return caught.value


RATES = changed("connections = [1, 8, 64]", "rate = [500.0, 1000]").replace(
    "connections = [1, 8]", "rate = [50]"
)
ONE = changed("[sweep]\nconnections = [1, 8, 64]\n", "").replace("connections = [1, 8]\n", "")


def test_points_are_the_levels_of_the_sweep() -> None:
    assert plan().points == [Point(connections=n) for n in (1, 8, 64)]
    assert plan(RATES).points == [
        Point(connections=1, rate_per_s=500),
        Point(connections=1, rate_per_s=1000),
    ]
    fixed = changed("[protocol]", "[protocol]\nconnections = 16\nrate = 250.5", ONE)
    assert plan(fixed).points == [Point(connections=16, rate_per_s=250.5)]


@pytest.mark.parametrize(
    ("point", "label"),
    [
        (Point(connections=1), "1 connection"),
        (Point(connections=1024), "1,024 connections"),
        (Point(connections=64, rate_per_s=1000), "1,000 ops/s"),
        (Point(connections=64, rate_per_s=0.25), "0.25 ops/s"),
        (Point(connections=64, rate_per_s=2_500_000), "2,500,000 ops/s"),
    ],
)
def test_a_point_is_named_by_its_level(point: Point, label: str) -> None:
    assert point.label == label


def test_quick_and_the_command_line_replace_the_levels() -> None:
    assert [p.connections for p in plan(quick=True).points] == [1, 8]
    assert [p.connections for p in plan(quick=True, connections=(3,)).points] == [3]
    assert [p.connections for p in plan(connections=(2, 4)).points] == [2, 4]
    assert [p.rate_per_s for p in plan(RATES, quick=True).points] == [50]
    assert plan(quick=True).protocol.duration == 2
    assert plan(quick=True, duration_s=7).protocol.duration == 7
    assert plan(GOOD, connections=(3,)).points == [Point(connections=3)]


def test_the_scale_multiplies_table_size() -> None:
    assert plan(quick=True).workload.model_dump()["table_size"] == 500
    assert plan(scale=3).workload.model_dump()["table_size"] == 3000
    error = refused(LOAD, scale=0.01)
    assert "table_size is 10" in error.message
    assert "--scale" in (error.hint or "")


def test_bulk_insert_has_a_table_for_each_connection_of_the_largest_point() -> None:
    text = changed('"oltp_read_write"', '"bulk_insert"')
    assert plan(text).workload.model_dump()["tables"] == 64
    assert plan(text, quick=True).workload.model_dump()["tables"] == 8
    many = text.replace("tables = 4", "tables = 100")
    assert plan(many).workload.model_dump()["tables"] == 100
    assert plan().workload.model_dump()["tables"] == 4


def test_an_engine_is_one_word() -> None:
    error = refused(changed('name = "b"', 'name = "b"\nengine = "InnoDB ROW_FORMAT=COMPRESSED"'))
    assert "arm 'b'" in error.message
    assert "create_options" in (error.hint or "")


def test_servers_live_for_a_block_where_there_is_a_sweep() -> None:
    assert plan().protocol.restart == "block"
    assert plan(ONE).protocol.restart == "trial"
    assert plan(ONE, connections=(1, 2)).protocol.restart == "block"
    assert plan(changed("[protocol]", '[protocol]\nrestart = "trial"')).protocol.restart == "trial"


def test_fresh_server_is_still_understood() -> None:
    kept = GOOD + "[protocol]\nfresh_server = false\n"
    assert plan(kept).protocol.restart == "never"
    assert plan(GOOD + "[protocol]\nfresh_server = true\n").protocol.restart == "trial"
    assert "say the same" in refused(kept + 'restart = "block"\n').message


@given(st.integers(min_value=0, max_value=2**63 - 1))
@settings(max_examples=25, deadline=None)
def test_a_block_holds_every_arm_at_every_point_and_arms_stand_together(seed: int) -> None:
    made = plan(seed=seed, blocks=9)
    assert len(made.orders) == 9
    for order in made.orders:
        assert len(order) == made.block_trials == len(set(order)) == 6
        pairs = [order[i : i + 2] for i in range(0, 6, 2)]
        assert all(first.point == second.point for first, second in pairs)
    numbers = [
        made.trial_number(block=block, position=position)
        for block, order in enumerate(made.orders)
        for position in range(len(order))
    ]
    assert numbers == list(range(1, 55))
    assert plan(seed=seed, blocks=12).orders[:9] == made.orders


def test_points_come_in_random_order() -> None:
    firsts = {order[0].point for order in plan(blocks=60).orders}
    assert firsts == {0, 1, 2}


def test_a_load_compares_throughput_first_and_tails_besides() -> None:
    made = plan()
    assert made.is_load
    assert made.ops == ["oltp_read_write"]
    assert made.statements == []
    compared = [(c.metric, c.point, c.primary) for c in made.comparisons]
    assert compared == [("throughput", n, True) for n in range(3)] + [
        ("p95", n, False) for n in range(3)
    ]
    assert {(c.numerator.arm, c.denominator.arm) for c in made.comparisons} == {("b", "a")}


def test_claims_make_their_comparisons_the_primary_ones() -> None:
    made = plan(LOAD + CLAIM + CLAIM.replace("at = 8", 'at = 64\nmetric = "p99"'))
    primary = [c.numerator for c in made.comparisons if c.primary]
    assert primary == [
        Quantity(arm="b", op="oltp_read_write", point=1, metric="throughput"),
        Quantity(arm="b", op="oltp_read_write", point=2, metric="p99"),
    ]
    assert [made.comparisons[p.comparison or 0].metric for p in made.claims] == [
        "throughput",
        "p99",
    ]
    assert [p.claim.metric for p in made.claims] == ["throughput", "p99"]
    assert asks(made.claims[0]) == "throughput of b / a at 8 connections"


def test_a_claim_about_each_level_is_planned_for_each_point() -> None:
    made = plan(LOAD + CLAIM.replace("at = 8", 'at = "each"'))
    assert [p.claim.says for p in made.claims] == [
        "b does more (at 1 connection)",
        "b does more (at 8 connections)",
        "b does more (at 64 connections)",
    ]
    assert [p.claim.at for p in made.claims] == [1, 8, 64]
    indices = [made.comparisons[p.comparison or 0].point for p in made.claims]
    assert indices == [0, 1, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Stored plans go through this; a wrong type warns there.
        assert Plan.model_validate_json(made.model_dump_json()) == made


def test_claims_about_levels_left_out_are_named_not_lost() -> None:
    made = plan(LOAD + CLAIM, connections=(1, 2))
    assert made.claims == []
    assert [claim.says for claim in made.left_out_claims] == ["b does more"]
    assert all(c.primary == (c.metric == "throughput") for c in made.comparisons)


def test_a_claim_about_an_arm_left_out_is_counted_once() -> None:
    text = LOAD + '[[arm]]\nname = "c"\nserver = "path"\n' + CLAIM.replace("at = 8", 'at = "each"')
    made = plan(text, arms=("a", "c"))
    assert [claim.says for claim in made.left_out_claims] == ["b does more"]


def test_without_a_sweep_a_claim_is_about_the_one_point() -> None:
    claim = CLAIM.replace("at = 8\n", "")
    (planned,) = plan(ONE + claim).claims
    assert (planned.comparison, planned.at_label) == (0, "")
    assert plan(ONE + claim, connections=(2,)).claims == []
    sweep_of_one = changed("[1, 8, 64]", "[8]", LOAD) + claim
    assert len(plan(sweep_of_one).claims) == 1


def test_status_claims_have_a_point_too() -> None:
    claim = '[[claim]]\nsays = "s"\nstatus = "Com_commit"\nof = "b"\nat = 64\nat_least = 1\n'
    (planned,) = plan(LOAD + claim).claims
    assert planned.quantity is not None
    assert planned.quantity.point == 2
    assert asks(planned) == "Com_commit of b at 64 connections"


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("connections = [1, 8, 64]", "", "found neither", "connections = "),
        ("connections = [1, 8, 64]", "connections = [1]\nrate = [1.0]", "found both", "one of"),
        ("[1, 8, 64]", "[1, 8, 1]", "sweep: the level 1 is given twice", "keep one"),
        ("[1, 8, 64]", "[0]", "sweep.connections[1]", None),
        ("[1, 8, 64]", "[20000]", "sweep.connections[1]", None),
        ("connections = [1, 8, 64]", "rates = [1]", "unknown key 'sweep.rates'", "'rate'"),
        ("[protocol]", "[protocol]\nconnections = 2", "both say how many", "keep one"),
        ("[protocol]", "[protocol]\nrate = 5.0", "two load models", "sweep.rate"),
        ("[protocol]", '[protocol]\narrivals = "fixed"', "there is none", "add rate"),
        ("[protocol]", '[protocol]\nthink_is = "constant"', "there is none", "add think"),
        ("[protocol]", '[protocol]\nthink = "0s"', "protocol.think", None),
        ("[protocol]", '[protocol]\nrestart = "blok"', "'blok'", "did you mean 'block'?"),
        ("[protocol]", "[protocol]\nrounds = 2", "protocol.rounds is for statements", "duration"),
        ("[protocol]", "[protocol]\nexpected_trial = 2", "expected_trial is for st", "duration"),
        ('"20s"', '"0.4s"', "protocol.duration", None),
        ("[quick]", '[quick]\nstatements = ["q"]', "quick.statements is for", "no named ones"),
        ("connections = [1, 8]\n", "rate = [2.0]\n", "quick.rate replaces", "leave it out"),
    ],
)
def test_a_mistake_is_named(old: str, new: str, message: str, hint: str | None) -> None:
    error = refused(changed(old, new))
    assert message in error.message
    assert (hint or "") in (error.hint or "")


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ("rate = 5.0", "protocol.rate and sweep.rate"),
        ('think = "1ms"', "protocol.think has no effect with a rate"),
    ],
)
def test_a_sweep_of_rates_is_an_open_load(new: str, message: str) -> None:
    assert message in refused(changed("[protocol]", f"[protocol]\n{new}", RATES)).message


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ('[protocol]\nduration = "5s"', "protocol.duration is for load workloads"),
        ('[protocol]\nthink = "5ms"', "protocol.think is for load workloads"),
        ("[protocol]\nrate = 5.0", "protocol.rate is for load workloads"),
        ('[quick]\nduration = "5s"', "quick.duration is for load workloads"),
        ("[sweep]\nconnections = [1, 2]", "a sweep needs a load workload"),
    ],
)
def test_statements_have_no_load_model(added: str, message: str) -> None:
    assert message in refused(GOOD + added + "\n").message


@pytest.mark.parametrize(
    ("text", "old", "new", "message", "hint"),
    [
        (LOAD + CLAIM, "at = 8", "at = 7", "no level 7", "known: 1, 8, 64"),
        (LOAD + CLAIM, "at = 8", 'at = "all"', "at is 'all'", '"each"'),
        (LOAD + CLAIM, "at = 8\n", "", "names no level", 'at = "each"'),
        (LOAD + CLAIM, "at = 8", 'at = 8\nmetric = "time"', "no metric 'time'", "throughput"),
        (LOAD + CLAIM, "at = 8", 'at = 8\nmetric = "p98"', "no 'p98'", "p9"),
        (LOAD + CLAIM, "at = 8", 'at = 8\nop = "oltp"', "there is no op 'oltp'", "oltp_read_w"),
        (ONE + CLAIM, "at = 8", "at = 8", "there is no sweep", "leave at out"),
        (GOOD, 'op = "q"', 'op = "q"\nmetric = "p99"', "no metric 'p99'", "known: time"),
    ],
)
def test_claims_are_checked(text: str, old: str, new: str, message: str, hint: str) -> None:
    error = refused(changed(old, new, text))
    assert message in error.message
    assert hint in (error.hint or "")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (RATES, {"connections": (4,)}, "sweeps over a rate"),
        (GOOD, {"connections": (1, 2)}, "needs a load workload"),
        (
            changed("[protocol]", "[protocol]\nrate = 5.0", ONE),
            {"connections": (1, 2)},
            "protocol.rate",
        ),
        (GOOD, {"duration_s": 5}, "--duration is for load workloads"),
    ],
)
def test_options_that_do_not_suit_are_refused(
    text: str, options: dict[str, Any], message: str
) -> None:
    assert message in refused(text, **options).message


def test_the_cost_of_a_load_is_its_phases_and_restarts() -> None:
    cost = estimate(plan())
    assert cost.trial_s == 25.5
    assert not cost.trial_is_guessed
    assert cost.block_s == 2 * 3 * 25.5 + 2 * 3
    fresh = estimate(plan(changed("[protocol]", '[protocol]\nrestart = "trial"')))
    assert (fresh.trial_s, fresh.block_s) == (28.5, 2 * 3 * 28.5)
    kept = estimate(plan(changed("[protocol]", '[protocol]\nrestart = "never"')))
    assert kept.block_s == 2 * 3 * 25.5
    unprofiled = estimate(plan(changed("[protocol]", "[protocol]\nprofile = false")))
    assert 25 < unprofiled.trial_s < 25.2


def test_the_cost_counts_rows_and_indexes() -> None:
    # A row of 188 bytes with InnoDB's overhead, and an entry of the index on k.
    assert plan().workload.size_bytes == pytest.approx(4 * 1000 * 227, rel=0.01)
    bare = changed("tables = 4", "tables = 4\ncreate_secondary = false")
    assert plan(bare).workload.size_bytes < plan().workload.size_bytes
    empty = changed('"oltp_read_write"', '"bulk_insert"')
    assert plan(empty).workload.size_bytes == 0


@pytest.mark.parametrize("text", [LOAD, RATES, ONE, LOAD + CLAIM])
def test_the_plan_survives_its_file(text: str) -> None:
    made = plan(text)
    assert Plan.model_validate_json(made.model_dump_json()) == made


def test_a_plan_of_schema_1_is_read() -> None:
    old = plan(GOOD).model_dump(mode="json", exclude={"plan_schema"})
    old["orders"] = [[turn["arm"] for turn in order] for order in old["orders"]]
    for key in ("connections", "duration_s"):
        del old["options"][key]
    del old["points"][0]["rate_per_s"]
    new_keys = ("restart", "warmup", "duration", "rate", "arrivals", "think", "think_is")
    old["protocol"] = {k: v for k, v in old["protocol"].items() if k not in new_keys}
    old["protocol"]["fresh_server"] = False
    for pair in old["comparisons"]:
        pair["numerator"] = {k: pair["numerator"][k] for k in ("arm", "op")}
        pair["denominator"] = {k: pair["denominator"][k] for k in ("arm", "op")}
    for planned in old["claims"]:
        del planned["at_label"], planned["claim"]["metric"], planned["claim"]["at"]
    read = Plan.model_validate(old)
    assert read.protocol.restart == "never"
    assert read.orders == plan(GOOD).orders
    assert isinstance(read.orders[0][0], Turn)
    assert read.comparisons == plan(GOOD).comparisons
    assert read.points == [Point(connections=1)]
