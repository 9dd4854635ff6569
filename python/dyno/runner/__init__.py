"""The only orchestrator: blocks, trials, steps, resume. It makes run folders and judges nothing:
when to stop is asked of a function that the command line passes in.
"""

from dyno.runner.run import Decision, Judge, execute

__all__ = ["Decision", "Judge", "execute"]
