"""Student's distribution."""

from __future__ import annotations

import math


def t_cdf(t: float, freedom: float) -> float:
    """Student's distribution, by the incomplete beta function."""
    tail = 0.5 * _beta(freedom / (freedom + t * t), freedom / 2, 0.5)
    return 1 - tail if t > 0 else tail


def t_quantile(q: float, freedom: float) -> float:
    """For q above 0.5, by Newton's method. From the left of the quantile it cannot overshoot: the distribution is
    concave. A start that is too far to the right is followed by one on the left."""
    low, at = 0.0, _start(q, freedom)
    for _ in range(60):
        beyond = t_cdf(at, freedom) - q
        low = at if beyond < 0 else low
        step = beyond / _density(at, freedom)
        if abs(step) <= 1e-10 * at:
            break
        at = at - step if at - step > low else (low + at) / 2
    return at


def _start(q: float, freedom: float) -> float:
    """The normal quantile, with its first correction. Source: Abramowitz and Stegun, 26.2.23 and 26.7.5."""
    t = math.sqrt(-2 * math.log(1 - q))
    z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    z = max(z, 1e-6)
    return z + (z**3 + z) / (4 * freedom)


def _density(t: float, freedom: float) -> float:
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    return math.exp(scale - (freedom + 1) / 2 * math.log1p(t * t / freedom))


def _beta(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function, by its continued fraction (Lentz). Source: DLMF 8.17.22."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    tiny = 1e-300
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    value = d
    for m in range(1, 400):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / ((1 + term * d) or tiny)
            c = (1 + term / c) or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return front * value
