"""Dyno: a test bench for database storage engines.

The rooms and who may import whom are listed in CONTRIBUTING.md and held by import-linter.
"""

__version__ = "0.1.0"
