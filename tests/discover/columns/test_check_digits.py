"""What the sums promise, by trying: every single wrong digit, and digits that changed places."""

import itertools
import random

import pytest

from shoal.discover.columns._check_digits import luhn, mod11_2, mod11_10, mod97, verhoeff

DIGITS = "0123456789"


def completed(check, body, signs=DIGITS):
    """The number with its check digit, found by trying; exactly one fits."""
    fitting = [body + sign for sign in signs if check(body + sign)]
    assert len(fitting) == 1
    return fitting[0]


@pytest.mark.parametrize(
    ("check", "signs"),
    [(luhn, DIGITS), (mod11_10, DIGITS), (mod11_2, DIGITS + "X"), (verhoeff, DIGITS)],
)
def test_every_wrong_digit_is_found(check, signs):
    source = random.Random(1)
    for _ in range(50):
        number = completed(check, "".join(source.choices(DIGITS, k=10)), signs)
        for place, digit in itertools.product(range(10), DIGITS):
            wrong = number[:place] + digit + number[place + 1 :]
            assert check(wrong) == (wrong == number)


@pytest.mark.parametrize(("check", "signs"), [(mod11_2, DIGITS + "X"), (verhoeff, DIGITS)])
def test_every_swap_of_neighbours_is_found(check, signs):
    source = random.Random(2)
    for _ in range(50):
        number = completed(check, "".join(source.choices(DIGITS, k=10)), signs)
        for place in range(9):
            swapped = number[:place] + number[place + 1] + number[place] + number[place + 2 :]
            assert check(swapped) == (swapped == number)


def test_luhn_misses_only_the_swap_of_nought_and_nine():
    source = random.Random(3)
    for _ in range(50):
        number = completed(luhn, "".join(source.choices(DIGITS, k=10)))
        for place in range(9):
            pair = number[place : place + 2]
            swapped = number[:place] + pair[::-1] + number[place + 2 :]
            assert luhn(swapped) == (pair[0] == pair[1] or set(pair) == {"0", "9"})


def test_one_in_ninety_seven_passes():
    source = random.Random(4)
    passed = sum(mod97("".join(source.choices(DIGITS, k=12))) for _ in range(9700))
    assert 60 < passed < 145
    assert mod97("WEST12345698765432GB82")
