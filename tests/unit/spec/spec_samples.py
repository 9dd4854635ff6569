"""A small experiment that is right in every part; tests break it."""

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
