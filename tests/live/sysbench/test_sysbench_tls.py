"""`--mysql-ssl`: what each mode does on a server with TLS and on one without."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import AUTHORITY, write_certificate
from programs import Ran, Stand, run
from standing import standing

from dyno.home import find_home

CIPHER = """
function prepare()
   local con = sysbench.sql.driver():connect()
   local _, cipher = con:query_row("SHOW STATUS LIKE 'Ssl_cipher'")
   print("> " .. (cipher == "" and "clear" or "encrypted"))
end
"""
VERIFYING = ("verify_ca", "verify_identity")


@pytest.fixture(scope="module")
def secure() -> Iterator[tuple[list[str], Path]]:
    """Options that lead to a server with a certificate, and the folder of its files."""
    with tempfile.TemporaryDirectory(prefix="test-", dir=find_home().work) as name:
        folder = Path(name)
        folder.chmod(0o755)
        settings = write_certificate(folder)
        with standing("mariadb-10.11.5", listen="127.0.0.1", **settings) as (server, admin, _):
            for host in ("localhost", "127.0.0.1"):
                admin.run("CREATE USER ann@%s", host)
            login = ["--mysql-host=localhost", f"--mysql-port={server.port}", "--mysql-user=ann"]
            yield [*login, "--mysql-db="], folder


def connect(folder: Path, *options: str) -> Ran:
    (folder / "cipher.lua").write_text(CIPHER)
    return run("dyno", "cipher.lua", *options, "prepare", folder=folder)


@pytest.mark.parametrize(
    ("mode", "found"),
    [
        ("off", "clear"),
        ("disabled", "clear"),
        ("preferred", "encrypted"),
        ("on", "encrypted"),
        ("required", "encrypted"),
        *((mode, "encrypted") for mode in VERIFYING),
    ],
)
def test_a_mode_on_a_server_with_tls(
    secure: tuple[list[str], Path], tmp_path: Path, mode: str, found: str
) -> None:
    login, folder = secure
    # `localhost` is a socket; verify_identity needs the name that is in the certificate.
    host = "LOCALHOST" if mode == "verify_identity" else "127.0.0.1"
    login = [*login, f"--mysql-host={host}", f"--mysql-ssl={mode}"]
    if mode in VERIFYING:
        login.append(f"--mysql-ssl-ca={folder / AUTHORITY}")
    ran = connect(tmp_path, *login)
    assert ran.said == [found], ran


@pytest.mark.parametrize(
    ("mode", "found"),
    [("off", "clear"), ("preferred", "clear"), ("on", None), ("required", None)],
)
def test_a_mode_on_a_server_without_tls(
    stand: Stand, tmp_path: Path, mode: str, found: str | None
) -> None:
    login = [f"--mysql-socket={stand.server.socket}", "--mysql-user=root", "--mysql-db="]
    ran = connect(tmp_path, *login, f"--mysql-ssl={mode}")
    if found:
        assert ran.said == [found], ran
    else:
        assert ran.code == 1
        assert "FATAL: error 2026: " in ran.stdout
