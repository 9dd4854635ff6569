"""Settings of the kernel: what would be set, what is set, and what is put back, on a made-up host.

The real ones aren't touched: what a kernel refuses is played by folders and rights.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dyno.errors import ServerError
from dyno.host import KNOBS, changes, restore, tune, tuned
from dyno.host.knobs import current

VALUES = {
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
    "sys/devices/system/cpu/cpufreq/boost": "1\n",
    "sys/devices/system/cpu/smt/control": "notsupported\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
    "proc/sys/kernel/numa_balancing": "0\n",
    "proc/sys/vm/swappiness": "60\n",
    "proc/sys/kernel/random/boot_id": "one\n",
}
SET = {"governor", "turbo", "huge pages", "swappiness"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name, value in VALUES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(value)
    return root


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def values(root: Path) -> dict[str, str]:
    return {name: current((root / name).read_text()) for name in VALUES}


def test_only_what_is_not_as_wanted_would_be_set(root: Path) -> None:
    found = changes(root)
    assert {change.knob for change in found} == SET
    assert [(c.before, c.wanted) for c in found if c.knob == "governor"] == [
        ("powersave", "performance")
    ]
    assert [c.knob for c in changes(root, ["turbo", "SMT"])] == ["turbo"]
    assert changes(root.parent / "nothing") == []


def test_a_value_among_choices_is_the_one_in_brackets() -> None:
    assert current("always [madvise] never\n") == "madvise"
    assert current("0\n") == "0"


def test_what_was_set_is_put_back(root: Path, home: Path) -> None:
    before = values(root)
    wanted = changes(root)
    assert tune(wanted, home, root) == wanted
    assert values(root)["sys/devices/system/cpu/cpufreq/boost"] == "0"
    assert changes(root) == []
    assert set(tuned(home)) == set(wanted)
    assert all(kept.put_back for kept in restore(home, root))
    assert values(root) == before
    assert restore(home, root) == []
    assert list(home.iterdir()) == []


def test_tuning_twice_keeps_what_was_there_first(root: Path, home: Path) -> None:
    before = values(root)
    tune(changes(root, ["turbo"]), home, root)
    tune(changes(root), home, root)
    restore(home, root)
    assert values(root) == before


def test_what_was_before_is_on_disk_before_anything_is_set(root: Path, home: Path) -> None:
    """As after a crash in the middle: the second file can't be written."""
    wanted = changes(root, ["turbo", "swappiness"])
    broken = Path(wanted[-1].path)
    broken.unlink()
    broken.mkdir()
    with pytest.raises(ServerError, match="can't be set to 1"):
        tune(wanted, home, root)
    assert [change.path for change in tuned(home)] == [change.path for change in wanted]
    broken.rmdir()
    broken.write_text("60\n")
    assert [(kept.put_back, kept.why) for kept in restore(home, root)] == [
        (False, "it was back already"),
        (True, ""),
    ]


def test_what_somebody_else_set_since_is_left(root: Path, home: Path) -> None:
    tune(changes(root, ["swappiness"]), home, root)
    (root / "proc/sys/vm/swappiness").write_text("10\n")
    (kept,) = restore(home, root)
    assert not kept.put_back
    assert kept.why == "somebody set it to 10 since"
    assert values(root)["proc/sys/vm/swappiness"] == "10"


def test_after_a_reboot_nothing_is_written(root: Path, home: Path) -> None:
    tune(changes(root, ["turbo"]), home, root)
    (root / "proc/sys/kernel/random/boot_id").write_text("two\n")
    (root / "sys/devices/system/cpu/cpufreq/boost").write_text("1\n")
    (kept,) = restore(home, root)
    assert kept.why == "the host was rebooted since"
    assert tuned(home) == []
    # And tuning again takes what is there now for what was before.
    tune(changes(root, ["turbo"]), home, root)
    assert restore(home, root)[0].put_back


@pytest.mark.parametrize("text", ["{", "[]", '{"boot_id": "one"}', '{"changes": [{"a": 1}]}'])
def test_a_broken_record_is_one_line(root: Path, home: Path, text: str) -> None:
    (home / "host-tuned.json").write_text(text)
    with pytest.raises(ServerError, match="can't be read"):
        restore(home, root)


def test_the_record_is_plain(root: Path, home: Path) -> None:
    tune(changes(root, ["turbo"]), home, root)
    found = json.loads((home / "host-tuned.json").read_text())
    assert found["boot_id"] == "one"
    assert found["changes"][0]["before"] == "1"


def test_every_knob_says_why() -> None:
    assert all(knob.matters and knob.files for knob in KNOBS)
