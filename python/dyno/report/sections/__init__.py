"""The sections of a report, each made once for all three forms."""
