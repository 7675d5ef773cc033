from collections import Counter

import numpy as np
import pytest

from shoal.privacy import AverageRisk, KAnonymity, LKCPrivacy, Requirement
from shoal.privacy._projection import number_rows, rungs_beside, split_promise


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("width", [2, 40, 3000])
def test_equal_rows_have_equal_numbers(width, gaps):
    rng = np.random.default_rng(width)
    columns = [rng.integers(0, width, 200).astype(np.int32) for _ in range(5)]
    columns[1][:100] = columns[1][100:]
    columns = [np.concatenate([c[:50], c]) for c in columns]  # some rows twice
    number, n = number_rows(columns, gaps=gaps)
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    assert len(set(zip(number.tolist(), rows, strict=True))) == len(set(rows)) == len(set(number))
    assert number.max() < n
    if not gaps:
        assert n == len(set(rows))


def test_no_columns_make_one_group_of_nothing():
    assert number_rows([])[1] == 0


def test_what_is_asked_of_all_columns_is_told_from_the_rest():
    one, two = Requirement(("a",), 3), LKCPrivacy(2, 5)
    whole, projected = split_promise(one & KAnonymity(2) & two)
    assert whole == KAnonymity(2)
    assert projected == (one, two)
    assert split_promise(one) == (None, (one,))
    assert split_promise(KAnonymity(2)) == (KAnonymity(2), ())


def test_rungs_of_other_models_keep_what_is_asked_of_some_columns():
    one = Requirement(("a",), 3)
    assert rungs_beside(one, 100) == (one,)
    assert rungs_beside(KAnonymity(2) & one, 100) == (KAnonymity(2) & one,)
    rungs = rungs_beside(AverageRisk(0.5) & one, 100)
    assert rungs[-1] == KAnonymity(2) & one
    assert Counter(split_promise(rung)[1] for rung in rungs) == {(one,): len(rungs)}
    assert rungs_beside(AverageRisk(0.5), 100) == AverageRisk(0.5).rungs(100)
