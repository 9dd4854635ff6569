"""The only orchestrator: blocks, trials, steps, resume. It makes run folders and judges nothing: a
function passed in by the command line decides when to stop.

`execute` is in `run`. Nothing is imported here, so that a check of a plan doesn't wait for it.
"""
