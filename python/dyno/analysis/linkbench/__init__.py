"""Findings that only runs of the workload `linkbench` have."""
