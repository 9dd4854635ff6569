"""Why one arm is slower than another: factors, what is measured next, and what was found."""

from dyno.analysis.why.answered import SEARCH, answers
from dyno.analysis.why.curve import CURVE, curve_of, curve_plan, measures_values_of
from dyno.analysis.why.factors import Found, find_factors
from dyno.analysis.why.find import find_causes
from dyno.analysis.why.judge import Next, WhyJudge, first_starts
from dyno.analysis.why.model import CAUSES_SCHEMA, CauseRead, Causes
from dyno.analysis.why.own import settable
from dyno.analysis.why.plan import choose, explained, refuse_others, why_plan
from dyno.analysis.why.words import sides, whole

__all__ = [
    "CAUSES_SCHEMA",
    "CURVE",
    "SEARCH",
    "CauseRead",
    "Causes",
    "Found",
    "Next",
    "WhyJudge",
    "answers",
    "choose",
    "curve_of",
    "curve_plan",
    "explained",
    "find_causes",
    "find_factors",
    "first_starts",
    "measures_values_of",
    "refuse_others",
    "settable",
    "sides",
    "whole",
    "why_plan",
]
