"""Which CPUs a declared placement is on a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyno.errors import SpecError
from dyno.runner.placement import sets_of
from dyno.telemetry import Core, cores


def plain(count: int) -> list[Core]:
    return [Core(frozenset({cpu}), 0) for cpu in range(count)]


def hyperthreaded(count: int, nodes: int = 1) -> list[Core]:
    """Siblings are numbered as most hosts do: all first threads, then all second ones."""
    return [Core(frozenset({n, n + count}), n * nodes // count) for n in range(count)]


@pytest.mark.parametrize(
    ("known", "split"),
    [
        (plain(2), "0/1"),
        (plain(4), "0-2/3"),
        (plain(16), "0-13/14-15"),
        (hyperthreaded(2), "0,2/1,3"),
        (hyperthreaded(8), "0-6,8-14/7,15"),
        # Eight of 64 cores, all of the second node.
        (hyperthreaded(64, nodes=2), "0-55,64-119/56-63,120-127"),
        # No more than the last node has, whatever the host has.
        ([*plain(31), Core(frozenset({31}), 1)], "0-30/31"),
    ],
)
def test_split_gives_whole_cores(known: list[Core], split: str) -> None:
    assert str(sets_of("split", known=known)) == split


def test_free_is_no_sets() -> None:
    assert sets_of("free", known=plain(1)) is None


def test_one_core_can_not_be_split() -> None:
    with pytest.raises(SpecError, match="one core") as refused:
        sets_of("split", known=hyperthreaded(1))
    assert refused.value.hint == 'use placement = "free"'


def test_named_sets_must_be_there() -> None:
    assert str(sets_of("0/3", known=plain(4))) == "0/3"
    with pytest.raises(SpecError, match="names CPU 4-5, but this process may use 0-3 only"):
        sets_of("0-4/5", known=plain(4))


def test_named_sets_do_not_divide_a_core() -> None:
    assert str(sets_of("0,4/1", known=hyperthreaded(4))) == "0,4/1"
    with pytest.raises(SpecError, match=r"CPUs 0,4 are one \(SMT\)"):
        sets_of("0/4", known=hyperthreaded(4))


def test_cores_are_read_as_the_kernel_shows_them(tmp_path: Path) -> None:
    folder = tmp_path / "sys/devices/system/cpu"
    for cpu, siblings in enumerate(("0,2", "1,3", "0,2", "1,3")):
        (folder / f"cpu{cpu}/topology").mkdir(parents=True)
        (folder / f"cpu{cpu}/topology/thread_siblings_list").write_text(f"{siblings}\n")
        (folder / f"cpu{cpu}/node{cpu % 2}").mkdir()
    found = cores(tmp_path, allowed=frozenset({0, 1, 2}))
    # A CPU that this process may not use isn't counted.
    assert found == [Core(frozenset({0, 2}), 0), Core(frozenset({1}), 1)]


def test_a_host_that_shows_nothing_has_plain_cores(tmp_path: Path) -> None:
    assert cores(tmp_path, allowed=frozenset({0, 1})) == plain(2)
