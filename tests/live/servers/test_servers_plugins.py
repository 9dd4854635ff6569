"""Plugins: packages of their own, in the server's version, loaded when it starts."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dyno.errors import ServerError
from dyno.home import Home
from dyno.servers import Installation, create_data_dir, install, start, with_plugins
from dyno.servers.installation import load

NAME = "mariadb-trixie"


@pytest.fixture(scope="module")
def myrocks(home: Home) -> Installation:
    return with_plugins(install(NAME, home=home), ["ha_rocksdb"], home=home)


def test_an_engine_of_its_own_package_is_there(
    myrocks: Installation, home: Home, work: Path
) -> None:
    create_data_dir(myrocks, work / "data", home=home)
    settings = {"rocksdb_block_cache_size": "16M"}
    with (
        start(myrocks, data_dir=work / "data", run_dir=work / "run", settings=settings) as server,
        closing(server.admin("mysql")) as admin,
    ):
        admin.run("CREATE DATABASE t")
        admin.run("CREATE TABLE t.t (id INT PRIMARY KEY) ENGINE=ROCKSDB")
        admin.run("INSERT INTO t.t VALUES (1), (2)")
        assert admin.row("SELECT COUNT(*), @@rocksdb_block_cache_size FROM t.t") == (2, 1 << 24)


def test_the_server_stays_what_it_was(myrocks: Installation, home: Home) -> None:
    plain = install(NAME, home=home)
    assert "ha_rocksdb" not in plain.plugins
    assert (plain.fingerprint, plain.version) == (myrocks.fingerprint, myrocks.version)
    sums = dict(plain.packages)
    [package] = [name for name in sums if name.startswith("mariadb-plugin-rocksdb_")]
    server = next(name for name in sums if name.startswith("mariadb-server-core_"))
    assert package.split("_")[1] == server.split("_")[1]
    assert load(plain.home) == plain


def test_one_that_lies_beside_the_server_is_only_loaded(home: Home) -> None:
    plain = install(NAME, home=home)
    found = with_plugins(plain, ["ha_federatedx"], home=home)
    assert found == replace(plain, plugins=(*plain.plugins, "ha_federatedx"))


@pytest.mark.parametrize(
    ("server", "plugin", "hint"),
    [
        (NAME, "ha_rocksbd", "did you mean 'ha_rocksdb'?"),
        ("mariadb-10.11.5", "ha_rocksdb", "its engines: none is a plugin"),
    ],
)
def test_a_missing_one_is_one_line(home: Home, server: str, plugin: str, hint: str) -> None:
    with pytest.raises(ServerError, match=f"^{server} has no plugin '{plugin}'$") as caught:
        with_plugins(install(server, home=home), [plugin], home=home)
    assert str(caught.value.hint).startswith(hint)


def test_a_package_of_another_version_is_refused(myrocks: Installation, home: Home) -> None:
    packages = [
        (name.replace("mariadb-server_1", "mariadb-server_0"), digest)
        for name, digest in myrocks.packages
    ]
    older = replace(myrocks, home=home.servers / "nowhere", packages=tuple(packages), plugins=())
    with pytest.raises(ServerError, match="apt now offers mariadb-plugin-s3 as: 1:") as caught:
        with_plugins(older, ["ha_s3"], home=home)
    assert caught.value.hint == (
        f"remove it, then install what apt has now: dyno servers remove {NAME}"
    )
    assert not json.loads((myrocks.home / "installation.json").read_text())["plugins"].count(
        "ha_s3"
    )
