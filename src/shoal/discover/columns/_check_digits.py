"""Sums that numbers of people carry, so that a mistyped digit is noticed.

Each function takes the whole number, check digit included, as text.  A random number passes one
in about as many times as the modulus says, so a column full of passes is no coincidence.
"""

from __future__ import annotations

from collections.abc import Sequence

_VERHOEFF_PRODUCT = (
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
)
_VERHOEFF_TURN = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)


def digits(text: str) -> list[int]:
    """Digits of a text as numbers."""
    return [int(c) for c in text]


def weighted(text: str, weights: Sequence[int]) -> int:
    """Sum of digits times weights, as far as the weights reach."""
    return sum(int(c) * w for c, w in zip(text, weights, strict=False))


def cross_sum(number: int) -> int:
    """Sum of the decimal digits."""
    return sum(map(int, str(number)))


def luhn(text: str) -> bool:
    """Luhn's sum: cards, IMEI, Sweden, Canada, Israel, South Africa, Greece.

    Every second digit from the right is doubled, 10 and more count by their cross sum, and the
    sum is divisible by 10 (ISO/IEC 7812-1).

    Examples
    --------
    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = [cross_sum(2 * d) if i % 2 else d for i, d in enumerate(digits(text)[::-1])]
    return sum(doubled) % 10 == 0


def mod97(text: str) -> bool:
    """ISO 7064 MOD 97-10, letters counting 10 to 35: an IBAN with its first four signs last.

    Examples
    --------
    >>> mod97("370400440532013000DE89")
    True
    """
    return int("".join(str(int(c, 36)) for c in text)) % 97 == 1


def mod11_10(text: str) -> bool:
    """ISO 7064 MOD 11,10: tax numbers of Germany, OIB of Croatia."""
    product = 10
    for digit in digits(text[:-1]):
        product = ((product + digit) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(text[-1])


def mod11_2(text: str) -> bool:
    """ISO 7064 MOD 11-2, X standing for 10: resident numbers of China."""
    rest = 0
    for digit in digits(text[:-1]):
        rest = (rest + digit) * 2 % 11
    return (12 - rest) % 11 == (10 if text[-1] == "X" else int(text[-1]))


def verhoeff(text: str) -> bool:
    """Verhoeff's sum in the dihedral group of order 10: Aadhaar."""
    state = 0
    for position, digit in enumerate(digits(text)[::-1]):
        state = int(_VERHOEFF_PRODUCT[state][int(_VERHOEFF_TURN[position % 8][digit])])
    return state == 0
