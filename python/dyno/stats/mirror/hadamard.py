"""Hadamard matrices, and designs drawn from them: all effects at once, each from all pairs.

A row of a design says for each factor whether it has A's value (-1) or B's (+1), and stands for two
trials, its own and its mirror image's. With orthogonal columns the sd of an effect is that of one
pair over sqrt(m); a setting at a time would need p times as many pairs for it (Hotelling 1944,
Annals of Mathematical Statistics 15). There is no intercept, so that m columns serve m factors.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dyno.stats.rank import Floats

ORDERS = (4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 60, 64, 68)
"""The orders offered. 52 would take squares in a field of 25 elements."""

MOST_FACTORS = ORDERS[-1]


def order_for(factors: int) -> int:
    """The smallest order that serves this many factors. ValueError for none and for over 68."""
    if not 1 <= factors <= MOST_FACTORS:
        raise ValueError(f"a design takes 1 to {MOST_FACTORS} factors, not {factors}")
    return next(order for order in ORDERS if order >= factors)


@lru_cache(maxsize=len(ORDERS))
def hadamard(order: int) -> Floats:
    """A matrix of +1 and -1, shape (order, order), with orthogonal rows; read-only.

    By Paley's two constructions (1933, Journal of Mathematics and Physics 12) where a prime allows
    one, else two copies of the matrix half as large, beside each other and below (Sylvester).
    ValueError for an order that isn't offered.
    """
    if order not in ORDERS:
        raise ValueError(f"orders are {ORDERS}, not {order}")
    if _is_prime(order - 1):
        found = _first_of_paley(order - 1)
    elif _is_prime(order // 2 - 1) and order % 8 == 4:
        found = _second_of_paley(order // 2 - 1)
    else:
        half = hadamard(order // 2)
        found = np.block([[half, half], [half, -half]])
    if not np.array_equal(found @ found.T, order * np.eye(order)):
        raise ArithmeticError(f"the matrix of order {order} isn't orthogonal")
    found.setflags(write=False)
    return found


def drawn(factors: int, rng: np.random.Generator) -> Floats:
    """A design of +-1, shape (m, factors): columns in random order, each times a coin.

    The coin of a factor that does nothing may be flipped without any change to the law of the
    costs. So the factor's effect, one value a block, is symmetric about 0 whatever the other
    factors and the noise do, and the signed-rank test is exact.
    """
    matrix = hadamard(order_for(factors))
    columns = rng.permutation(len(matrix))[:factors]
    coins = 2 * rng.integers(0, 2, factors) - 1
    design: Floats = matrix[:, columns] * coins
    return design


def factorial(factors: int) -> Floats:
    """All rows of +-1 in binary order, shape (2^factors, factors): row T has factor i at B where
    bit i of T is set. The first row is A, the last one B.
    """
    rows = np.arange(2**factors)[:, np.newaxis]
    return np.where(rows >> np.arange(factors) & 1, 1.0, -1.0)


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % d for d in range(2, math.isqrt(number) + 1))


def _bordered(prime: int) -> Floats:
    """Shape (prime + 1, prime + 1): 0 in the corner, ones beside it and below, and inside 1 where
    the difference of row and column is a square modulo the prime, 0 on the diagonal, else -1.
    """
    character = np.full(prime, -1.0)
    character[[number * number % prime for number in range(1, prime)]] = 1.0
    character[0] = 0.0
    places = np.arange(prime)
    found = np.ones((prime + 1, prime + 1))
    found[0, 0] = 0.0
    found[1:, 1:] = character[(places[:, np.newaxis] - places) % prime]
    return found


def _first_of_paley(prime: int) -> Floats:
    """Of order prime + 1, for a prime of the form 4n + 3, where the inner part is skew."""
    skew = _bordered(prime)
    skew[1:, 0] = -1.0
    return skew + np.eye(prime + 1)


def _second_of_paley(prime: int) -> Floats:
    """Of order 2 (prime + 1), for a prime of the form 4n + 1, where the inner part is symmetric."""
    corner = np.array([[1.0, -1.0], [-1.0, -1.0]])
    spread = np.kron(_bordered(prime), np.array([[1.0, 1.0], [1.0, -1.0]]))
    return spread + np.kron(np.eye(prime + 1), corner)
