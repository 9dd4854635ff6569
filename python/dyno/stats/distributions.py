"""Functions of distributions, from scipy.special. That takes a fifth of the time in which Dyno
loads, so the first call loads it: most commands compute none.

Each takes floats or arrays, which are broadcast, and returns an array; of floats, one without
dimensions.
"""

from __future__ import annotations

import numpy as np

from dyno.stats.rank import Floats

Numbers = float | Floats


def normal_below(z: Numbers) -> Floats:
    """The probability that a standard normal variable is at most z."""
    from scipy.special import ndtr

    return np.asarray(ndtr(z), dtype=np.float64)


def normal_quantile(p: Numbers) -> Floats:
    """The z that a standard normal variable is below with probability p."""
    from scipy.special import ndtri

    return np.asarray(ndtri(p), dtype=np.float64)


def student_below(df: Numbers, t: Numbers) -> Floats:
    """The probability that Student's t with `df` degrees of freedom is at most t."""
    from scipy.special import stdtr

    return np.asarray(stdtr(df, t), dtype=np.float64)


def student_quantile(df: Numbers, p: Numbers) -> Floats:
    """The t that Student's t with `df` degrees of freedom is below with probability p."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(df, p), dtype=np.float64)


def chi_square_exceeded(df: Numbers, p: Numbers) -> Floats:
    """What chi-square with `df` degrees of freedom exceeds with probability p."""
    from scipy.special import chdtri

    return np.asarray(chdtri(df, p), dtype=np.float64)


def beta_quantile(a: Numbers, b: Numbers, p: Numbers) -> Floats:
    """What a beta variable with the parameters a and b is below with probability p."""
    from scipy.special import betaincinv

    return np.asarray(betaincinv(a, b, p), dtype=np.float64)
