"""Synthetic throughput of one trial: what the judges of a single series are tried against.

Ops by second or by tenth of a second, shape (trials, seconds) or (trials, tenths).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rng = np.random.Generator


def noise(rng: Rng, trials: int, seconds: int, *, rho: float = 0.6) -> Floats:
    """Standard normal AR(1): the seconds of one trial depend on each other."""
    drawn = rng.standard_normal((trials, seconds)) * np.sqrt(1 - rho * rho)
    values = np.empty_like(drawn)
    values[:, 0] = rng.standard_normal(trials)
    for second in range(1, seconds):
        values[:, second] = rho * values[:, second - 1] + drawn[:, second]
    return values


def warming(rng: Rng, trials: int, seconds: int, *, tau_s: float, by: float = -0.3) -> Floats:
    """Throughput of 1 that begins `by` off and nears 1 with time constant tau; 3 % noise."""
    level = 1 + by * np.exp(-np.arange(seconds) / tau_s)
    return level + 0.03 * noise(rng, trials, seconds)


def steady(rng: Rng, trials: int, seconds: int, *, cv: float = 0.03) -> Floats:
    """Throughput of 1 throughout."""
    return 1 + cv * noise(rng, trials, seconds)


def tenths(rng: Rng, per_second: Floats, *, ops: float) -> npt.NDArray[np.int64]:
    """Ops that ended by tenth of a second, `ops` on average where throughput is 1 (Poisson)."""
    return rng.poisson(np.clip(np.repeat(per_second, 10, axis=1), 0, None) * ops)
