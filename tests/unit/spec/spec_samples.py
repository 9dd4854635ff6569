"""Small experiments that are right in every part; tests break them."""

TWO_ARMS = """
title = "t"
question = "q?"
[[arm]]
name = "a"
server = "s"
baseline = true
[[arm]]
name = "b"
server = "t"
"""
GOOD = """
title = "T"
question = "Q?"
[[arm]]
name = "a"
baseline = true
server = "mysql-5.6.24"
[[arm]]
name = "b"
server = "mariadb-10.1.8"
[workload]
kind = "statements"
[[workload.table]]
name = "t"
rows = 100
create = "CREATE TABLE t (id INT) ENGINE={engine}"
columns = [{ name = "id", generate = "int", min = 0, max = 9 }]
[[workload.statement]]
name = "q"
sql = "SELECT 1"
[[claim]]
says = "b is faster"
op = "q"
ratio_of = ["b", "a"]
expect = 0.5
"""

LOAD = """
title = "T"
question = "Q?"
[[arm]]
name = "a"
baseline = true
server = "mysql-5.6.24"
[[arm]]
name = "b"
server = "mariadb-10.1.8"
[workload]
kind = "oltp"
script = "oltp_read_write"
tables = 4
table_size = 1000
[sweep]
connections = [1, 8, 64]
[protocol]
warmup = "5s"
duration = "20s"
[quick]
scale = 0.5
connections = [1, 8]
duration = "2s"
"""

CLAIM = """
[[claim]]
says = "b does more"
ratio_of = ["b", "a"]
at = 8
at_least = 1.1
"""

SEARCH = """
[[task]]
name = "least log"
sql = "ALTER TABLE sbtest1 ADD INDEX k2 (k)"
undo = "ALTER TABLE sbtest1 DROP INDEX k2"
least = { variable = "innodb_online_alter_log_max_size", from = "64K", to = "64M" }
beside = true
"""
