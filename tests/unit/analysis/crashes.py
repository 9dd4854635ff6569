"""Series that were made up, as folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dyno.spec.crash_load import Ledger
from dyno.spec.durability import Crashes, DurabilityClaim
from dyno.spec.experiment import Arm
from dyno.spec.series import Cell, Series
from dyno.spec.server_ref import NamedServer
from dyno.store.crash import Crash, Moment, Rig
from dyno.store.priced import Priced
from dyno.store.run import RunState
from dyno.store.series import SeriesFolder

HOST = {"kernel": "6.1", "distribution": "Debian", "cpu_model": "x", "filesystem": "ext4"}


def made_series(**changes: Any) -> Series:
    given: dict[str, Any] = {
        "name": "small",
        "title": "What is lost",
        "question": "What is lost, and when?",
        "seed": 1,
        "arms": [
            Arm(name=name, server=NamedServer("mariadb-debian")) for name in ("safe", "loose")
        ],
        "load": Ledger(),
        "crashes": Crashes(kinds=["kill", "power"], each=6),
        "budget_s": 600.0,
        "control": "loose",
        "claims": [
            DurabilityClaim(arm="loose", crash="power", says="loses", published="the manual"),
            DurabilityClaim(arm="safe", crash="power", says="keeps", below=0.5),
            DurabilityClaim(arm="safe", crash="kill", says="keeps"),
            DurabilityClaim(arm="loose", crash="kill", says="breaks", below=0.5),
        ],
    }
    return Series.model_validate(given | changes)


def crash(number: int, round_: int, cell: Cell, **changes: Any) -> Crash:
    given: dict[str, Any] = {
        "number": number,
        "round": round_,
        "arm": cell.arm,
        "kind": cell.kind,
        "product": "mariadb",
        "version": "10.11.5",
        "settings": {
            "innodb_flush_log_at_trx_commit": "1",
            "rocksdb_flush_log_at_trx_commit": None,
        },
        "after_s": 2.5,
        "ops_per_s": 800.0,
        "acknowledged": 2000,
        "lost": 0,
        "allowed": 8,
        "recovery_s": 0.5,
    }
    return Crash.model_validate(given | changes)


LOSS = {
    "lost": 300,
    "lost_s": 0.41,
    "example": "insert of id 7",
    "moments": [
        Moment(before_s=round(3 - n * 0.05, 2), acknowledged=40, lost=0 if n < 52 else 40)
        for n in range(60)
    ],
}


def price(made: SeriesFolder, **ops_per_s: float) -> None:
    """Measurements of all blocks, in which the arms differ by the same factor."""
    for number, block, arm in made.series().price_turns():
        each = ops_per_s[arm.name] * (1 + block / 100)
        made.keep_price(
            Priced(
                number=number,
                block=block,
                arm=arm.name,
                ops=round(3 * each),
                failed=0,
                window_s=3.0,
                ops_per_s=each,
            )
        )


def folder(path: Path, series: Series | None = None, **of_cells: dict[str, Any]) -> SeriesFolder:
    """All crashes of a series; `of_cells` by arm_kind says what came out other than well."""
    series = series or made_series()
    made = SeriesFolder.create(
        path,
        series=series,
        host=HOST,
        state=RunState(
            state="complete",
            reason="each arm has had its crashes, or is settled",
            started_unix_ms=1_700_000_000_000,
            elapsed_s=312.0,
            dyno="0",
            command="dyno run small",
        ),
    )
    made.write_rigs({"kill": Rig(), "power": Rig(survived={"fsync": 200, "plain": 0})})
    for number, round_, cell in series.turns():
        made.keep(crash(number, round_, cell, **of_cells.get(f"{cell.arm}_{cell.kind}", {})))
    return made
