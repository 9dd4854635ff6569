"""Command lines of sysbench, mysqlslap and LinkBench as run folders: what they did, as reported.

A command line runs as it is typed, on a server that someone else runs. The folder has its figures,
the host's facts and telemetry; what only an experiment has (servers' settings, order) is missing.

Nothing is imported here: `typed` is imported before a program that needs none of the rest.
"""
