"""Values that a server has but refuses once they are set: few starts find them."""

from __future__ import annotations

import pytest

from dyno.analysis.why import Found, settable
from dyno.errors import SpecError
from dyno.spec.experiment import Arm
from dyno.spec.why import Factor

FIRST = Arm.model_validate({"name": "x", "server": "m", "settings": {"s3": "9"}})
SECOND = Arm.model_validate({"name": "y", "server": "other"})


def found(count: int) -> Found:
    """Factors `s0`, `s1`, ...: 1 on the first arm, 2 on the second."""
    factors = [
        Factor(name=f"s{n}", first={f"s{n}": "1"}, second={f"s{n}": "2"}) for n in range(count)
    ]
    return Found(factors, ["theirs"])


class Servers:
    """Servers that refuse all of these values together."""

    def __init__(self, *refused: dict[str, str]) -> None:
        self.refused = refused
        self.started: list[Arm] = []

    def __call__(self, arm: Arm) -> bool:
        self.started.append(arm)
        return not any(rule.items() <= arm.settings.items() for rule in self.refused)


def names(result: Found) -> set[str]:
    return {factor.name for factor in result.factors}


def test_each_server_is_started_once_with_all_its_own_values() -> None:
    servers = Servers()
    assert settable(found(4), FIRST, SECOND, servers) == found(4)
    first, second = servers.started
    assert (str(first.server), first.settings) == ("m", {f"s{n}": "1" for n in range(4)})
    assert (str(second.server), second.settings) == ("other", {f"s{n}": "2" for n in range(4)})


def test_what_its_own_server_refuses_is_left_to_the_servers() -> None:
    servers = Servers({"s5": "1"}, {"s20": "2"}, {"s21": "2"})
    result = settable(found(28), FIRST, SECOND, servers)
    assert names(result) == {f"s{n}" for n in range(28)} - {"s5", "s20", "s21"}
    assert result.left == ["theirs", "s5", "s20", "s21"]
    assert len(servers.started) <= 2 + 3 * 10


def test_a_value_that_only_the_other_server_refuses_stays_a_factor() -> None:
    refuses_others_values = Servers({"s1": "2", "s0": "1"})
    assert settable(found(4), FIRST, SECOND, refuses_others_values) == found(4)


def test_of_own_values_that_are_refused_together_one_stays() -> None:
    result = settable(found(8), FIRST, SECOND, Servers({"s2": "1", "s6": "1"}))
    assert names(result) == {f"s{n}" for n in range(8)} - {"s6"}


def test_one_server_has_nothing_to_leave_a_refused_value_to() -> None:
    second = Arm.model_validate({"name": "y", "server": "m"})
    with pytest.raises(SpecError, match="s1, s2 is set to the value it reported"):
        settable(found(4), FIRST, second, Servers({"s1": "1"}, {"s2": "2"}))
