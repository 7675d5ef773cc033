"""Counts in range and margins that agree, decided on shares; brute force beside it."""

import numpy as np
import pytest

from shoal.secure.logarithm._counts import count_bits
from shoal.secure.owners._checks import WORD, Answered, at_most, find_wrong

QUERIES = [((0, 2), {}), ((1, 2), {}), ((2,), {}), ((0, 2), {1: 0})]


def tables(codes, queries=QUERIES):
    def count(columns, fixed):
        rows = codes[[all(row[c] == v for c, v in fixed.items()) for row in codes]]
        result = np.zeros([2] * len(columns), np.uint32)
        for row in rows:
            result[tuple(row[list(columns)])] += 1
        return result

    return [count(columns, fixed) for columns, fixed in queries]


def check(both, answers, rows=40, rounds=(QUERIES,), width=6):
    """Who is found wrong, in the round in which it is; `answers` has all rounds in one list."""
    rng = np.random.default_rng(0)
    everything = {name: [np.array(rows, np.uint32), *own] for name, own in answers.items()}
    shares = {
        name: [rng.integers(0, 2**32, t.shape, dtype=np.uint32) for t in own]
        for name, own in everything.items()
    }
    rest = {
        name: [t - s for t, s in zip(own, shares[name], strict=True)]
        for name, own in everything.items()
    }

    def ask(party, own):
        said = {name: Answered(np.array(tables[0], np.uint32)) for name, tables in own.items()}
        found, start = [], 1
        for queries in rounds:
            end = start + len(queries)
            asked = {name: tables[start:end] for name, tables in own.items()}
            found.append(find_wrong(party, asked, queries, width, said))
            start = end
        return found

    one, two = both(ask, (shares,), (rest,))
    assert one == two
    return one[0] if len(rounds) == 1 else one


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
        "large": changed(honest, 3, 0, 2**6),
        "negative": changed(honest, 3, 0, -41),
        "one more": changed(honest, 1, 2, 1),
        "moved": changed(changed(honest, 0, 0, 1), 0, 1, -1),
        "other total": changed(honest, 2, 1, 1),
    }
    assert check(both, answers) == set(answers) - {"honest"}
    nobody = {"empty": [np.zeros_like(t) for t in honest]}
    assert check(both, nobody, rows=0) == set()
    assert check(both, nobody) == {"empty"}  # forty rows were announced


LEVELS = (  # a tree that splits on column 1 and then, below its value 0, on column 0
    [((3,), {}), ((0, 3), {}), ((1, 3), {}), ((2, 3), {})],
    [((3,), {1: 0}), ((3,), {1: 1}), ((3,), {}), ((0, 3), {1: 0}), ((2, 3), {1: 0})],
    [((3,), {1: 0, 0: 1}), ((3,), {0: 1, 1: 0}), ((2, 3), {1: 0, 0: 1})],
)
ROUNDS = (  # a net: what each column has, then with a parent, then with two
    [((0,), {}), ((1,), {}), ((2,), {})],
    [((0, 1), {}), ((0, 2), {}), ((1, 2), {})],
    [((1, 0, 2), {})],
)


@pytest.mark.parametrize("rounds", [LEVELS, ROUNDS])
def test_rounds_that_contradict_earlier_ones_are_found(both, rounds):
    rng = np.random.default_rng(3)
    codes, others = rng.integers(0, 2, (2, 40, 4))
    honest = [t for queries in rounds for t in tables(codes, queries)]
    later = [t for queries in rounds for t in tables(others, queries)]
    starts = np.cumsum([0, *map(len, rounds)]).tolist()
    answers = {
        "honest": honest,
        "other rows": later,
        # From some round on it answers with other rows, which are as many.
        **{f"from {i}": honest[:n] + later[n:] for i, n in enumerate(starts[:-1]) if i},
        # One person moves to another cell of its row of the last table.
        "moved": changed(changed(honest, -1, 0, 1), -1, 1, -1),
    }
    found = check(both, answers, rounds=rounds)
    assert not found[0]
    assert found[1] == {"from 1"}
    assert found[2] == {"from 2", "moved"}  # who was found before has been refused


def test_the_price_is_what_the_notes_say():
    from shoal.secure.logarithm._counts import unequal
    from shoal.secure.owners._checks import _too_large

    assert unequal(WORD).circuit.n_and == 31
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
