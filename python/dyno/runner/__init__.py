"""The only orchestrator: blocks, trials, steps, resume. It makes run folders and judges nothing: a
function passed in by the command line decides when to stop.
"""

from dyno.runner.run import Decision, Judge, execute

__all__ = ["Decision", "Judge", "execute"]
