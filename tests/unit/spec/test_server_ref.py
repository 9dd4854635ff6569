"""Which server is meant: read once, kept as a text in plans, and no password of a typo is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from spec_samples import GOOD, TWO_ARMS

from dyno.errors import SpecError
from dyno.spec.address import Address
from dyno.spec.bounded import parse_toml
from dyno.spec.experiment import Arm
from dyno.spec.plan import Options, Plan, make_plan
from dyno.spec.read import parse_experiment
from dyno.spec.server_ref import NamedServer, ServerRef, parse_server

SECRETS = [
    "mysql://u:secret@h:1/",
    "mariadb://u:secret@h/",
    "u:secret@h",
    "mysql://u@h:1/?password=secret",
]


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("mariadb-11.4.5", NamedServer("mariadb-11.4.5")),
        ("path", NamedServer("path")),
        ("my-tarball-9.9", NamedServer("my-tarball-9.9")),
        ("/tmp/a@b.sock", NamedServer("/tmp/a@b.sock")),
        ("mysql://u@h:1/", Address("u", "h", 1, None)),
        ("mysql://u@/?socket=/s", Address("u", None, None, Path("/s"))),
    ],
)
def test_a_server_is_read_once_and_written_as_it_was(text: str, server: ServerRef) -> None:
    assert parse_server(text) == server
    assert str(server) == text
    arm = Arm.model_validate({"name": "a", "server": text})
    assert arm.server == server
    assert arm.model_dump()["server"] == text
    assert Arm.model_validate_json(arm.model_dump_json()) == arm


@pytest.mark.parametrize("text", SECRETS)
def test_what_may_be_a_password_is_not_repeated(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_server(text)
    assert "secret" not in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize("text", SECRETS)
def test_nor_where_it_stands_in_a_file(text: str) -> None:
    document = parse_toml(TWO_ARMS.replace('server = "t"', f'server = "{text}"'))
    with pytest.raises(SpecError) as caught:
        parse_experiment(document, source="x.toml")
    assert caught.value.message.startswith("x.toml: arm[2].server: ")
    assert "secret" not in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.hint


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ("7", "it should be a valid string, got 7"),
        (f'"{"m" * 301}"', "at most 300 characters"),
        ('"a\\nb"', "a line break"),
    ],
)
def test_what_names_no_server(server: str, words: str) -> None:
    document = parse_toml(TWO_ARMS.replace('server = "t"', f"server = {server}"))
    with pytest.raises(SpecError) as caught:
        parse_experiment(document, source="x.toml")
    assert caught.value.message.startswith("x.toml: arm[2].server: ")
    assert words in caught.value.message


def test_a_stored_plan_has_its_servers_as_text() -> None:
    experiment = parse_experiment(parse_toml(GOOD), source="x.toml")
    options = Options(servers=(parse_server("mysql://u@h"),), control=False)
    made = make_plan(experiment, options, name="x")
    stored = made.model_dump(mode="json")
    assert stored["options"]["servers"] == ["mysql://u@h:3306/"]
    assert stored["arms"][-1]["server"] == "mysql://u@h:3306/"
    assert Plan.model_validate(stored) == made
    stored["arms"][-1]["server"] = "mysql://u@h"
    assert Plan.model_validate(stored).arms[-1] == made.arms[-1]
