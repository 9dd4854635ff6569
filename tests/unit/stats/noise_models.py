"""Synthetic noise and orderings of arms: what the statistics are tried against. Not a forecast.

Log values of runs in the order of running, shape (sessions, runs); two equal arms by construction.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Rng = np.random.Generator


def white(rng: Rng, shape: tuple[int, int]) -> Floats:
    return rng.standard_normal(shape) * 0.01


def drift(rng: Rng, shape: tuple[int, int]) -> Floats:
    """A straight line of random slope: a host that heats up, a file that grows."""
    slope = rng.standard_normal((shape[0], 1)) * 0.05
    return white(rng, shape) + slope * np.arange(shape[1]) / shape[1]


def autoregressive(rng: Rng, shape: tuple[int, int]) -> Floats:
    """AR(1) with coefficient .9: neighbours that come and go slowly."""
    level = rng.standard_normal(shape[0]) * 0.03
    levels = np.empty(shape)
    for k in range(shape[1]):
        levels[:, k] = level
        level = 0.9 * level + rng.standard_normal(shape[0]) * 0.03 * np.sqrt(1 - 0.81)
    return white(rng, shape) + levels


def period_two(rng: Rng, shape: tuple[int, int]) -> Floats:
    """In step with the alternation: a job that runs during every second trial."""
    return white(rng, shape) + np.where(np.arange(shape[1]) % 2 == 0, 0.02, -0.02)


def bursts(rng: Rng, shape: tuple[int, int]) -> Floats:
    """A noisy neighbour a fifth of the time, three runs long, 10 to 30 % slower."""
    active = rng.random(shape[0]) < 0.2
    slow = np.empty(shape, dtype=bool)
    for k in range(shape[1]):
        active = rng.random(shape[0]) < np.where(active, 0.67, 0.0825)
        slow[:, k] = active
    return white(rng, shape) - slow * rng.uniform(0.1, 0.3, shape)


MODELS: dict[str, Callable[[Rng, tuple[int, int]], Floats]] = {
    "white": white,
    "drift": drift,
    "autoregressive": autoregressive,
    "period two": period_two,
    "bursts": bursts,
}


def random_pairs(rng: Rng, runs: Floats) -> Floats:
    """Contrasts of blocks AB or BA, a coin for each."""
    coin = rng.integers(0, 2, (len(runs), runs.shape[1] // 2)) * 2 - 1
    return coin * (runs[:, 1::2] - runs[:, 0::2])


def random_quads(rng: Rng, runs: Floats) -> Floats:
    """Contrasts of blocks ABBA or BAAB, a coin for each."""
    quads = runs.reshape(len(runs), -1, 4)
    contrast = (quads[..., 1] + quads[..., 2] - quads[..., 0] - quads[..., 3]) / 2
    return contrast * (rng.integers(0, 2, contrast.shape) * 2 - 1)
