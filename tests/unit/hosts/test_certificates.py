"""The certificates of hosts: who gets which, and who can read them."""

from __future__ import annotations

import ssl
import stat
from pathlib import Path

import pytest

from dyno.errors import SpecError
from dyno.hosts.authority import make_certificates
from dyno.hosts.certificates import Certificates, certificates
from dyno.spec.inventory import Inventory

HOSTS = [
    {"name": "db1", "address": "10.0.0.2", "roles": ["server"]},
    {"name": "load1", "address": "fd00::3", "roles": ["load"]},
]


@pytest.fixture
def inventory() -> Inventory:
    return Inventory.model_validate({"schema": 1, "host": HOSTS})


@pytest.fixture
def made(inventory: Inventory, tmp_path: Path) -> Certificates:
    found = certificates(inventory, tmp_path / "hosts.toml")
    assert found is not None
    make_certificates(inventory, found)
    return found


def test_each_host_has_one_which_the_authority_signed(
    inventory: Inventory, made: Certificates
) -> None:
    made.require(inventory.host)
    for host in inventory.host:
        context = ssl.create_default_context(cafile=str(made.authority))
        context.load_cert_chain(made.of(host))
    assert made.folder.name == "hosts.tls"


def test_only_their_owner_can_read_them(made: Certificates) -> None:
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in made.folder.iterdir()}
    assert modes == dict.fromkeys(["authority.pem", "db1.pem", "load1.pem"], 0o600)
    assert stat.S_IMODE(made.folder.stat().st_mode) == 0o700


def test_the_authoritys_key_is_kept_nowhere(made: Certificates) -> None:
    assert b"PRIVATE" not in made.authority.read_bytes()


def test_those_that_are_there_stay(inventory: Inventory, made: Certificates) -> None:
    before = made.authority.read_bytes()
    with pytest.raises(SpecError, match="there are certificates in"):
        make_certificates(inventory, made)
    assert made.authority.read_bytes() == before


def test_a_missing_one_is_named(inventory: Inventory, made: Certificates) -> None:
    made.of(inventory.host[1]).unlink()
    with pytest.raises(SpecError, match=r"no certificate .*load1\.pem"):
        made.require(inventory.host)


def test_hosts_that_talk_without_have_none(tmp_path: Path) -> None:
    loopback = [host | {"address": "127.0.0.1"} for host in HOSTS]
    document = {"schema": 1, "engine": {"tls": "off"}, "host": loopback}
    assert certificates(Inventory.model_validate(document), tmp_path / "hosts.toml") is None
