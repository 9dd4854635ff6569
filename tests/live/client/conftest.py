"""Servers to log in to: a MariaDB with a certificate, and one of another make for the logins of
MySQL 8.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import AUTHORITY, write_certificate
from standing import standing
from stands import SECRET, Stand

from dyno.home import find_home

PEER = Path(__file__).parents[3] / "crates" / "wire" / "tests" / "peer"


@pytest.fixture(scope="module")
def mariadb() -> Iterator[Stand]:
    with tempfile.TemporaryDirectory(prefix="test-", dir=find_home().work) as name:
        folder = Path(name)
        folder.chmod(0o755)
        settings = write_certificate(folder)
        with standing("mariadb-10.11.5", listen="127.0.0.1", **settings) as (server, admin, _):
            for host in ("localhost", "127.0.0.1"):
                admin.run("CREATE USER ann@%s IDENTIFIED BY %s", host, SECRET)
            assert server.port is not None
            yield Stand(server.port, folder / AUTHORITY)


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Stand]:
    """Knows the user dyno with the same password, by caching_sha2_password; one for each test,
    since it remembers passwords. It answers queries with how often it got one in clear.
    """
    subprocess.run(["go", "build", "-o", tmp_path / "peer", "."], cwd=PEER, check=True)
    authority = tmp_path / "ca.pem"
    process = subprocess.Popen(
        [tmp_path / "peer", authority], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        yield Stand(int(process.stdout.readline()), authority)
        process.communicate()
