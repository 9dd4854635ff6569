"""The check of the servers' programs: another allocator or C library is a warning."""

from __future__ import annotations

import pytest
from load_runs import plan

from dyno.analysis.fairness.model import Fairness
from dyno.analysis.fairness.program import checks
from dyno.analysis.samples import Samples
from dyno.spec.changed import changed
from dyno.store.trial import Program, ServerRead, Trial

OURS = Program(allocator="of the C library", c_library="Debian GLIBC 2.36", compiler="GCC: 12.2.0")


def judged(
    *programs: Program | None, managed: bool = True, allocator: str | None = None
) -> list[Fairness]:
    """`allocator`: what the second arm asks for."""
    made = plan()
    asked = [changed(made.arms[1], allocator=allocator)] if allocator else [made.arms[1]]
    made = changed(made, arms=[made.arms[0], *asked])
    arms = [arm.name for arm in made.arms]
    trials = [
        Trial(
            number=number,
            arm=arms[(number - 1) % len(arms)],
            block=0,
            position=number,
            status="ok",
            started_unix_ms=0,
            duration_s=1.0,
            server=ServerRead(
                name="s", product="mysql", version="1", fingerprint="", managed=managed
            ),
            program=program,
        )
        for number, program in enumerate(programs, 1)
    ]
    return list(checks(made, Samples(trials=trials)))


def test_the_same_programs_are_fair_whatever_compiled_them() -> None:
    other = Program(**(OURS.model_dump() | {"compiler": None}))
    (found,) = judged(OURS, other)
    assert found.check == "ok"
    assert any("compiler: GCC: 12.2.0" in line for line in found.details)
    assert any("not available" in line for line in found.details)


def test_another_allocator_or_c_library_is_a_warning() -> None:
    tcmalloc = Program(**(OURS.model_dump() | {"allocator": "libtcmalloc_minimal.so.4.6.5"}))
    (found,) = judged(OURS, tcmalloc)
    assert found.check == "warning"
    assert "the same allocator:" in found.says
    assert "libtcmalloc_minimal.so.4.6.5" in found.details[0]
    later = Program(**(tcmalloc.model_dump() | {"c_library": "Debian GLIBC 2.43"}))
    (found,) = judged(OURS, later)
    assert "the same allocator and C library:" in found.says


@pytest.mark.parametrize("asked", ["jemalloc", "/opt/jemalloc/lib/libjemalloc.so"])
def test_an_allocator_that_was_asked_for_is_fair_if_it_is_there(asked: str) -> None:
    there = Program(**(OURS.model_dump() | {"allocator": "libjemalloc.so.2"}))
    (found,) = judged(OURS, there, allocator=asked)
    assert found.check == "ok"
    assert "allocators that were declared" in found.says
    later = Program(**(there.model_dump() | {"c_library": "Debian GLIBC 2.43"}))
    (found,) = judged(OURS, later, allocator=asked)
    assert (found.check, "the same C library:" in found.says) == ("warning", True)
    (found,) = judged(OURS, OURS, allocator=asked)
    assert found.check == "failed"
    assert "wasn't seen" in found.says


def test_what_nobody_saw_is_unknown_and_older_runs_say_nothing() -> None:
    assert judged(None, None) == []
    (found,) = judged(OURS, None)
    assert found.check == "unknown"
    (found,) = judged(None, None, managed=False)
    assert found.check == "unknown"
    # A server that died had nothing mapped any more.
    (found,) = judged(OURS, Program())
    assert found.check == "unknown"
