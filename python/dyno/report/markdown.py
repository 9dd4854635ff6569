"""The report as GitHub-flavoured Markdown, compact enough to paste into an issue. Pure.

Texts that others wrote (names of arms, SQL, log lines) are escaped, so that they can neither break
a table nor become markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dyno.analysis.model import Compared, Findings
from dyno.report import counters, numbers, view
from dyno.spec.units import plural

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def render_markdown(findings: Findings) -> str:
    """The whole report; the pictures are left to the HTML, their figures are in the tables."""
    parts = (
        _answer,
        _claims,
        _comparisons,
        _times,
        _why,
        _fairness,
        _arms,
        _costs_and_host,
        _limits,
        _repeat,
    )
    lines = [line for part in parts for line in (*part(findings), "")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def text(raw: object) -> str:
    """`raw` as plain text on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(raw).split())).replace("&", "&amp;")


def code(raw: str, *, in_table: bool = False) -> str:
    """`raw` as a code span on one line. A table needs its bars escaped even there."""
    line = " ".join(raw.split())
    if in_table:
        line = line.replace("|", "\\|")
    longest = max((len(ticks) for ticks in re.findall(r"`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def table(headings: Iterable[str], rows: Iterable[Iterable[str]], numeric: str = "") -> list[str]:
    """A table of ready cells; `numeric` has an "r" for each column that is set to the right."""
    names = list(headings)
    rules = ["---:" if numeric[i : i + 1] == "r" else "---" for i in range(len(names))]
    found = [_row(names), _row(rules), *(_row(row) for row in rows)]
    return [*found, ""]


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _answer(f: Findings) -> Iterator[str]:
    yield f"# {text(f.title)}"
    yield ""
    yield f"*{text(f.question)}*"
    yield ""
    first, *others = f.answer or ["This run gives no answer."]
    yield f"**{text(first)}**"
    for sentence in others:
        yield ""
        yield text(sentence)
    yield ""
    facts = [*view.run_facts(f), f"started {f.run.started}"]
    yield f"{text(', '.join(facts))}. Run {text(view.ending(f))}"


def _claims(f: Findings) -> Iterator[str]:
    yield "## Claims"
    yield ""
    yield view.tally(f)
    yield ""
    if f.published:
        there = "; ".join(f"{name}: {said}" for name, said in view.published_on(f.published))
        yield text(f"Published as {view.published_by(f.published)}. {there}")
        yield ""
    if f.claims:
        rows = []
        for claim in f.claims:
            says = text(claim.says) + (f" ({text(claim.published)})" if claim.published else "")
            why = text(claim.why)
            if claim.needed_blocks:
                why += f" About {plural(claim.needed_blocks, 'block')} would be needed."
            verdict = f"{view.VERDICT_MARK[claim.verdict]} {claim.verdict}"
            measured = view.measured(f, claim)
            rows.append([verdict, says, text(claim.asks), measured, text(claim.expected), why])
        yield from table(["Verdict", "Claim", "Asks", "Measured", "Expected", "Why"], rows)
    for left_out in f.claims_left_out:
        yield f"- Left out here: {text(left_out)}"


def _comparisons(f: Findings) -> Iterator[str]:
    yield "## Comparisons"
    yield ""
    if not f.compared:
        yield "There is nothing to compare: no block has two arms."
        return
    yield "Ratios of times, first arm to second: below 1 the first arm is faster. n counts blocks."
    yield ""
    headings = ["Op", "Arms", "Ratio", "Interval", "n", "State", "Mean", "In words"]
    members = [(group.op, c) for group in view.groups(f) for c in group.compared]
    yield from table(headings, (_comparison(op, c) for op, c in members), "  r r")


def _comparison(op: str, c: Compared) -> list[str]:
    known = c.ratio_low is not None and c.ratio_high is not None
    mean = numbers.ratio(c.mean_ratio) + (" (tail-driven)" if c.tail_driven else "")
    return [
        text(op),
        text(view.pair_of(c)) + ("" if c.primary else " (secondary)"),
        numbers.ratio(c.ratio),
        numbers.interval(c.ratio_low, c.ratio_high) if known else numbers.MISSING,
        str(c.n),
        c.state,
        mean,
        text(c.sentence),
    ]


def _times(f: Findings) -> Iterator[str]:
    yield "## Times"
    yield ""
    if not f.times:
        yield "No trial gave a time."
        return
    rows = [
        [
            text(t.op),
            text(t.arm),
            numbers.seconds(t.median_s),
            f"{numbers.seconds(t.min_s)} to {numbers.seconds(t.max_s)}",
            str(t.n),
        ]
        for t in f.times
    ]
    yield from table(["Op", "Arm", "Median", "Fastest to slowest", "n"], rows, "  r r")


def _why(f: Findings) -> Iterator[str]:
    yield "## Why"
    yield ""
    yield "What moved along with the results: reasons to look at, not proofs."
    yield ""
    by_op = {found.op: found for found in counters.op_counters(f)}
    for op in f.ops:
        yield f"### {text(op.name)}"
        yield ""
        yield code(op.sql)
        yield ""
        found = by_op.get(op.name)
        if found is None:
            yield "Status counters: unavailable."
            yield ""
            continue
        for moved in found.moved:
            yield f"- {code(moved.counter)}: {text(moved.text)}"
        yield ""
        if found.picked:
            rows = (
                [code(row.name, in_table=True), *(view.counter(value) for value in row.values)]
                for row in found.picked
            )
            headings = ["Counter", *(text(arm) for arm in found.arms)]
            yield from table(headings, rows, " " + "r" * len(found.arms))


def _fairness(f: Findings) -> Iterator[str]:
    yield "## Fairness"
    yield ""
    yield view.fairness_summary(f.fairness)
    yield ""
    for check in view.by_severity(f.fairness):
        mark = f"{view.CHECK_MARK[check.check]} {check.check}"
        yield f"- {mark}: **{text(check.name)}.** {text(check.says)}"
        if check.check != "ok":
            yield from (f"  - {text(line)}" for line in check.details)


def _arms(f: Findings) -> Iterator[str]:
    yield "## Arms and settings"
    yield ""
    rows = [
        [
            text(arm.name) + (" (baseline)" if arm.baseline else ""),
            text(view.arm_server(arm)),
            text(arm.engine or numbers.MISSING),
            text(arm.tmpdir),
            code(view.settings_text(arm.settings), in_table=True)
            if arm.settings
            else numbers.MISSING,
            code(view.settings_text(arm.session), in_table=True)
            if arm.session
            else numbers.MISSING,
            f"{arm.trials_ok} ok" + (f", {len(arm.failures)} failed" if arm.failures else ""),
        ]
        for arm in f.arms
    ]
    yield from table(["Arm", "Server", "Engine", "tmpdir", "Settings", "Session", "Trials"], rows)
    for arm in f.arms:
        yield from (f"- {text(arm.name)}: {text(failure)}" for failure in arm.failures)


def _costs_and_host(f: Findings) -> Iterator[str]:
    yield "## What measuring cost"
    yield ""
    yield from (f"- {text(name)}: {text(said)}" for name, said in view.cost_rows(f))
    yield ""
    yield "## Host"
    yield ""
    facts = [f"- {text(name)}: {text(said)}" for name, said in view.host_rows(f.host)]
    yield from facts or ["unavailable"]


def _limits(f: Findings) -> Iterator[str]:
    yield "## What it can't tell"
    yield ""
    yield from (f"- {text(line)}" for line in f.limits or [view.NO_LIMITS])


def _repeat(f: Findings) -> Iterator[str]:
    yield "## Repeat it"
    yield ""
    longest = max((len(ticks) for ticks in re.findall(r"`+", f.run.repeat)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}sh"
    yield f.run.repeat
    yield fence
    yield ""
    yield f"Dyno {text(f.run.dyno)}, run {text(f.run.id)}."
