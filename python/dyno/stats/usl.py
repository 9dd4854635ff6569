"""Throughput over concurrency: the Universal Scalability Law, and what needs no law.

X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)) (Gunther 2007, "Guerrilla Capacity
Planning"): lambda is one connection's throughput, sigma the serial part, kappa the cost of keeping
every pair of connections consistent. A curve that still rises says nothing about kappa, however
well it fits: so the peak is named only if the sweep has passed it. `knee` needs no law at all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dyno.stats.distributions import student_quantile
from dyno.stats.estimate import Estimate
from dyno.stats.rank import Floats

RESIDUAL_MOST = 0.10
BEYOND_PEAK = 1.3
KNEE_SHARE = 0.95
FEWEST_LEVELS = 4
LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class UslFit:
    """The fitted law. `rate` is lambda, in units of the throughput.

    The interval of kappa has level 95 %, None for fewer than 3 blocks. `n_star` is set only if that
    interval excludes 0 and the sweep reaches beyond 1.3 n_star. `residual_max` is the largest
    relative distance of a level's median from the curve.
    """

    rate: float
    sigma: float
    kappa: Estimate
    n_star: float | None
    residual_max: float

    @property
    def fits(self) -> bool:
        """Whether the curve passes every level within 10 %."""
        return self.residual_max <= RESIDUAL_MOST

    def throughput(self, levels: npt.ArrayLike) -> Floats:
        """The curve at `levels`, shape (n,)."""
        return _curve(np.array([self.rate, self.sigma, self.kappa.value]), _as_levels(levels))


@dataclass(frozen=True, kw_only=True)
class Knee:
    """The level with the highest median, and the first with 95 % of it."""

    peak_level: float
    peak: float
    n95: float
    at_edge: bool


def fit_usl(levels: npt.ArrayLike, throughput: npt.ArrayLike) -> UslFit | None:
    """Fit by least squares of relative errors (weights 1 / X), all parameters >= 0.

    `levels`: shape (n,), connections; `throughput`: shape (blocks, n), nan where a block lacks a
    level. The interval of kappa comes from leaving out one block at a time (jackknife with
    Student's t): with few blocks that has the right coverage, and a percentile bootstrap doesn't.
    None for fewer than 4 levels: three parameters fit anything then.
    """
    n, x = _as_levels(levels), np.atleast_2d(np.asarray(throughput, dtype=np.float64))
    kept = ~np.isnan(x).all(axis=0)
    n, x = n[kept], x[:, kept]
    if len(np.unique(n)) < FEWEST_LEVELS:
        return None
    found = _fit(n, x, _guess(n, x))
    medians = np.nanmedian(x, axis=0)
    rate, sigma, kappa = found.tolist()
    interval = _kappa_interval(n, x, found)
    n_star = math.sqrt((1 - sigma) / kappa) if kappa > 0 and sigma < 1 else math.inf
    passed = interval is not None and interval[0] > 0 and float(n.max()) > BEYOND_PEAK * n_star
    return UslFit(
        rate=rate,
        sigma=sigma,
        kappa=Estimate(kappa, interval),
        n_star=n_star if passed else None,
        residual_max=float(np.max(np.abs(medians / _curve(found, n) - 1))),
    )


def knee(levels: npt.ArrayLike, throughput: npt.ArrayLike) -> Knee | None:
    """Peak and N95 from the medians over blocks, smoothed to rise up to the peak.

    Arguments as in `fit_usl`. `at_edge`: the peak is the highest level, so there may be more
    beyond. None if no level has a value.
    """
    n, x = _as_levels(levels), np.atleast_2d(np.asarray(throughput, dtype=np.float64))
    kept = ~np.isnan(x).all(axis=0)
    if not kept.any():
        return None
    order = np.argsort(n[kept])
    n, medians = n[kept][order], np.nanmedian(x[:, kept], axis=0)[order]
    top = int(np.argmax(medians))
    first = int(np.argmax(_rising(medians[: top + 1]) >= KNEE_SHARE * medians[top]))
    return Knee(
        peak_level=float(n[top]),
        peak=float(medians[top]),
        n95=float(n[first]),
        at_edge=top == len(n) - 1,
    )


def _rising(values: Floats) -> Floats:
    """The nearest values, by least squares, that never fall."""
    if bool((np.diff(values) >= 0).all()):
        return values
    from scipy.optimize import isotonic_regression  # Slow to load, and few commands fit.

    return np.asarray(isotonic_regression(values).x, dtype=np.float64)


def _as_levels(levels: npt.ArrayLike) -> Floats:
    n = np.asarray(levels, dtype=np.float64)
    if n.ndim != 1 or not (n > 0).all():
        raise ValueError(f"levels are positive numbers in one dimension, got {n}")
    return n


def _curve(parameters: Floats, n: Floats) -> Floats:
    rate, sigma, kappa = parameters
    curve: Floats = rate * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))
    return curve


def _guess(n: Floats, x: Floats) -> Floats:
    """A start near the optimum: throughput of the lowest level, and mild contention."""
    lowest = int(np.argmin(n))
    return np.array([np.nanmedian(x[:, lowest]) / n[lowest], 0.05, 1e-4])


def _fit(n: Floats, x: Floats, start: Floats) -> Floats:
    """Minimise the sum of ((X - curve) / X)^2 over all existing values."""
    rows, columns = np.nonzero(~np.isnan(x))
    values, at = x[rows, columns], n[columns]
    scale = np.array([max(start[0], 1e-9), 1e-2, 1e-4])

    def errors(p: Floats) -> Floats:
        relative: Floats = _curve(p * scale, at) / values - 1
        return relative

    def slopes(p: Floats) -> Floats:
        rate, sigma, kappa = p * scale
        below = 1 + sigma * (at - 1) + kappa * at * (at - 1)
        curve = rate * at / below
        by_parameter = (at / below, -curve * (at - 1) / below, -curve * at * (at - 1) / below)
        jacobian: Floats = np.stack(by_parameter, axis=1) / values[:, np.newaxis] * scale
        return jacobian

    begin = np.maximum(start / scale, 1e-6)
    from scipy.optimize import least_squares  # Slow to load, and few commands fit.

    found = least_squares(errors, begin, jac=slopes, bounds=(0, np.inf), xtol=1e-12, ftol=1e-12)
    # The solver stays just inside its bounds: that counts as 0.
    return np.asarray(np.where(found.x < 1e-9, 0.0, found.x * scale), dtype=np.float64)


def _kappa_interval(n: Floats, x: Floats, whole: Floats) -> tuple[float, float] | None:
    """Jackknife over blocks: kappa -+ t(.975; blocks - 1) times its standard error, from 0 up."""
    blocks = len(x)
    if blocks < 3:
        return None
    without = []
    for left_out in range(blocks):
        rest = np.delete(x, left_out, axis=0)
        kept = ~np.isnan(rest).all(axis=0)
        if len(np.unique(n[kept])) < FEWEST_LEVELS:
            return None
        without.append(float(_fit(n[kept], rest[:, kept], whole)[2]))
    error = math.sqrt((blocks - 1) * float(np.var(without)))
    half_width = float(student_quantile(blocks - 1, 0.5 + LEVEL / 2)) * error
    kappa = float(whole[2])
    return max(0.0, kappa - half_width), kappa + half_width
