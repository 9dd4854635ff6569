"""Settings with several names: one declaration for all servers, written and read by their own."""

from __future__ import annotations

import pytest

from dyno.errors import SpecError
from dyno.spec.renamed import all_names, own_names, seen_as

GIB = 2**30


@pytest.mark.parametrize(
    ("product", "version", "own"),
    [
        ("mysql", (9, 7, 4), {"innodb_redo_log_capacity": "1G"}),
        ("mysql", (8, 0, 30), {"innodb_redo_log_capacity": "1G"}),
        ("mysql", (8, 0, 29), {"innodb_log_file_size": GIB // 2}),
        ("mysql", (5, 6, 24), {"innodb_log_file_size": GIB // 2}),
        ("mariadb", (10, 1, 8), {"innodb_log_file_size": GIB // 2}),
        ("mariadb", (10, 5, 0), {"innodb_log_file_size": GIB}),
        ("mariadb", (11, 8, 9), {"innodb_log_file_size": GIB}),
    ],
)
def test_the_redo_log_is_as_large_on_all(
    product: str, version: tuple[int, ...], own: dict[str, object]
) -> None:
    declared = {"innodb_redo_log_capacity": "1G"}
    assert own_names(declared, product=product, version=version) == own


def test_more_files_are_smaller() -> None:
    declared = {"innodb_redo_log_capacity": "1G", "innodb_log_files_in_group": 4}
    found = own_names(declared, product="mysql", version=(5, 6, 24))
    assert found == {"innodb_log_file_size": GIB // 4, "innodb_log_files_in_group": 4}


def test_isolation_is_written_as_all_take_it() -> None:
    for name in ("tx_isolation", "transaction_isolation"):
        found = own_names({name: "SERIALIZABLE"}, product="mysql", version=(5, 6, 24))
        assert found == {"transaction_isolation": "SERIALIZABLE"}


@pytest.mark.parametrize(
    "declared",
    [
        {"innodb_redo_log_capacity": "1G", "innodb_log_file_size": "1G"},
        {"innodb_log_file_size": "1G", "innodb_redo_log_capacity": "1G"},
        {"tx_isolation": "SERIALIZABLE", "transaction_isolation": "SERIALIZABLE"},
    ],
)
def test_one_setting_under_two_names_is_refused(declared: dict[str, str]) -> None:
    with pytest.raises(SpecError, match=r"are the same setting on mariadb 10\.11\.5") as error:
        own_names(declared, product="mariadb", version=(10, 11, 5))
    assert error.value.hint == "give one of them"


def test_a_capacity_that_is_no_size_is_refused() -> None:
    with pytest.raises(SpecError, match="innodb_redo_log_capacity: 'big' is not a size"):
        own_names({"innodb_redo_log_capacity": "big"}, product="mariadb", version=(10, 11, 5))


def test_values_are_read_under_any_name() -> None:
    old = {"tx_isolation": "SERIALIZABLE", "innodb_log_file_size": "100"}
    assert seen_as("transaction_isolation", old) == "SERIALIZABLE"
    assert seen_as("tx_isolation", {"transaction_isolation": "X"}) == "X"
    assert seen_as("innodb_redo_log_capacity", old) == "100"
    assert seen_as("innodb_redo_log_capacity", old | {"innodb_log_files_in_group": "2"}) == "200"
    assert seen_as("innodb_redo_log_capacity", {}) is None
    assert seen_as("key_buffer_size", {"key_buffer_size": "7"}) == "7"


def test_what_is_declared_is_declared_under_every_name() -> None:
    assert all_names(["innodb_redo_log_capacity", "a"]) == {
        "a",
        "innodb_redo_log_capacity",
        "innodb_log_file_size",
        "innodb_log_files_in_group",
    }
    assert all_names(["tx_isolation"]) == {"tx_isolation", "transaction_isolation"}


@pytest.mark.parametrize(("shown", "seen"), [("OFF", "1"), ("ON", "0"), ("0", "1"), ("1", "0")])
def test_a_switch_that_is_turned_off_is_seen_turned_off(shown: str, seen: str) -> None:
    assert seen_as("skip_log_bin", {"log_bin": shown}) == seen
    assert seen_as("disable_log_bin", {"log_bin": shown}) == seen


def test_a_variable_of_such_a_name_is_itself() -> None:
    assert seen_as("skip_name_resolve", {"skip_name_resolve": "ON", "name_resolve": "ON"}) == "ON"
    assert seen_as("skip_nothing", {"log_bin": "ON"}) is None
    assert all_names(["skip_log_bin"]) == {"skip_log_bin", "log_bin"}
