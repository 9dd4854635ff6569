"""Tries Dyno's verdicts on real servers, for hours; begins again where it was left.

    python -m benches.trust [--minutes 60] [--only CASE] [--placement free] [--effect 0.05]
        [--out build/trust]
    python -m benches.trust --tables [--out build/trust]

Sessions run in rounds: equal arms of each case under each placement, every other time beside a
neighbour too, and one planted effect. cases.py says how many rounds of both a case has. A line a
comparison is appended to sessions.ndjson. `--tables` prints what came of them as Markdown.
benches/trust/found has those of quiet hours on one kind of host, two virtual CPUs: go on there with
`--out benches/trust/found`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from benches.trust.calibrate import burn_for, now_ns, slopes
from benches.trust.cases import CASES, PLACEMENTS, Case
from benches.trust.plant import remove
from benches.trust.session import Found, Session, run
from benches.trust.tables import false_alarms, planted
from dyno.errors import DynoError

PROBE = "the effect that calibrates"
# One a round, as far as a case goes; those under 5 % take up to 40 blocks.
EFFECTS = (0.05, 0.02, 0.20, 0.05, 0.02, 0.01, 0.05, 0.02, 0.20, 0.005)
# Where a server with one CPU must be seen to be slower.
ONE_CPU = ("point_select", "free")


def main() -> int:
    """Run sessions until the time is over, or print the tables."""
    chosen = _arguments()
    chosen.out.mkdir(parents=True, exist_ok=True)
    file = chosen.out / "sessions.ndjson"
    if chosen.tables:
        found = read(file)
        print(false_alarms(found), planted(found), sep="\n\n")
        return 0
    deadline = time.monotonic() + 60 * chosen.minutes
    done = {f.key for f in read(file)}
    every = list(sessions(chosen.only, chosen.placement, chosen.effect))
    left = [session for session in every if session.key not in done]
    print(f"{len(left)} of {len(every)} sessions are left", file=sys.stderr, flush=True)
    try:
        for session in left:
            if time.monotonic() > deadline:
                break
            _one(session, chosen.out, file)
    except DynoError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        remove()
    return 0


def _one(session: Session, folder: Path, file: Path) -> None:
    calibrated = session.effect > 0 and session.burn != "cpu"
    found = slopes(session, folder) if calibrated else {}
    if calibrated and not found:
        print(f"{session.key}  left out: on this host nothing is seen of {PROBE}", flush=True)
        return
    burn = burn_for(session, found, now_ns(session) if calibrated else {})
    results = run(session, burn, {what: slope.ns_per_ns for what, slope in found.items()})
    with file.open("a") as lines:
        for f in results:
            lines.write(json.dumps(asdict(f)) + "\n")
    states = ", ".join(f"{f.what}: {f.state} {f.ratio:.3f} n={f.n}" for f in results)
    print(f"{session.key}  {states}", flush=True)


def sessions(
    only: Sequence[str] | None = None,
    placements: Sequence[str] | None = None,
    effects: Sequence[float] | None = None,
) -> Iterator[Session]:
    """All of them, or those chosen, in rounds: whatever time there is is shared among the kinds."""
    for session in _rounds(only, placements):
        if not effects or session.effect in effects:
            yield session


def _rounds(only: Sequence[str] | None, placements: Sequence[str] | None) -> Iterator[Session]:
    where = placements or list(PLACEMENTS)
    cases = [CASES[name] for name in only or CASES]
    for number in range(max(max(case.rounds, case.planted) for case in cases)):
        for case, placement in _places((c for c in cases if number < c.rounds), where):
            # Half as many beside a neighbour.
            hosts = ("quiet", "bursts") if number % 2 else ("quiet",)
            for host in hosts:
                yield Session(case.name, placement, host, 0.0, "spin", number)
        for case, placement in _places((c for c in cases if number < c.planted), where):
            burn = "sleep" if case.name == "statements" and number % 2 else "spin"
            yield Session(case.name, placement, "quiet", EFFECTS[number], burn, number)
            if (case.name, placement) == ONE_CPU:
                yield Session(case.name, placement, "quiet", 0.5, "cpu", number)


def _places(cases: Iterable[Case], where: Sequence[str]) -> Iterator[tuple[Case, str]]:
    return (
        (case, placement) for case in cases for placement in where if placement in case.placements
    )


def read(file: Path) -> list[Found]:
    """What earlier calls have found; the half of a line that was being written is left out."""
    if not file.exists():
        return []
    whole = file.read_text().rpartition("\n")[0]
    return [Found(**json.loads(line)) for line in whole.splitlines()]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benches.trust", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--minutes", type=float, default=60, help="no session begins after that")
    parser.add_argument("--only", action="append", choices=list(CASES), metavar="CASE")
    parser.add_argument("--placement", action="append", choices=list(PLACEMENTS))
    effects = sorted({0.0, *EFFECTS})
    parser.add_argument("--effect", action="append", type=float, choices=effects)
    parser.add_argument("--out", type=Path, default=Path("build/trust"))
    parser.add_argument("--tables", action="store_true", help="print what was found so far")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
