"""Snapshots: data folders saved under a key of all that they depend on, restored by copying.

Copies share blocks (reflink) where the file system can. The server is stopped while one is saved.
"""

from __future__ import annotations

import builtins
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dyno.errors import ServerError
from dyno.home import (
    Home,
    find_home,
    locked,
    own,
    remove_tree,
    replacing,
    server_user,
)
from dyno.home import size_bytes as size_of
from dyno.servers.datadir import copy_folder

_FILE = "snapshot.json"
_SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Snapshot:
    """One saved data folder, in `path`. `created_at` is ISO 8601 in UTC. `checked`: its data were
    found to keep the workload's rules; older ones don't say, so they count as unchecked.
    """

    key: str
    path: Path
    size_bytes: int
    created_at: str
    parts: Mapping[str, object]
    checked: bool = False


def key(parts: Mapping[str, object]) -> str:
    """Give the SHA-256 of the canonical JSON of everything that the data depends on."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def get(key: str, *, home: Home | None = None) -> Snapshot | None:
    """Give the snapshot of a key, or None."""
    folder = _folder(key, home or find_home())
    try:
        values: dict[str, Any] = json.loads((folder / _FILE).read_text("utf-8"))
    except FileNotFoundError:
        return None
    if values["schema_version"] != _SCHEMA_VERSION:
        return None
    return Snapshot(
        key,
        folder / "data",
        values["size_bytes"],
        values["created_at"],
        values["parts"],
        values.get("checked", False),
    )


def save(
    key: str,
    data_dir: Path,
    *,
    parts: Mapping[str, object] | None = None,
    checked: bool = False,
    home: Home | None = None,
) -> Snapshot:
    """Copy the data folder of a stopped server under `key`; atomic; an existing one stays.

    `parts` is kept beside it for people to read, `checked` for the next who needs it to be.
    ServerError while a server runs on the folder.
    """
    home = home or find_home()
    _require_stopped(data_dir)
    with locked(home, f"snapshot-{key}"):
        if get(key, home=home) is None:
            with replacing(_folder(key, home)) as folder:
                copy_folder(data_dir, folder / "data")
                values = {
                    "schema_version": _SCHEMA_VERSION,
                    "size_bytes": size_of(folder / "data"),
                    "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
                    "parts": dict(parts or {}),
                    "checked": checked,
                }
                (folder / _FILE).write_text(json.dumps(values, indent=2), encoding="utf-8")
    saved = get(key, home=home)
    assert saved is not None
    return saved


def mark_checked(key: str, *, home: Home | None = None) -> None:
    """Note that the data of a snapshot were checked and are good."""
    home = home or find_home()
    with locked(home, f"snapshot-{key}"):
        file = _folder(key, home) / _FILE
        values = json.loads(file.read_text("utf-8")) | {"checked": True}
        new = file.with_suffix(".new")
        new.write_text(json.dumps(values, indent=2), encoding="utf-8")
        new.rename(file)


def restore(key: str, target_dir: Path, *, home: Home | None = None) -> None:
    """Fill `target_dir` (replaced if it exists) with a copy, owned by the server's user."""
    snapshot = get(key, home=home)
    if snapshot is None:
        raise ServerError(f"there is no snapshot {key}", hint="load the dataset again")
    if target_dir.exists():
        _require_stopped(target_dir)
        remove_tree(target_dir)
    copy_folder(snapshot.path, target_dir)
    own(target_dir, server_user())


def list(*, home: Home | None = None) -> builtins.list[Snapshot]:
    """Give all snapshots, newest first."""
    home = home or find_home()
    folders = [path.name for path in home.snapshots.iterdir() if not path.name.startswith(".")]
    found = [snapshot for name in folders if (snapshot := get(name, home=home)) is not None]
    return sorted(found, key=lambda snapshot: (snapshot.created_at, snapshot.key), reverse=True)


def remove(key: str, *, home: Home | None = None) -> None:
    """Delete one snapshot; nothing if there is none."""
    home = home or find_home()
    with locked(home, f"snapshot-{key}"):
        remove_tree(_folder(key, home))


def _folder(key: str, home: Home) -> Path:
    if not re.fullmatch(r"[0-9a-f]{64}", key):
        raise ServerError(f"{key!r} isn't a snapshot's key", hint="make it with snapshots.key")
    return home.snapshots / key


def _require_stopped(data_dir: Path) -> None:
    """Raise ServerError while a process works in a data folder: its files would be torn."""
    if not data_dir.is_dir():
        raise ServerError(f"there is no data folder {data_dir}", hint="make it first")
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and _works_in(entry, data_dir.resolve()):
            raise ServerError(
                f"process {entry.name} still works in {data_dir}",
                hint="stop that server first",
            )


def _works_in(process: Path, data_dir: Path) -> bool:
    """Tell whether a process's working folder is the data folder: servers change into theirs."""
    try:
        return (process / "cwd").readlink() == data_dir
    except OSError:
        return False
