"""Addresses of servers: what they say, and what of a wrong one is never repeated."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyno.errors import SpecError
from dyno.spec.address import Address

CA = Path("/etc/ca.pem")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("mysql://ann@db.example:3307/", Address("ann", "db.example", 3307, None)),
        ("mysql://ann@db.example", Address("ann", "db.example", 3306, None)),
        ("mysql://a%40b@[::1]:33/", Address("a@b", "::1", 33, None)),
        ("mysql://root@/?socket=/run/my.sock", Address("root", None, None, Path("/run/my.sock"))),
        ("mysql://root@/?socket=/a%20b", Address("root", None, None, Path("/a b"))),
        ("mysql://ann@db/?tls=off", Address("ann", "db", 3306, None)),
        ("mysql://ann@db/?tls=required", Address("ann", "db", 3306, None, "required")),
        ("mysql://ann@db/?compression=zlib", Address("ann", "db", 3306, None, compression="zlib")),
        (
            "mysql://root@/?socket=/s&compression=zstd",
            Address("root", None, None, Path("/s"), compression="zstd"),
        ),
        (
            "mysql://ann@db:1/?tls=verify-ca&ca=/etc/ca.pem",
            Address("ann", "db", 1, None, "verify-ca", CA),
        ),
        (
            "mysql://ann@db:1/?ca=/etc/ca.pem&tls=verify-identity",
            Address("ann", "db", 1, None, "verify-identity", CA),
        ),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert Address.parse(text) == address
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost",
        "http://ann@db/",
        "mysql://db:3306/",
        "mysql://ann@/",
        "mysql://ann@db:port/",
        "mysql://ann@db:99999/",
        "mysql://ann@db:0/",
        "mysql://ann@db/schema",
        "mysql://ann@db/?ssl=1",
        "mysql://ann@db/?socket=/x",
        "mysql://ann@db/#x",
        "mysql://ann@db\n/",
        "mysql://ann@db/?socket=%1b",
        "mysql://ann@[::1/",
    ],
)
def test_what_is_not_an_address(text: str) -> None:
    with pytest.raises(SpecError, match="not a server's address") as caught:
        Address.parse(text)
    assert "mysql://user@host:port/" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mysql://ann@db/?tls=on", "unknown"),
        ("mysql://ann@db/?tls=verify-ca", "without a ca"),
        ("mysql://ann@db/?tls=required&ca=/x", "with a ca"),
        ("mysql://ann@db/?ca=/x", "with a ca"),
        ("mysql://ann@db/?tls=verify-ca&ca=x.pem", "absolute"),
        ("mysql://ann@/?socket=/x&tls=required", "a socket doesn't leave"),
    ],
)
def test_tls_that_makes_no_sense(text: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        Address.parse(text)
    assert words in caught.value.message + str(caught.value.hint)


@pytest.mark.parametrize(
    "text",
    [
        "mysql://ann:hunter2@db:1/",
        "mysql://:hunter2@db/",
        "mysql://ann:hun/ter2@db/",
        "mysql://ann:hun@ter2@db/",
        "mysql://ann:hun?ter2@db/",
        "mysql://ann:hun#ter2@db/",
        "mysql:/ann:hunter2@db/",
        "mysql:ann:hunter2@db/",
        "mysql//ann:hunter2@db/",
        "mariadb://ann:hunter2@db/",
        "mysql://ann@db:hunter2",
        "mysql://ann@db:hunter2/",
        "mysql://db:hunter2",
        "mysql://ann@db/?password=hunter2",
        "mysql://ann:hunter2@db:1/?socket=/x",
        "ann:hunter2@db",
        "mysql:///ann:hunter2@db",
    ],
)
def test_nothing_behind_a_colon_is_repeated(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        Address.parse(text)
    for words in (caught.value.message, str(caught.value.hint)):
        assert "hun" not in words
        assert "ter2" not in words


@given(st.text(max_size=40), st.text("sS3cr-/@?#[]%:", min_size=6, max_size=12))
def test_whatever_stands_behind_the_first_colon_stays_there(head: str, secret: str) -> None:
    text = f"{head}:<{secret}>@db/"
    if "<" in head:
        return
    with pytest.raises(SpecError) as caught:
        Address.parse(text)
    assert "<" not in caught.value.message


def test_an_unknown_compression_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(SpecError, match="compression=lz4, which is unknown") as caught:
        Address.parse("mysql://ann@db/?compression=lz4")
    assert caught.value.hint == "write zlib or zstd, or leave it out"
