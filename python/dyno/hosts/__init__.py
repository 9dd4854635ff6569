"""Load generators: one on this host, or one load from several hosts, with the results together.

Nothing is imported here: an agent needs the few modules that run on a load host.
"""
