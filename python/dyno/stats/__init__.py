"""Statistics: arrays in, estimates out. Imports numpy and scipy, and `dyno.looks`.

The replicate is the block, the contrast its log ratio. `contrasts` makes contrasts, `rank` judges
one set of them exactly, `estimate` is the result type, `boundary` knows what repeated looks cost,
`sequential` decides when to stop, `effect` says what could have been seen, `claims` and `holm` turn
intervals and p-values into verdicts; `proportion` is for shares and means of counted ops. For the
functions of a profile: `sampled` makes costs of samples, `common` finds what they share, `floored`
and `discovery` test them, `resolution` says what can be seen. Inside one trial: `warmup` finds
where it ends, `steady` and `stalls` judge what is left; over a sweep: `usl`. Which of many settings
make a difference is for the folder `mirror`, which nothing here imports. The reasons are in
docs/concepts/statistics.md.
"""

from dyno.stats.boundary import (
    calibrate,
    p_star,
    sequential_p,
)
from dyno.stats.claims import Between, Expectation, Kind, Region, Verdict, needed_blocks, verdict
from dyno.stats.common import common_factors
from dyno.stats.components import (
    Components,
    Narrowed,
    Proposal,
    components,
    propose,
    relative_error,
)
from dyno.stats.contrasts import Contrasts, block_contrasts, log_ratio, paired_log_ratios
from dyno.stats.discovery import benjamini_hochberg
from dyno.stats.effect import smallest_effect, spread
from dyno.stats.estimate import Estimate, bounded
from dyno.stats.floored import FlooredRows, floored_t
from dyno.stats.holm import holm
from dyno.stats.mean import student_mean
from dyno.stats.proportion import clopper_pearson, mean_of_known_spread, wilson
from dyno.stats.rank import Floats, SignedRank, hodges_lehmann, p_value, signed_rank
from dyno.stats.resolution import (
    profile_error,
    samples_for,
    samples_of_trial,
    smallest_found,
)
from dyno.stats.sampled import Sampled, counting_noise, differences, shares_of_both
from dyno.stats.sequential import (
    ONE_PERCENT,
    Design,
    Look,
    SoFar,
    State,
    judge,
    looked,
    so_far,
    stopping_look,
)
from dyno.stats.stalls import Evenness, Stall, Stalls, evenness, find_stalls
from dyno.stats.steady import Steadiness, steadiness
from dyno.stats.usl import Knee, UslFit, fit_usl, knee
from dyno.stats.warmup import Cut, mser5

__all__ = [
    "ONE_PERCENT",
    "Between",
    "Components",
    "Contrasts",
    "Cut",
    "Design",
    "Estimate",
    "Evenness",
    "Expectation",
    "Floats",
    "FlooredRows",
    "Kind",
    "Knee",
    "Look",
    "Narrowed",
    "Proposal",
    "Region",
    "Sampled",
    "SignedRank",
    "SoFar",
    "Stall",
    "Stalls",
    "State",
    "Steadiness",
    "UslFit",
    "Verdict",
    "benjamini_hochberg",
    "block_contrasts",
    "bounded",
    "calibrate",
    "clopper_pearson",
    "common_factors",
    "components",
    "counting_noise",
    "differences",
    "evenness",
    "find_stalls",
    "fit_usl",
    "floored_t",
    "hodges_lehmann",
    "holm",
    "judge",
    "knee",
    "log_ratio",
    "looked",
    "mean_of_known_spread",
    "mser5",
    "needed_blocks",
    "p_star",
    "p_value",
    "paired_log_ratios",
    "profile_error",
    "propose",
    "relative_error",
    "samples_for",
    "samples_of_trial",
    "sequential_p",
    "shares_of_both",
    "signed_rank",
    "smallest_effect",
    "smallest_found",
    "so_far",
    "spread",
    "steadiness",
    "stopping_look",
    "student_mean",
    "verdict",
    "wilson",
]
