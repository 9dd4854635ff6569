"""What an engine costs over its floor, on a host that does nothing else."""

from __future__ import annotations

import pytest
from floored import floored_run


def test_an_insert_into_innodb_takes_more_cpu_than_its_floor(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    _, findings = floored_run(tmp_path_factory.mktemp("floor"))
    (innodb,) = [
        cost
        for cost in findings["engine_costs"]
        if (cost["arm"], cost["quantity"]) == ("InnoDB", "server_cpu")
    ]
    # A transaction's log isn't a small part of one row.
    assert innodb["arm_us"] > innodb["floor_us"]
