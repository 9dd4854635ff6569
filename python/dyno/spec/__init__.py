"""What is asked: experiment.toml -> Experiment -> Plan, and the load generator's plan and events.

Pure data and pure functions: nothing here starts a server, reads a clock, writes a file, or reads
one other than the experiment's.
"""
