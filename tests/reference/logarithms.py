"""Slow, obvious twins of the secure logarithm, and the published division that does not work."""

import math
from fractions import Fraction


def nearest_power(x):
    """n and epsilon with x = 2**n (1 + epsilon), -1/4 <= epsilon < 1/2, by trying every n."""
    for n in range(64):
        epsilon = Fraction(x, 2**n) - 1
        if Fraction(-1, 4) <= epsilon < Fraction(1, 2):
            return n, epsilon
    raise AssertionError


def taylor(x, terms):
    """Natural logarithm by a truncated series, in fractions but for ln 2."""
    n, epsilon = nearest_power(x)
    series = sum((-1) ** (i - 1) * epsilon**i / i for i in range(1, terms + 1))
    return n * math.log(2) + float(series)


def uncorrected(epsilon_scaled, bits, terms, prime):
    """The refinement as published in 2000: division by 2**(N (i-1)) as a modular inverse."""
    lcm = math.lcm(*range(1, terms + 1))
    total = 0
    for i in range(1, terms + 1):
        inverse = pow(2 ** (bits * (i - 1)), -1, prime)
        total += (-1) ** (i - 1) * (lcm // i) * epsilon_scaled**i * inverse
    total %= prime
    signed = total - prime if total > prime // 2 else total
    return signed / (2**bits * lcm)
