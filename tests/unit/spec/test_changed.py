"""Copies of models are checked as what is read from a file is."""

from __future__ import annotations

import pytest

from dyno.errors import SpecError
from dyno.spec.changed import changed
from dyno.spec.least import Least
from dyno.spec.protocol import Protocol
from dyno.spec.slap import SlapWorkload


def test_a_copy_has_the_new_values_and_no_other() -> None:
    protocol = changed(Protocol.model_validate({"warmup": "10s"}), duration=7.0)
    assert (protocol.warmup, protocol.duration) == (10.0, 7.0)
    assert protocol.model_fields_set == {"warmup", "duration"}, "defaults are still defaults"


def test_keys_that_are_written_otherwise_are_kept() -> None:
    given = {"variable": "tmp_table_size", "from": 16, "to": 64}
    least = changed(Least.model_validate(given), to=128)
    assert (least.from_, least.to) == (16, 128)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rows": -1}, "rows: it should be greater than or equal to 0, got -1"),
        ({"row": 1}, "unknown key 'row'"),
        ({"int_columns": 0, "char_columns": 0}, "there is no column to read or write"),
    ],
)
def test_what_a_file_may_not_say_no_copy_says(values: dict[str, int], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        changed(SlapWorkload(kind="slap"), **values)
    assert caught.value.message == message
    assert caught.value.hint or values == {"rows": -1}
