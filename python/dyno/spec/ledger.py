"""The workload `ledger` of load plans: rows whose acknowledgements dynoload writes down, so that it
can be told afterwards which of them a server has lost.
"""

from __future__ import annotations

from typing import Literal

from dyno.spec.strict import Strict

LedgerOp = Literal["insert", "update", "transaction"]
ALL_OPS: list[LedgerOp] = ["insert", "update", "transaction"]
_REPEATS = 5


class LoadLedger(Strict):
    """The workload in a load plan. `notes_file` gets a line for each op that the server has
    acknowledged: "ns op id", and of an update "ns update id version".
    """

    kind: Literal["ledger"] = "ledger"
    ops: list[LedgerOp] = ALL_OPS
    rows: int = 1000
    engine: str = "innodb"
    create_options: str = ""
    notes_file: str | None = None


def body(id_: int, version: int) -> str:
    """What dynoload writes into a row."""
    return f"{id_:020}{version:020}" * _REPEATS
