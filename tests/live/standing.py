"""A new server that several tests share, for programs that do their own work on it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from dyno.client import Connection
from dyno.home import find_home
from dyno.servers import Server, create_data_dir, install, start, with_plugins


def is_mysql_of_today(server: Server) -> bool:
    """MySQL 8 or later: its EXPLAIN shows partitions, and MyISAM has none."""
    return server.product == "mysql" and server.installation.version_tuple >= (8,)


@contextmanager
def standing(
    name: str, *, listen: str | None = None, plugins: Sequence[str] = (), **more_settings: int | str
) -> Iterator[tuple[Server, Connection, Path]]:
    """The server of this name, an administrator's connection, and an empty folder; the server
    listens on the address `listen`, too.
    """
    folder = Path(tempfile.mkdtemp(prefix="test-", dir=find_home().work))
    folder.chmod(0o755)
    installation = with_plugins(install(name), plugins)
    create_data_dir(installation, folder / "data")
    files = folder / "files"
    files.mkdir()
    # Nothing here is about the disk, on which each COMMIT would wait.
    settings: dict[str, int | str] = {"innodb_flush_log_at_trx_commit": 2, **more_settings}
    run_dir = folder / "logs"
    with (
        start(
            installation,
            data_dir=folder / "data",
            run_dir=run_dir,
            settings=settings,
            listen=listen,
        ) as server,
        closing(server.admin()) as admin,
    ):
        yield server, admin, files
    shutil.rmtree(folder)
