"""Where the CPU time of two arms went, compared function by function from their sampled stacks.

`names` makes symbols of two builds comparable, `objects` and `families` say what a frame belongs
to, `folding` counts the samples of a trial, `matching` finds functions that were renamed or
inlined, `compare` tests the differences, `words` says them; `latency` does the same for the time
that an op waits. `export` is for other programs that show profiles.
"""

from dyno.analysis.profiles.compare import compare
from dyno.analysis.profiles.export import speedscope
from dyno.analysis.profiles.latency import LatencyTrial, compare_latency
from dyno.analysis.profiles.model import LatencySplit, ProfileComparison
from dyno.analysis.profiles.trial import ProfiledTrial

__all__ = [
    "LatencySplit",
    "LatencyTrial",
    "ProfileComparison",
    "ProfiledTrial",
    "compare",
    "compare_latency",
    "speedscope",
]
