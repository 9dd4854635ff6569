"""Real access logs as rows of the table `accesslog`: lines are parsed, files converted.

Not the made-up log, which dynoload writes by itself.
"""

from dyno.weblog.convert import Converted, convert

__all__ = ["Converted", "convert"]
