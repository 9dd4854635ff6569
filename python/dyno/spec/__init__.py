"""What is asked: experiment.toml -> Experiment -> Plan, and the load generator's plan and events.

Pure data and pure functions: nothing here starts a server, reads a clock or writes a file but the
experiment that it is asked to read.
"""
