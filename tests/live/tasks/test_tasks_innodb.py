"""What InnoDB is known to do, on old and new servers: an online ALTER that fails when its log
of changes is full, and an OPTIMIZE that defragments in place.
"""

from __future__ import annotations

import pytest
from small_tasks import Experiment, task_of, writes_beside
from thinned import thinned

OVERFLOW = f"""
title = "overflow"
question = "Does an online ALTER survive the writes beside it?"
{writes_beside(log_bytes=65_536)}
[[task]]
name = "rebuild"
sql = "ALTER TABLE sbtest1 FORCE, ALGORITHM=INPLACE, LOCK=NONE"
beside = true
before = "0.5s"
after = "0.5s"
[[task]]
name = "after it"
sql = "SELECT count(*) FROM sbtest1"
beside = true
before = "0.5s"
after = "0.5s"
"""

# Pages that fall under half are merged with their neighbours by InnoDB itself. So the rows that go
# are three of four, and the short ones: more than half of each page stays.
DEFRAGMENT = """
title = "defragment"
question = "What does OPTIMIZE do to a table with holes?"
[settings]
innodb_file_per_table = 1
[[arm]]
name = "nothing"
baseline = true
server = "SERVER"
[[arm]]
name = "defragment"
server = "SERVER"
settings = { innodb_defragment = 1 }
[[arm]]
name = "rebuild"
server = "SERVER"
settings = { innodb_defragment = 0 }
[workload]
kind = "statements"
[[workload.table]]
name = "t"
rows = 30000
create = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(200)) ENGINE=InnoDB"
after = ["UPDATE t SET v = LEFT(v, 10) WHERE id % 4 <> 0", "ALTER TABLE t FORCE"]
columns = [
  { name = "id", generate = "sequence" },
  { name = "v", generate = "hex", length = 200, distinct = 1000000 },
]
[[workload.statement]]
name = "read all"
sql = "SELECT count(*), sum(length(v)) FROM t"
[protocol]
blocks = { first = 1, last = 1 }
[[task]]
name = "make holes"
sql = ["DELETE FROM t WHERE id % 4 <> 0", "SET GLOBAL innodb_fast_shutdown = 0"]
compare = "nothing"
[[task]]
name = "purge"  # A slow shutdown does it whole, which no time of waiting can promise.
do = "restart"
compare = "nothing"
[[task]]
name = "optimize"
sql = "OPTIMIZE TABLE t"
arms = ["defragment", "rebuild"]
[[task]]
name = "analyze"
sql = "ANALYZE TABLE t"
compare = "nothing"
"""


def test_an_alter_whose_log_overflows_fails_and_the_trial_goes_on(experiment: Experiment) -> None:
    experiment.write(OVERFLOW)
    experiment.run()
    trials = experiment.trials()
    for arm in ("old", "new"):
        trial = trials[arm]
        assert trial["status"] == "ok", trial["failure"]
        rebuild, after = trial["tasks"]
        assert (rebuild["outcome"], rebuild["code"]) == ("failed", 1799), rebuild
        assert "innodb_online_alter_log_max_size" in rebuild["message"]
        assert rebuild["elapsed_s"] > 0
        assert after["outcome"] == "ok"
        (size,) = after["sizes_after"]
        assert size["table"] == "sbtest1"


@pytest.mark.parametrize("server", thinned(["mariadb-10.1.8", "mariadb-10.11.5"], least=1))
def test_optimize_defragments_in_place(experiment: Experiment, server: str) -> None:
    experiment.write(DEFRAGMENT.replace("SERVER", server))
    experiment.run()
    trials = experiment.trials()
    assert all(trial["status"] == "ok" for trial in trials.values())
    pages = {
        arm: next(i["leaf_pages"] for i in trial["storage"]["indexes"] if i["index"] == "PRIMARY")
        for arm, trial in trials.items()
    }
    done, rebuilt = (task_of(trials[arm], "optimize") for arm in ("defragment", "rebuild"))
    assert pages["defragment"] < 0.85 * pages["nothing"]
    assert pages["rebuild"] < 0.85 * pages["nothing"]
    assert done["outcome"] == rebuilt["outcome"] == "ok"
    assert done["status_after"]["Innodb_defragment_count"] > 0
    assert done["status"]["Innodb_defragment_count"] > 0
    assert done["status_after"]["Innodb_defragment_failures"] == 0
    assert rebuilt["status_after"]["Innodb_defragment_count"] == 0
    (before,), (after,) = done["sizes_before"], done["sizes_after"]
    assert after["file_bytes"] == before["file_bytes"], "defragmenting shrinks no file"
    (before,), (after,) = rebuilt["sizes_before"], rebuilt["sizes_after"]
    assert after["file_bytes"] < before["file_bytes"]
    rows = {trial["sizes"][0]["rows"] for trial in trials.values()}
    assert rows == {7500}
