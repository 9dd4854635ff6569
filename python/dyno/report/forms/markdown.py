"""The report as GitHub-flavoured Markdown, compact enough to paste into an issue. Pure.

Texts that others wrote (names of arms, SQL, log lines) are escaped, so that they can neither break
a table nor become markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dyno.analysis.model import Findings
from dyno.analysis.verdicts.model import Compared
from dyno.report import numbers, view
from dyno.report.forms.markup import code, page, section, table, text
from dyno.report.sections.registry import closing_of, reasons_of, sections_of

OF_TIMES = "Ratios of times, first arm to second: below 1 the first arm is faster."


def render_markdown(findings: Findings) -> str:
    """The whole report; charts are only in the HTML, their figures are in the tables."""
    parts = (
        _answer,
        _claims,
        _comparisons,
        _times,
        _sections,
        _reasons,
        _fairness,
        _arms,
        _closing,
        _repeat,
    )
    return page(line for part in parts for line in (*part(findings), ""))


def _answer(f: Findings) -> Iterator[str]:
    yield f"# {text(f.title)}"
    yield ""
    yield f"*{text(f.question)}*"
    yield ""
    for alarm in view.alarms(f):
        yield f"! {text(alarm)}"
        yield ""
    first, *others = f.answer or ["This run gives no answer."]
    yield f"**{text(first)}**"
    for sentence in others:
        yield ""
        yield text(sentence)
    yield ""
    for caution in view.cautions(f):
        yield f"! {text(caution)}"
        yield ""
    facts = [*view.run_facts(f), f"started {f.run.started}"]
    yield f"{text(', '.join(facts))}. Run {text(view.ending(f))}"


def _claims(f: Findings) -> Iterator[str]:
    yield "## Claims"
    yield ""
    ways = f" {view.ratios_are(f)}" if view.is_load(f) and f.claims else ""
    yield view.tally(f) + ways
    yield ""
    if f.published:
        there = "; ".join(f"{name}: {said}" for name, said in view.published_on(f.published))
        yield text(f"Published as {view.published_by(f.published)}. {there}")
        yield ""
    if f.claims:
        rows = []
        for claim in f.claims:
            says = text(claim.says) + (f" ({text(claim.published)})" if claim.published else "")
            verdict = f"{view.VERDICT_MARK[claim.verdict]} {claim.verdict}"
            measured = view.measured(f, claim)
            judged = [measured, text(claim.expected), text(view.why(f, claim))]
            rows.append([verdict, says, text(claim.asks), *judged])
        yield from table(["Verdict", "Claim", "Asks", "Measured", "Expected", "Why"], rows)
    for left_out in f.claims_left_out:
        yield f"- Left out here: {text(left_out)}"


def _comparisons(f: Findings) -> Iterator[str]:
    yield "## Comparisons"
    yield ""
    if not f.compared:
        yield "There is nothing to compare: no block has two arms."
        return
    loaded = view.is_load(f)
    yield f"{view.ratios_are(f) if loaded else OF_TIMES} n counts blocks."
    yield ""
    headings = ["Metric and point" if loaded else "Op", "Arms", "Ratio", "Interval", "n", "State"]
    headings += ["Mean"] if loaded else ["Mean", "In words"]
    members = [(group.title, c) for group in view.groups(f) for c in group.compared]
    rows = (_comparison(title, c)[: len(headings)] for title, c in members)
    yield from table(headings, rows, "  r r")


def _comparison(title: str, c: Compared) -> list[str]:
    mean = numbers.point(c.mean) + (" (tail-driven)" if c.tail_driven else "")
    return [
        text(title),
        text(view.pair_of(c)) + ("" if c.primary else " (secondary)"),
        numbers.point(c.ratio),
        numbers.ends(c.ratio) or numbers.MISSING,
        str(c.n),
        c.state,
        mean,
        text(c.sentence),
    ]


def _times(f: Findings) -> Iterator[str]:
    if view.is_load(f):
        return
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


def _sections(f: Findings) -> Iterator[str]:
    for made in sections_of(f):
        yield from (*section(made), "")


def _closing(f: Findings) -> Iterator[str]:
    for made in closing_of(f):
        yield from (*section(made), "")


def _reasons(f: Findings) -> Iterator[str]:
    for made in reasons_of(f):
        yield from (*section(made), "")


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
            text(view.arm_engine(arm) or numbers.MISSING),
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
