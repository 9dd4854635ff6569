"""A pool's sets of hosts: what each says, and whether they agree."""

from __future__ import annotations

import pytest
from load_fixtures import sweep
from trials import trial_of

from dyno.analysis.part import BlockValue
from dyno.analysis.verdicts.model import Compared
from dyno.analysis.verdicts.sets import by_set, check, set_of_blocks
from dyno.spec.changed import changed
from dyno.spec.inventory import Inventory
from dyno.store.hosts import HostsUsed
from dyno.store.load_host import LoadHostRead
from dyno.store.trial import Trial

POOL = Inventory.model_validate(
    {
        "schema": 1,
        "host": [
            {"name": "desk", "address": "10.0.0.1", "roles": ["driver"]},
            {"name": "db1", "address": "10.0.0.2", "roles": ["server"]},
            {"name": "load1", "address": "10.0.0.3", "roles": ["load"]},
            {"name": "db2", "address": "10.0.0.4", "roles": ["server"]},
            {"name": "load2", "address": "10.0.0.5", "roles": ["load"]},
        ],
        "set": [
            {"name": "a", "server": "db1", "load": ["load1"]},
            {"name": "b", "server": "db2", "load": ["load2"]},
        ],
    }
)
USED = HostsUsed(inventory=POOL)
SETS = {block: "ab"[block % 2] for block in range(8)}


def trial(block: int) -> Trial:
    made_by = LoadHostRead(name=f"load{1 + block % 2}")
    return trial_of(number=block + 1, block=block, load_hosts=[made_by])


def compared(*ratios: float) -> Compared:
    blocks = [BlockValue(block=block, value=value) for block, value in enumerate(ratios)]
    first = next(each for each in sweep().compared if each.primary)
    return changed(first, blocks=blocks, n=len(blocks))


AGREED = compared(1.30, 1.31, 1.32, 1.30, 1.29, 1.32, 1.31, 1.30)
APART = compared(1.30, 1.01, 1.32, 1.00, 1.29, 1.02, 1.31, 1.00)


def test_a_block_lies_on_the_set_whose_host_made_its_load() -> None:
    assert set_of_blocks(USED, [trial(block) for block in range(8)]) == SETS


def test_one_set_alone_is_no_pool() -> None:
    assert set_of_blocks(None, [trial(0)]) == {}
    assert set_of_blocks(changed(USED, set="a"), [trial(0)]) == {}
    assert list(by_set([AGREED], {})) == []
    assert list(check([AGREED], {})) == []


def test_each_set_has_its_own_ratio() -> None:
    first, second = by_set([APART], SETS)
    assert (first.set, first.n, second.set, second.n) == ("a", 4, "b", 4)
    assert first.ratio.value == pytest.approx(1.305)
    assert second.ratio.value == pytest.approx(1.005)
    assert list(by_set([changed(APART, primary=False)], SETS)) == []


def test_sets_that_agree_are_ok() -> None:
    (found,) = check([AGREED], SETS)
    assert found.check == "ok"
    assert found.says == "The 2 sets of hosts agree in 1 main comparison."


def test_sets_that_do_not_agree_are_a_warning_with_the_comparison() -> None:
    (found,) = check([AGREED, APART], SETS)
    assert found.check == "warning"
    assert found.details == [APART.sentence]


def test_too_few_blocks_can_not_say() -> None:
    (found,) = check([compared(1.3, 1.0, 1.3, 1.0)], SETS)
    assert found.check == "unknown"
