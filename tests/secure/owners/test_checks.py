"""Counts in range and margins that agree, decided on shares; brute force beside it."""

import numpy as np
import pytest

from shoal.secure.logarithm._counts import count_bits
from shoal.secure.owners._checks import WORD, at_most, find_wrong

QUERIES = [((0, 2), {}), ((1, 2), {}), ((2,), {}), ((0, 2), {1: 0})]


def tables(codes):
    def count(columns, fixed):
        rows = codes[[all(row[c] == v for c, v in fixed.items()) for row in codes]]
        result = np.zeros([2] * len(columns), np.uint32)
        for row in rows:
            result[tuple(row[list(columns)])] += 1
        return result

    return [count(columns, fixed) for columns, fixed in QUERIES]


def check(both, answers, width=6):
    rng = np.random.default_rng(0)
    shares = {
        name: [rng.integers(0, 2**32, t.shape, dtype=np.uint32) for t in own]
        for name, own in answers.items()
    }
    rest = {
        name: [t - s for t, s in zip(own, shares[name], strict=True)]
        for name, own in answers.items()
    }

    def ask(party, own):
        return find_wrong(party, own, QUERIES, width)

    one, two = both(ask, (shares,), (rest,))
    assert one == two
    return one


@pytest.fixture(scope="module")
def honest():
    return tables(np.random.default_rng(1).integers(0, 2, (40, 3)))


def changed(own, number, place, by):
    copied = [t.copy() for t in own]
    copied[number].flat[place] = (int(copied[number].flat[place]) + by) % 2**32
    return copied


def test_counts_pass_and_everything_else_is_named(both, honest):
    answers = {
        "honest": honest,
        "empty": [np.zeros_like(t) for t in honest],
        "large": changed(honest, 3, 0, 2**6),
        "negative": changed(honest, 3, 0, -41),
        "one more": changed(honest, 1, 2, 1),
        "moved": changed(changed(honest, 0, 0, 1), 0, 1, -1),
        "other total": changed(honest, 2, 1, 1),
    }
    assert check(both, answers) == set(answers) - {"honest", "empty"}


def test_the_price_is_what_the_notes_say():
    from shoal.secure.owners._checks import _different, _too_large

    assert _different().circuit.n_and == 31
    for width in (6, 16, 31):
        assert _too_large(width).circuit.n_and == 63 - width - 1


@pytest.mark.parametrize("bound", [0, 5, 2**31 - 1])
def test_at_most(both, bound):
    values = np.array([0, 4, 5, 6, 2**31 - 1, 2**31, 2**32 - 1], np.uint32)[:, None]
    share = np.random.default_rng(2).integers(0, 2**32, values.shape, dtype=np.uint32)

    def ask(party, own):
        return party.run(at_most(bound), count_bits(own, WORD)).opened[:, 0].tolist()

    one, two = both(ask, (share,), (values - share,))
    assert one == two == [int(v) <= bound for v in values[:, 0]]
