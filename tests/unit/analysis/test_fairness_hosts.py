"""The check of the hosts that made the load."""

from __future__ import annotations

from typing import Any

from dyno.analysis.fairness.hosts import checks

FACTS: dict[str, Any] = {"cpu_model": "X", "cores_logical": 8, "kernel": "6.1", "warnings": []}


def hosts(**of_second: object) -> dict[str, Any]:
    return {"load_hosts": {"load1": FACTS, "load2": FACTS | of_second}}


def test_one_host_has_no_such_check() -> None:
    assert list(checks({})) == []
    assert list(checks({"load_hosts": None})) == []


def test_hosts_that_are_alike_are_fair() -> None:
    (found,) = checks(hosts())
    assert found.check == "ok"
    assert found.says.startswith("2 hosts made the load")


def test_other_cpus_are_a_warning_that_names_them() -> None:
    (found,) = checks(hosts(cpu_model="Y", cores_logical=4))
    assert found.check == "warning"
    assert found.details == ["CPU: X (load1); Y (load2)", "CPUs: 8 (load1); 4 (load2)"]


def test_what_disturbs_a_host_is_said_with_its_name() -> None:
    (found,) = checks(hosts(warnings=["swap is in use"]))
    assert found.check == "warning"
    assert found.details == ["load2: swap is in use"]
