"""Data folders: initialised once per server and the settings that matter then, copied for each use.

The server's own SQL files fill the system tables (bootstrap); MySQL from 5.7 on does it by itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from dyno.errors import ServerError
from dyno.home import Home, User, find_home, locked, own, remove_tree, server_user
from dyno.launch import launch
from dyno.servers.config import bootstrap_file
from dyno.servers.failure import start_error
from dyno.servers.installation import Installation
from dyno.servers.known import init_settings
from dyno.servers.options import Setting
from dyno.servers.private import PrivateDir, make_private_dir, require_reachable

_BOOTSTRAP_VERSION = 2
_TIMEOUT_S = 300


def create_data_dir(
    installation: Installation,
    target: Path,
    *,
    settings: Mapping[str, Setting] | None = None,
    home: Home | None = None,
) -> None:
    """Fill `target` (absent or empty) with a fresh data folder of this server.

    Initialised once per installation and settings that matter at init (`INIT_SETTINGS`), then
    copied (reflink where the file system can). root@localhost has no password; there are no
    anonymous users. The folder belongs to the server's user.
    """
    home = home or find_home()
    user = server_user()
    require_reachable(installation.mysqld.parent, user)
    cached = _initialised(installation, init_settings(settings, installation), home, user)
    copy_folder(cached, target)


def data_dir_key(installation: Installation, settings: Mapping[str, Setting]) -> str:
    """Give the name under which an initialised data folder is kept."""
    parts = [
        _BOOTSTRAP_VERSION,
        installation.fingerprint,
        init_settings(settings, installation),
    ]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return f"{installation.name}-{digest[:16]}"


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder with owners and modes; shared blocks (reflink) where the file system can."""
    if target.exists() and any(target.iterdir()):
        raise ServerError(
            f"{target} isn't empty", hint="give a new folder; Dyno never writes over data"
        )
    target.mkdir(parents=True, exist_ok=True)
    # Ours and closed until all its content is copied: cp sets the folder's own owner last.
    if os.geteuid() == 0:
        os.chown(target, 0, 0, follow_symlinks=False)
    target.chmod(0o700)
    done = subprocess.run(
        ["cp", "-a", "--reflink=auto", f"{source}/.", str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        remove_tree(target)
        why = done.stderr.strip().partition("\n")[0].removeprefix("cp: ")
        raise ServerError(
            f"can't copy {source} to {target}: {why or done.returncode}",
            hint="look at the free space and the permissions there",
        )


def _initialised(
    installation: Installation, settings: Mapping[str, Setting], home: Home, user: User | None
) -> Path:
    """Give the cached data folder, made under a lock if it is missing."""
    cached = home.data / data_dir_key(installation, settings)
    if cached.exists():
        return cached
    with locked(home, f"data-{installation.name}"):
        if not cached.exists():
            place = make_private_dir(home.work, user)
            try:
                _initialise(installation, place, settings, user)
                place.data.rename(cached)
            finally:
                place.remove()
    return cached


def _initialise(
    installation: Installation,
    place: PrivateDir,
    settings: Mapping[str, Setting],
    user: User | None,
) -> None:
    """Fill `place.data`; its own files go beside it, temporary ones into `place.inner`."""
    text = bootstrap_file(installation, data_dir=place.data, tmpdir=place.inner, settings=settings)
    config = place.path / "my.cnf"
    config.write_text(text, encoding="utf-8")
    config.chmod(0o644)
    place.data.mkdir(0o700)
    if _initialises_itself(installation):
        mode, sql = "--initialize-insecure", b""
    else:
        mode, sql = "--bootstrap", _system_tables_sql(installation)
        for name in ("mysql", "test"):
            (place.data / name).mkdir(0o700)
    own(place.data, user)
    _run(installation, place.path, mode, sql, settings, user)


def _initialises_itself(installation: Installation) -> bool:
    return installation.product == "mysql" and installation.version_tuple >= (5, 7, 0)


def _run(
    installation: Installation,
    scratch: Path,
    mode: str,
    sql: bytes,
    settings: Mapping[str, Setting],
    user: User | None,
) -> None:
    """Run the server over the SQL; its error lines become the error."""
    argv = [*installation.command(), f"--defaults-file={scratch / 'my.cnf'}", mode]
    error_log = scratch / "init.err"
    with error_log.open("wb") as log:
        process = launch(
            argv,
            env=installation.environment,
            user=user,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        )
        try:
            process.communicate(sql, timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
    if process.returncode != 0:
        raise start_error(
            installation,
            error_log,
            settings,
            data_dir=scratch,
            what="initialise its data folder",
        )


def _system_tables_sql(installation: Installation) -> bytes:
    """Join the server's own SQL files in the order in which its install script runs them.

    Lines with the host's name are left out, as that script does for a folder that may be moved.
    """
    share = installation.share
    files = []
    for name in ("system_tables", "performance_tables", "system_tables_data"):
        found = [share / f"{brand}_{name}.sql" for brand in ("mariadb", "mysql")]
        files += [path for path in found if path.exists()][:1]
    files += [path for path in (share / "maria_add_gis_sp_bootstrap.sql",) if path.exists()]
    for brand in ("mariadb", "mysql"):
        files += [path for path in (share / f"{brand}_sys_schema.sql",) if path.exists()]
    if not files:
        raise ServerError(
            f"{installation.name} has no system_tables.sql in {share}",
            hint="give a complete binary package",
        )
    head = [b"create database if not exists mysql;", b"use mysql;", b"set @auth_root_socket=NULL;"]
    body = [
        line
        for path in files
        for line in path.read_bytes().splitlines()
        if b"@current_hostname" not in line
    ]
    return b"\n".join([*head, *body, *_only_root(installation)]) + b"\n"


def _only_root(installation: Installation) -> list[bytes]:
    """Drop anonymous users, the grants that anyone has on `test` databases, and a root that may
    come over TCP, without a password. Roles have no host.
    """
    elsewhere = b"where Host not in ('localhost', '');"
    if installation.product == "mariadb" and installation.version_tuple >= (10, 4, 0):
        return [b"delete from mysql.global_priv " + elsewhere]  # Its files make no others.
    return [
        b"delete from mysql.user where User='';",
        b"delete from mysql.user " + elsewhere,
        b"delete from mysql.db where User='';",
    ]
