"""The check of the hosts that made the load."""

from __future__ import annotations

from typing import Any

from trials import trial_of

from dyno.analysis.fairness.hosts import checks
from dyno.spec.summary import PhaseClient, PhaseSummary
from dyno.store.load_host import LoadHostRead
from dyno.store.trial import Trial

FACTS: dict[str, Any] = {"cpu_model": "X", "cores_logical": 8, "kernel": "6.1", "warnings": []}


def hosts(**of_second: object) -> dict[str, Any]:
    return {"load_hosts": {"load1": FACTS, "load2": FACTS | of_second}}


def trial(busy_pct: float | None, *, is_here: bool = False) -> Trial:
    """One in which dynoload took a fifth of the two CPUs of load1."""
    client = PhaseClient(cpu_user_s=4, cpu_system_s=0)
    account = {"scheduled": 1, "ok": 1, "failed": {}, "skipped": 0, "unfinished": 0, "ops": []}
    measured = PhaseSummary(phase="measure", elapsed_s=10, client=client, **account)
    host = LoadHostRead(
        name="load1", cpus=2, is_here=is_here, measured=measured, cpu_busy_pct=busy_pct
    )
    return trial_of(number=7, load_hosts=[host])


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


def test_what_others_took_of_a_load_host_is_a_warning_with_the_trial() -> None:
    (found,) = checks(hosts(), [trial(35), trial(68.4)])
    assert found.check == "warning"
    assert found.details == [
        "load1, trial 7: others took 48 % of its CPU time, the load generator 20 %"
    ]


def test_a_host_that_has_the_servers_is_busy_with_them() -> None:
    (found,) = checks(hosts(), [trial(98, is_here=True), trial(None)])
    assert found.check == "ok"
