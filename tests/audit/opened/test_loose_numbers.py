"""Numbers in lists of anything, in their order."""

import datetime as dt
from decimal import Decimal

import numpy as np

from shoal.audit.opened._loose_numbers import loose_numbers


def test_numbers_between_other_things():
    given = [1, {}, [2.5, (Decimal("3.5"), "4")], None, True, np.float32(5), [[6]]]
    assert loose_numbers(given).tolist() == [1, 2.5, 3.5, 5, 6]


def test_times_and_pairs_are_numbers():
    given = [dt.timedelta(seconds=2.5), dt.date(1, 1, 3), dt.time(0, 1), 2 + 3j]
    assert loose_numbers(given).tolist() == [2.5, 3, 60, 2, 3]


def test_few_numbers_endless_ones_and_texts_are_none():
    assert loose_numbers([1, 2]) is None
    assert loose_numbers([float("inf"), float("nan"), 10**400, 1]) is None
    assert loose_numbers({"a": 1}) is None
