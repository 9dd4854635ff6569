"""Logins: what is encrypted, what is checked, and who never gets a password."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from certificates import AUTHORITY, write_certificate
from stands import SECRET, Stand

from dyno.client import SqlError, connect
from dyno.errors import ServerError
from dyno.spec.address import Address


def full(address: str, password: str = SECRET) -> str:
    """How many logins the peer has had in full, the password in clear."""
    with closing(connect(Address.parse(address), password, answer_s=10)) as connection:
        return str(connection.row("SELECT 1")[0])


def cipher(address: str) -> str:
    with closing(connect(Address.parse(address), SECRET, answer_s=10)) as connection:
        return str(connection.row("SHOW STATUS LIKE 'Ssl_cipher'")[1])


def test_a_password_in_clear_is_for_checked_servers_only(peer: Stand) -> None:
    plain = f"mysql://dyno@127.0.0.1:{peer.port}/"
    for address in (plain, f"{plain}?tls=required"):
        with pytest.raises(SqlError, match="could be any server") as refused:
            full(address)
        assert "tls=verify" in str(refused.value.hint)
    checked = f"{plain}?tls=verify-identity&ca={peer.authority}"
    with pytest.raises(SqlError) as denied:
        full(checked, "wrong")
    assert denied.value.code == 1045
    assert full(checked) == full(f"{plain}?tls=verify-ca&ca={peer.authority}")
    # Once the server knows it a hash will do, which may be seen by anybody.
    assert full(plain) == full(f"{plain}?tls=required") == full(checked)
    with pytest.raises(SqlError) as denied:
        full(plain, "wrong")
    assert denied.value.code == 1045


def test_encryption_is_what_the_address_says(mariadb: Stand) -> None:
    place, ca = f"localhost:{mariadb.port}/", f"ca={mariadb.authority}"
    assert cipher(f"mysql://ann@{place}") == ""
    assert cipher(f"mysql://ann@{place}?tls=off") == ""
    for tls in ("tls=required", f"tls=verify-ca&{ca}", f"tls=verify-identity&{ca}"):
        assert cipher(f"mysql://ann@{place}?{tls}") != ""


def test_certificates_are_checked(mariadb: Stand, tmp_path: Path) -> None:
    by_number = f"mysql://ann@127.0.0.1:{mariadb.port}/"
    assert cipher(f"{by_number}?tls=verify-ca&ca={mariadb.authority}") != ""
    with pytest.raises(SqlError, match=r"TLS: .*127\.0\.0\.1"):
        cipher(f"{by_number}?tls=verify-identity&ca={mariadb.authority}")
    write_certificate(tmp_path)
    for tls in ("verify-ca", "verify-identity"):
        with pytest.raises(SqlError, match=r"TLS: .*certificate verify failed"):
            cipher(f"mysql://ann@localhost:{mariadb.port}/?tls={tls}&ca={tmp_path / AUTHORITY}")


@pytest.mark.parametrize("content", [None, "", "no certificate"])
def test_a_file_of_authorities_that_is_none(
    mariadb: Stand, tmp_path: Path, content: str | None
) -> None:
    ca = tmp_path / "ca.pem"
    if content is not None:
        ca.write_text(content)
    with pytest.raises(ServerError, match="can't be read") as refused:
        cipher(f"mysql://ann@localhost:{mariadb.port}/?tls=verify-ca&ca={ca}")
    assert str(ca) in refused.value.message
