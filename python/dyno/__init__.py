"""Dyno: a test bench for database storage engines.

The packages and who may import whom are listed in CONTRIBUTING.md and enforced by import-linter.
"""

__version__ = "0.1.0"
