"""From a finished run to named causes: factors, rows, what is measured next, and the words."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from spec_samples import GOOD, LOAD
from stored_runs import SETTINGS, plan_of, run_of, stored_run
from why_targets import target

from dyno.analysis import find
from dyno.analysis.why import (
    Causes,
    Found,
    WhyJudge,
    choose,
    explained,
    find_causes,
    find_factors,
    sides,
    whole,
    why_plan,
)
from dyno.analysis.why.model import CauseRead
from dyno.analysis.why.plan import differ_beyond_settings
from dyno.analysis.why.rows import arm_of, names_of
from dyno.errors import SpecError, StoreError
from dyno.report.causes import causes_html, causes_markdown, shares
from dyno.spec.changed import changed
from dyno.spec.experiment import Arm
from dyno.spec.plan import Plan
from dyno.spec.why import Factor
from dyno.store.files import write_json
from dyno.store.run import RunFolder, RunState
from dyno.store.trial import ServerRead, Trial

pytestmark = pytest.mark.slow

SAME = GOOD.replace('server = "mysql-5.6.24"', 'server = "mariadb-10.1.8"')


def arm(name: str, **changes: object) -> Arm:
    return Arm.model_validate({"name": name, "server": "m"} | changes)


def factors_of(
    read: dict[str, dict[str, str]], known: str = "a b log_bin optimizer_switch", **arms: Arm
) -> Found:
    first, second = arms.get("first", arm("x")), arms.get("second", arm("y", server="other"))
    return find_factors(first, second, read, dict.fromkeys(("x", "y"), known.split()))


def test_what_differs_and_can_be_set_on_both_is_a_factor() -> None:
    read = {"x": {"a": "1", "b": "2", "c": "1"}, "y": {"a": "2", "b": "2", "c": "2"}}
    found = factors_of(read)
    assert [(f.name, f.first, f.second) for f in found.factors] == [("a", {"a": "1"}, {"a": "2"})]
    assert found.left == ["c"]


def test_what_one_program_derives_from_its_settings_is_no_factor() -> None:
    read = {"x": {"a": "1", "b": "1"}, "y": {"a": "2", "b": "2"}}
    (found,) = factors_of(read, second=arm("y", settings={"a": 2})).factors
    assert found.name == "a"


def test_each_switch_of_a_list_is_a_factor_where_both_know_it() -> None:
    read = {
        "x": {"optimizer_switch": "mrr=on,old=on,same=on"},
        "y": {"optimizer_switch": "mrr=off,same=on,new=off"},
    }
    (found,) = factors_of(read).factors
    assert (found.name, found.first) == ("optimizer_switch.mrr", {"optimizer_switch": "mrr=on"})
    assert sides(found) == ("on", "off")


def test_settings_of_one_mechanism_are_one_factor() -> None:
    names = "tmp_table_size max_heap_table_size"
    read = {"x": dict.fromkeys(names.split(), "1"), "y": dict.fromkeys(names.split(), "2")}
    (found,) = factors_of(read, names).factors
    assert found.name == "max_heap_table_size with tmp_table_size"
    assert found.second == {"max_heap_table_size": "2", "tmp_table_size": "2"}
    assert found.merged == "they are one mechanism"


def test_the_binary_log_is_written_as_servers_take_it() -> None:
    read = {"x": {"log_bin": "OFF"}, "y": {"log_bin": "ON"}}
    (found,) = factors_of(read).factors
    assert found.first == {"skip_log_bin": 1}
    assert found.second == {"log_bin": "binlog", "server_id": 1}


def test_what_an_arm_sets_in_its_session_is_set_there() -> None:
    read = {"x": {"a": "1"}, "y": {"a": "2"}}
    (found,) = factors_of(read, second=arm("y", session={"a": 2})).factors
    assert (found.first, found.first_session, found.second_session) == ({}, {"a": "1"}, {"a": "2"})


def test_an_allocator_is_a_factor_and_rows_have_it() -> None:
    arms = [arm("x"), arm("y", allocator="jemalloc", tmpdir="memory")]
    found = factors_of({"x": {}, "y": {}}, first=arms[0], second=arms[1])
    assert [f.name for f in found.factors] == ["allocator", "tmpdir"]
    assert sides(found.factors[0]) == ("not set", "jemalloc")
    wanted = target(factors=found.factors, server=False)
    made = arm_of("BA", wanted, *arms)
    assert (made.allocator, made.tmpdir) == ("jemalloc", "disk")
    made = arm_of("AB", wanted, *arms)
    assert (made.allocator, made.tmpdir) == (None, "memory")


def test_tables_are_a_factor_unless_their_engine_is_a_plugin() -> None:
    first, second = arm("x", engine="Aria"), arm("y", create_options="ROW_FORMAT=COMPRESSED")
    (found,) = factors_of({"x": {}, "y": {}}, first=first, second=second).factors
    assert found.name == "engine with create_options"
    assert sides(found)[0] == "engine = Aria, create_options = not set"
    assert not differ_beyond_settings(first, second)
    plugin = arm("y", engine="RocksDB", plugins=["ha_rocksdb"])
    assert factors_of({"x": {}, "y": {}}, first=first, second=plugin).factors == []
    assert differ_beyond_settings(first, plugin)


def test_a_character_set_goes_with_its_collation() -> None:
    names = "character_set_server collation_server"
    read = {"x": dict.fromkeys(names.split(), "1"), "y": dict.fromkeys(names.split(), "2")}
    (found,) = factors_of(read, names).factors
    assert found.name == "character_set_server with collation_server"


def test_a_row_sets_each_factor_and_keeps_the_rest_of_its_servers_arm() -> None:
    first = arm("a", settings={"own": 1, "a": 7}, engine="Aria")
    second = arm("b", server="n", settings={"log_bin": "old", "theirs": 2})
    assert names_of(target()) == ("a", "bin", "the servers")
    assert arm_of("AAA", target(), first, second) is first
    assert arm_of("BBB", target(), first, second) is second
    made = arm_of("BAA", target(), first, second)
    assert made.settings == {"own": 1, "a": "2", "skip_log_bin": 1}
    assert (made.name, str(made.server), made.engine) == ("row BAA", "m", "Aria")
    other = arm_of("ABB", target(), first, second)
    assert other.settings == {"theirs": 2, "a": "1", "log_bin": "x", "server_id": 1}
    assert (str(other.server), other.engine) == ("n", None)


def source(path: Path, ratio: float, text: str = SAME) -> RunFolder:
    drawn = random.Random(7)

    def seconds(name: str, block: int) -> float:
        return (ratio if name == "b" else 1.0) * math.exp(drawn.gauss(0, 0.002))

    return stored_run(path, seconds, blocks=12, plan=plan_of(text))


def test_the_largest_difference_is_explained_unless_another_is_asked_for(tmp_path: Path) -> None:
    findings = find(source(tmp_path, 1.3))
    chosen = choose(findings)
    assert (chosen.numerator_arm, chosen.denominator_arm) == ("b", "a")
    with pytest.raises(SpecError, match="no such comparison"):
        choose(findings, op="other")


def test_without_a_difference_there_is_nothing_to_explain(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no difference to explain"):
        choose(find(source(tmp_path, 1.0)))


def test_the_time_of_a_load_is_explained_by_loads_of_every_row(tmp_path: Path) -> None:
    both = [{"arm": name, "op": "q", "metric": "load_time"} for name in ("b", "a")]
    wanted = target(comparison=dict(zip(("numerator", "denominator"), both, strict=True)))
    made = why_plan(plan_of(LOAD), 0, wanted, budget_s=60)
    assert made.protocol.loads > 200
    assert (made.protocol.warmup, made.protocol.duration) == (0, 3)
    plain = why_plan(plan_of(LOAD), 0, target(), budget_s=60).protocol
    assert (plain.loads, plain.profile) == (0, False)


def test_a_trial_of_a_search_is_as_long_as_the_slices_of_a_block() -> None:
    sliced = plan_of(LOAD.replace("[protocol]", "[protocol]\nslices = 4"))
    made = why_plan(sliced, 0, target(), budget_s=60).protocol
    assert (made.slices, made.duration, made.rounds) == (1, 4 * sliced.protocol.duration, 4)


@pytest.mark.parametrize(
    ("point", "said"),
    [
        ("", "(q, by time)"),
        ("8 connections", "(q, 8 connections, by time)"),
        ("q, 8 x", "(q, 8 x, by time)"),
    ],
)
def test_a_difference_is_said_with_its_point(point: str, said: str) -> None:
    assert whole(target(point=point)) == f"b needs 22 % more time than a {said}."


def test_the_event_of_a_script_is_said_by_the_scripts_name() -> None:
    for point, said in (("scan, 8 connections", "(scan, 8 connections, by time)"), ("", "(event,")):
        whole_of = target(point=point)
        event = changed(whole_of.comparison.numerator, op="event")
        words = whole(changed(whole_of, comparison=changed(whole_of.comparison, numerator=event)))
        assert f"than a {said}" in words


def test_a_search_may_have_as_many_trials_as_its_budget() -> None:
    plan = plan_of(SAME)
    assert plan.trials_most == plan.looks[-1] * 2
    assert why_plan(plan, 0, target(), budget_s=60).trials_most == 500


def test_a_load_is_explained_only_on_demand(tmp_path: Path) -> None:
    findings = find(source(tmp_path, 1.3))
    load = [changed(c, metric="load_time") for c in findings.compared]
    assert choose(changed(findings, compared=load), metric="load_time").metric == "load_time"
    for other in (None, "throughput"):
        with pytest.raises(SpecError, match="no such comparison"):
            choose(changed(findings, compared=load), metric=other)


PLANTED = {"s2": 0.12, "s5": -0.05}
# Of the screening of ten settings; each is a block.
PAIRS = 24


def begun(
    path: Path, planted: dict[str, float], *, budget: int = 2000, text: str = SAME
) -> RunFolder:
    """A search over ten settings, with what each costs, before its first block."""
    origin = source(path, math.exp(sum(planted.values())), text)
    factors = [Factor(name=f"s{n}", first={f"s{n}": "1"}, second={f"s{n}": "2"}) for n in range(10)]
    compared = choose(find(origin))
    plan = origin.plan()
    wanted = explained(
        compared, plan, Found(factors), run="r", seed=3, budget_trials=budget, delta=0.01
    )
    made = why_plan(plan, 0, wanted, budget_s=3600)
    state = RunState(state="running", started_unix_ms=0)
    return RunFolder.create(path / "why", plan=made, host={}, state=state)


def every_row(wanted: Arm) -> bool:
    return True


def never(number: int) -> str | None:
    return None


def searched(
    folder: RunFolder,
    planted: dict[str, float],
    *,
    starts: Callable[[Arm], bool] = every_row,
    blocks: int = 1000,
    stops_after: int | None = None,
    fails: Callable[[int], str | None] = never,
) -> Causes:
    """Measure `blocks` at most; trials take what their rows say, or fail for the reason that
    `fails` gives. Each block stops after this number of trials, where that is given, and goes on as
    after --resume.
    """
    judge, drawn, calls = WhyJudge(folder.plan(), starts), random.Random(11), 0
    while (then := judge(folder)).longer is not None and len(then.longer.orders) <= blocks:
        folder.write_plan(then.longer)
        places = range(len(then.longer.orders[-1]))
        if stops_after is not None:
            measure(folder, then.longer, planted, drawn, places[:stops_after], fails)
            judge = WhyJudge(folder.plan(), starts)
            assert judge(folder).longer == then.longer
            places = places[stops_after:]
        measure(folder, then.longer, planted, drawn, places, fails)
        calls += 1
    assert calls == len(folder.plan().orders)
    folder.write_plan(judge.plan)
    folder.write_state(changed(folder.state(), state="complete"))
    return find_causes(folder)


def measure(
    folder: RunFolder,
    plan: Plan,
    planted: dict[str, float],
    drawn: random.Random,
    places: range,
    fails: Callable[[int], str | None],
) -> None:
    """These trials of the plan's last block. Of "s1 s2" in `planted` both must be set."""
    block = len(plan.orders) - 1
    for position in places:
        turn = plan.orders[block][position]
        number = plan.trial_number(block=block, position=position)
        assert plan.explains is not None
        at_b = {"a": "A" * 10, "b": "B" * 10}.get(turn.arm, turn.arm.removeprefix("row "))
        given = {f"s{n}" for n, letter in enumerate(at_b) if letter == "B"}
        cost = sum(cost for names, cost in planted.items() if given >= set(names.split()))
        partial = folder.begin_trial(number)
        write_json(partial / "settings.json", {"session": SETTINGS, "global": SETTINGS}, schema=1)
        folder.commit_trial(
            Trial(
                number=number,
                arm=turn.arm,
                block=block,
                position=position,
                status="failed" if (failure := fails(number)) else "ok",
                failure=failure,
                started_unix_ms=0,
                duration_s=1,
                server=ServerRead(name="s", product="mysql", version="5.6.24", fingerprint="f"),
                statements=[run_of("a", math.exp(cost + drawn.gauss(0, 0.01)))],
            )
        )


def named(causes: Causes) -> dict[str, CauseRead]:
    return {cause.name: cause for cause in causes.causes if cause.standing == "named"}


def test_planted_settings_are_named_with_their_shares_and_no_others(tmp_path: Path) -> None:
    folder = begun(tmp_path, PLANTED)
    causes = searched(folder, PLANTED)
    assert set(named(causes)) == {"s2", "s5"}
    factor = 100 * math.expm1(0.07) / 0.07
    for name, share in PLANTED.items():
        points = named(causes)[name].points
        assert points is not None
        assert points.interval is not None
        assert points.interval[0] - 0.5 <= share * factor <= points.interval[1] + 0.5
    assert causes.answer[0].startswith("b needs 7 % more time than a (q, by time). Of these 7 poin")
    assert "s2 " in causes.answer[0]
    assert "the other" in causes.answer[0]
    ends = re.findall(r"\((\S+) to (\S+)\)", causes.answer[0])
    assert ends
    assert all(low != high for low, high in ends)
    assert sum(cause.rounded or 0 for cause in causes.causes) == pytest.approx(7, abs=1)
    assert shares(causes) is not None
    assert "s5" in causes_html(causes)
    assert "| s2 |" in causes_markdown(causes)


def test_two_settings_that_only_count_together_are_named_as_that(tmp_path: Path) -> None:
    planted = {"s2": 0.12, "s1 s4": 0.1}
    causes = searched(begun(tmp_path, planted), planted)
    assert set(named(causes)) == {"s2", "s4 and s1 (only together)"}
    assert "s4 and s1 (only together) 1" in causes.answer[0]
    assert "\N{MINUS SIGN}0 " not in causes.answer[0]


def test_a_search_that_stops_within_every_block_finds_the_same(tmp_path: Path) -> None:
    """A trial that is still to be run isn't a void one."""
    whole, stopped = begun(tmp_path / "1", PLANTED), begun(tmp_path / "2", PLANTED)
    expected = searched(whole, PLANTED)
    assert searched(stopped, PLANTED, stops_after=1) == expected
    assert stopped.plan().orders == whole.plan().orders


def test_a_search_whose_time_is_spent_ends_with_the_blocks_that_it_has(tmp_path: Path) -> None:
    """Nine blocks after the pairs: one less than the first look has."""
    folder = begun(tmp_path, PLANTED)
    causes = searched(folder, PLANTED, blocks=PAIRS + 9)
    assert (causes.ending, causes.confirmed_blocks) == ("confirmed", 9)
    assert {cause.name for cause in causes.causes} >= {"s2", "s5"}
    assert "The budget ended the search before its last look." in " ".join(causes.answer)
    # Of an interrupted search more is to come.
    folder.write_state(changed(folder.state(), state="interrupted"))
    causes = find_causes(folder)
    assert (causes.ending, causes.causes) == ("not over", [])


def test_blocks_of_another_search_are_refused(tmp_path: Path) -> None:
    folder = begun(tmp_path, PLANTED)
    searched(folder, PLANTED, blocks=3)
    plan = folder.plan()
    assert plan.explains is not None
    folder.write_plan(changed(plan, explains=changed(plan.explains, seed=4)))
    with pytest.raises(StoreError, match="block 1 has other rows than this search asks for"):
        find_causes(folder)


def test_values_that_a_server_refuses_together_become_one_factor(tmp_path: Path) -> None:
    def starts(wanted: Arm) -> bool:
        return (wanted.settings.get("s3"), wanted.settings.get("s7")) != ("2", "1")

    folder = begun(tmp_path, {"s2": 0.1})
    causes = searched(folder, {"s2": 0.1}, starts=starts)
    assert causes.merges == ["s3 with s7"]
    assert causes.run.void == 0
    assert all(starts(arm) for arm in folder.plan().arms)


def test_a_merge_that_grew_is_said_once(tmp_path: Path) -> None:
    def starts(wanted: Arm) -> bool:
        s1, s3, s7 = (wanted.settings.get(name) for name in ("s1", "s3", "s7"))
        return ("2", "1") not in ((s3, s7), (s7, s1))

    causes = searched(begun(tmp_path, {"s2": 0.1}), {"s2": 0.1}, starts=starts)
    assert causes.merges == ["s1 with s3 with s7"]


def test_settings_that_go_with_the_servers_are_counted_in_their_name(tmp_path: Path) -> None:
    def starts(wanted: Arm) -> bool:
        is_b = str(wanted.server) == "mariadb-10.1.8"
        return not (is_b and "1" in (wanted.settings.get("s3"), wanted.settings.get("s7")))

    causes = searched(begun(tmp_path, {"s2": 0.1}, text=GOOD), {"s2": 0.1}, starts=starts)
    assert "the servers and 2 settings" in {cause.name for cause in causes.causes}
    assert causes.merges == ["s3 with s7 with the servers"]


def test_a_search_that_merges_all_is_over_before_its_first_trial(tmp_path: Path) -> None:
    def starts(wanted: Arm) -> bool:
        return len({wanted.settings.get(f"s{n}") for n in range(10)}) == 1

    causes = searched(begun(tmp_path, {"s2": 0.1}), {"s2": 0.1}, starts=starts)
    assert (causes.run.trials, causes.ending) == (0, "one factor")
    assert "There is only one factor, so it explains all of that." in causes.answer[0]


def test_a_budget_that_is_too_small_names_nothing(tmp_path: Path) -> None:
    causes = searched(begun(tmp_path, PLANTED, budget=30), PLANTED)
    assert causes.causes == []
    assert "The budget was too small to name a setting." in causes.answer[0]


def test_trials_without_a_figure_are_counted_with_their_reason(tmp_path: Path) -> None:
    def answer_where(name: str, fails: Callable[[int], str | None]) -> list[str]:
        return searched(begun(tmp_path / name, PLANTED, budget=30), PLANTED, fails=fails).answer

    said = answer_where("some", lambda number: "the disk was full" if number < 3 else None)
    assert "The budget was too small to name a setting." in said[0]
    assert "2 of 30 trials gave no figure; the most common reason (2): the disk was full" in said
    said = answer_where("all", lambda number: "the server died" if number > 4 else "it was slow")
    assert said[0].endswith("No trial gave a figure, so no setting can be named.")
    assert "30 of 30 trials gave no figure; the most common reason (26): the server died" in said


def test_a_run_says_what_a_search_beside_it_has_found(tmp_path: Path) -> None:
    """Only a complete search of this very run counts; one that is damaged says nothing."""
    origin = source(tmp_path / "runs" / "x", 1.07)
    causes = searched(begun(tmp_path, PLANTED), PLANTED)
    place = origin.path.parent.parent / f"why-{origin.plan().name}"

    def stored(name: str, *, run: str, state: str) -> None:
        (place / name).mkdir(parents=True)
        document = causes.model_dump(mode="json")
        document["explained"]["run"] = run
        document["run"] |= {"id": name, "state": state}
        write_json(place / name / "findings.json", document, schema=1)

    stored("1", run="another", state="complete")
    stored("2", run=origin.path.name, state="running")
    stored("3", run=origin.path.name, state="complete")
    (place / "4").mkdir()
    (place / "4" / "findings.json").write_text("{")
    (said,) = find(origin).why
    assert said.startswith("b needs 7 % more time than a")
    assert said.endswith("Found by dyno why in run 3.")


@pytest.mark.parametrize(("in_answer", "said"), [("8 x", ""), ("", " At 8 x.")])
def test_the_point_of_a_search_is_said_once(tmp_path: Path, in_answer: str, said: str) -> None:
    """By its answer; beside it where an older version wrote the answer."""
    origin = source(tmp_path / "runs" / "x", 1.07)
    causes = searched(begun(tmp_path, PLANTED, budget=30), PLANTED)
    document = causes.model_dump(mode="json") | {"point": "8 x", "answer": ["It is slower."]}
    document["explained"] |= {"run": origin.path.name, "point": in_answer}
    place = origin.path.parent.parent / f"why-{origin.plan().name}" / "1"
    place.mkdir(parents=True)
    write_json(place / "findings.json", document, schema=1)
    (found,) = find(origin).why
    assert found.startswith(f"It is slower.{said} Found by dyno why in run ")
