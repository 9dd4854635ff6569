"""hosts.toml: what is read from it, and what each mistake in it is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyno.errors import SpecError
from dyno.spec.inventory import HostSet, Inventory, read_inventory

GOOD = """
schema = 1
[[host]]
name = "db1"
address = "10.0.0.2"
ssh = "bench@db1"
roles = ["server"]
home = "/srv/dyno"
[[host]]
name = "load1"
address = "10.0.0.3"
roles = ["load"]
[[host]]
name = "load2"
address = "fd00::4"
roles = ["load"]
weight = 2
"""
SET = """
[[set]]
name = "{name}"
server = "{server}"
load = ["{load}"]
"""


def read(folder: Path, text: str) -> Inventory:
    path = folder / "hosts.toml"
    path.write_text(text)
    return read_inventory(path)


def test_the_one_server_host_measures_with_all_load_hosts(tmp_path: Path) -> None:
    found = read(tmp_path, GOOD)
    assert found.sets == [HostSet(name="all", server="db1", load=["load1", "load2"])]
    assert [host.weight for host in found.host] == [1, 1, 2]
    assert (found.engine.port, found.engine.worker_port, found.engine.tls) == (8786, 8787, "auto")
    assert found.host[0].home == Path("/srv/dyno")


def test_sets_are_those_of_the_file(tmp_path: Path) -> None:
    found = read(tmp_path, GOOD + SET.format(name="a", server="db1", load="load2"))
    assert found.sets == [HostSet(name="a", server="db1", load=["load2"])]


def test_in_clear_only_where_nobody_else_can_listen(tmp_path: Path) -> None:
    clear = GOOD.replace("schema = 1", 'schema = 1\nengine = { tls = "off" }')
    loopback = clear.replace("10.0.0.", "127.0.0.").replace("fd00::4", "::1")
    assert read(tmp_path, loopback).engine.tls == "off"
    with pytest.raises(SpecError, match=r"tls = off, and db1 is at 10\.0\.0\.2") as refused:
        read(tmp_path, clear)
    assert refused.value.hint == 'write tls = "auto"'


@pytest.mark.parametrize(
    ("old", "new", "words", "hint"),
    [
        ('"10.0.0.2"', '"db1.lan"', "address: it isn't an IP address", "10.0.0.2"),
        ('"/srv/dyno"', '"srv"', "home: it isn't an absolute path", "begin it with /"),
        ('name = "load2"', 'name = "load1"', "two have the name 'load1'", "its own name"),
        ('name = "load2"', 'name = "../x"', "name", None),
        ("weight = 2", "weight = 0", "weight", None),
        ("weight = 2", "wieght = 2", "wieght", "weight"),
        ('["server"]', '["sever"]', "roles", "server"),
        ('["server"]', '["load"]', "0 hosts are for servers and 3 for load", "[[set]]"),
        ("schema = 1", "schema = 2", "schema", None),
    ],
)
def test_a_mistake_is_named(
    tmp_path: Path, old: str, new: str, words: str, hint: str | None
) -> None:
    assert old in GOOD
    with pytest.raises(SpecError) as refused:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert words in refused.value.message
    assert hint is None or hint in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        ([("a", "db1", "load3")], "the set a names 'load3', no host here"),
        ([("a", "load1", "load2")], "load1 isn't for server, and the set a needs it for that"),
        ([("a", "db1", "load1"), ("b", "db1", "load2")], "db1 is in the sets a and b"),
        ([("a", "db1", "load1"), ("a", "db1", "load2")], "two have the name 'a'"),
    ],
)
def test_a_set_that_cannot_be_is_refused(
    tmp_path: Path, sets: list[tuple[str, str, str]], words: str
) -> None:
    text = GOOD + "".join(SET.format(name=n, server=s, load=load) for n, s, load in sets)
    with pytest.raises(SpecError) as refused:
        read(tmp_path, text)
    assert words in refused.value.message


def test_a_missing_file_and_one_that_is_no_toml(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no file of hosts at"):
        read_inventory(tmp_path / "hosts.toml")
    with pytest.raises(SpecError, match=r"hosts\.toml"):
        read(tmp_path, "[[host]")


def test_sets_and_hosts_are_found_by_their_names(tmp_path: Path) -> None:
    text = GOOD.replace("load1", "db2").replace('roles = ["load"]', 'roles = ["server"]', 1)
    sets = SET.format(name="a", server="db1", load="load2")
    found = read(tmp_path, text + sets)
    assert found.set_named(None) == found.set_named("a")
    assert found.named("load2").address == "fd00::4"
    assert [host.name for host in found.agent_hosts] == ["load2"]
    with pytest.raises(SpecError, match="no set 'b'"):
        found.set_named("b")
    with pytest.raises(SpecError, match="no host 'load3'"):
        found.named("load3")


@pytest.mark.parametrize(
    ("address", "tls", "scheduler"),
    [
        ("10.0.0.2", "auto", "tls://10.0.0.2:8786"),
        ("fd00::2", "auto", "tls://[fd00::2]:8786"),
        ("127.0.0.2", "off", "tcp://127.0.0.2:8786"),
    ],
)
def test_agents_meet_at_the_server_host(
    tmp_path: Path, address: str, tls: str, scheduler: str
) -> None:
    text = GOOD.replace("schema = 1", f'schema = 1\nengine = {{ tls = "{tls}" }}')
    text = text.replace('address = "10.0.0.2"', f'address = "{address}"')
    text = text.replace("10.0.0.3", "127.0.0.3").replace("fd00::4", "::1")
    found = read(tmp_path, text)
    assert found.driver.name == "db1"
    assert found.scheduler == scheduler


def test_a_server_at_a_loopback_address_has_no_load_from_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="load1 can't reach db1, which is at a loopback address"):
        read(tmp_path, GOOD.replace("10.0.0.2", "127.0.0.1"))


def test_dyno_runs_on_the_driver_and_servers_elsewhere_need_agents(tmp_path: Path) -> None:
    driver = '[[host]]\nname = "desk"\naddress = "10.0.0.9"\nroles = ["driver"]\n'
    found = read(tmp_path, GOOD + driver)
    assert found.driver.name == "desk"
    assert found.is_apart(found.sets[0])
    assert [host.name for host in found.agent_hosts] == ["db1", "load1", "load2"]
    assert found.scheduler == "tls://10.0.0.9:8786"
    with pytest.raises(SpecError, match="desk and desk2 are both drivers"):
        read(tmp_path, GOOD + driver + driver.replace("desk", "desk2").replace("0.9", "0.8"))


def test_without_a_driver_it_is_the_first_server_host(tmp_path: Path) -> None:
    found = read(tmp_path, GOOD)
    assert found.driver.name == "db1"
    assert not found.is_apart(found.sets[0])
    assert [host.name for host in found.agent_hosts] == ["load1", "load2"]
