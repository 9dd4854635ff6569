"""Sets the kernel's settings that a user agreed to, and puts them back.

What was there before is on disk before anything is changed, so that `restore` works after a crash,
too. A reboot restores the kernel's own settings; then only the record itself is left to remove.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from dyno.errors import ServerError
from dyno.host.knobs import KNOBS, current
from dyno.store.files import write_atomic

RECORD = "host-tuned.json"
_BOOT = "proc/sys/kernel/random/boot_id"


@dataclass(frozen=True)
class Change:
    """One file that isn't as wanted."""

    knob: str
    path: str
    before: str
    wanted: str


@dataclass(frozen=True)
class Kept:
    """What `restore` did with a file: put back, or left as it was, and why."""

    change: Change
    put_back: bool
    why: str = ""


def changes(root: Path = Path("/"), only: Collection[str] | None = None) -> list[Change]:
    """What would be set on this host; `only`: the names of knobs."""
    found = []
    for knob in KNOBS:
        if (only is not None and knob.name not in only) or knob.moot(root):
            continue
        wanted = knob.wanted(root)
        found += [
            Change(knob.name, str(path), value, wanted[path])
            for path, value in knob.read(root).items()
            if not knob.is_fine(value, wanted[path])
        ]
    return found


def tuned(home: Path) -> list[Change]:
    """What was set and not put back yet."""
    _, found = _read(home)
    return found


def tune(agreed: Collection[Change], home: Path, root: Path = Path("/")) -> list[Change]:
    """Set what was agreed to; gives those that the kernel took.

    Raises ServerError where one can't be written; what was set before it stays on record.
    """
    before = {change.path: change for change in _before(home, root)}
    # A file that was tuned already keeps what it had before that.
    record = [*before.values(), *(c for c in agreed if c.path not in before)]
    _write(home, root, record)
    done = []
    for change in agreed:
        _set(change.path, change.wanted)
        if current(Path(change.path).read_text()) == change.wanted:
            done.append(change)
    # What the kernel didn't take needs no putting back.
    kept = {change.path for change in (*before.values(), *done)}
    _write(home, root, [change for change in record if change.path in kept])
    return done


def restore(home: Path, root: Path = Path("/")) -> list[Kept]:
    """Put back what was there before. A file that somebody changed since is left as it is.

    Raises ServerError where one can't be written; that one and those after it stay on record.
    """
    boot, record = _read(home)
    if boot is not None and boot != _boot_id(root):
        _forget(home)
        return [Kept(change, False, "the host was rebooted since") for change in record]
    left = list(record)
    done = []
    # Backwards: without SMT half of the files of others are gone.
    for change in reversed(record):
        done.append(_put_back(change))
        left.remove(change)
        _write(home, root, left)
    _forget(home)
    return done


def _put_back(change: Change) -> Kept:
    path = Path(change.path)
    if not path.exists():
        return Kept(change, False, "it is gone")
    found = current(path.read_text())
    if found == change.before:
        return Kept(change, False, "it was back already")
    if found != change.wanted:
        return Kept(change, False, f"somebody set it to {found} since")
    _set(change.path, change.before)
    return Kept(change, True)


def _set(path: str, value: str) -> None:
    try:
        Path(path).write_text(value)
    except OSError as error:
        raise ServerError(
            f"{path} can't be set to {value}: {error.strerror or error}",
            hint="run it as root" if os.geteuid() else "this host doesn't let it be changed",
        ) from error


def _before(home: Path, root: Path) -> Iterator[Change]:
    """What is on record of this boot."""
    boot, record = _read(home)
    if boot == _boot_id(root):
        yield from record


def _boot_id(root: Path) -> str:
    try:
        return (root / _BOOT).read_text().strip()
    except OSError:
        return ""


def _read(home: Path) -> tuple[str | None, list[Change]]:
    path = home / RECORD
    try:
        found = json.loads(path.read_text())
        return str(found["boot_id"]), [Change(**change) for change in found["changes"]]
    except FileNotFoundError:
        return None, []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ServerError(
            f"{path} can't be read: {error}",
            hint="set the host's settings back by hand, then remove that file",
        ) from error


def _write(home: Path, root: Path, record: list[Change]) -> None:
    content = {"boot_id": _boot_id(root), "changes": [asdict(change) for change in record]}
    write_atomic(home / RECORD, (json.dumps(content, indent=1) + "\n").encode())


def _forget(home: Path) -> None:
    (home / RECORD).unlink(missing_ok=True)
