"""Findings that only runs of the workload `tpcc` have."""
