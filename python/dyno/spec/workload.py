"""All workloads, each in its own file.

A new one has a line in each list: its keys in an experiment, and its keys in a load plan. `kind`
says what else its file has.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dyno.spec.accesslog import AccessLogWorkload, LoadAccessLog
from dyno.spec.command import CommandWorkload
from dyno.spec.ledger import LoadLedger
from dyno.spec.linkbench import LinkbenchWorkload, LoadLinkbench
from dyno.spec.oltp import LoadOltp, OltpWorkload
from dyno.spec.queries import LoadQueries, QueriesWorkload
from dyno.spec.slap import LoadSlap, SlapWorkload
from dyno.spec.statements import LoadStatements, StatementsWorkload
from dyno.spec.sysbench import LoadScript, SysbenchWorkload
from dyno.spec.tpcc import LoadTpcc, TpccWorkload

AnyWorkload = (
    StatementsWorkload
    | OltpWorkload
    | AccessLogWorkload
    | SlapWorkload
    | QueriesWorkload
    | TpccWorkload
    | LinkbenchWorkload
    | SysbenchWorkload
)
AnyLoadWorkload = (
    LoadStatements
    | LoadOltp
    | LoadAccessLog
    | LoadSlap
    | LoadQueries
    | LoadTpcc
    | LoadLinkbench
    | LoadLedger
    | LoadScript
)

Workload = Annotated[AnyWorkload, Field(discriminator="kind")]
LoadWorkload = Annotated[AnyLoadWorkload, Field(discriminator="kind")]
# Recorded command lines are only in plans.
PlannedWorkload = Annotated[AnyWorkload | CommandWorkload, Field(discriminator="kind")]
