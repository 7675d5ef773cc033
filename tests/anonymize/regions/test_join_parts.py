import numpy as np
import pytest

from shoal.anonymize.regions._join_parts import join_parts
from shoal.privacy import DistinctDiversity, KAnonymity, Proximity
from shoal.schema._coding import Coding
from shoal.tables.engines.regions._cuts import Cut
from shoal.tables.engines.regions._region_rows import PartCount, part_table


def parts(sizes, values=None, tops=None):
    leaf = np.arange(len(sizes), dtype=np.int64)
    top = np.array(tops if tops is not None else [0] * len(sizes), np.int64)
    plain = PartCount(leaf, top, np.zeros(len(sizes), np.int64), np.array(sizes, np.int64))
    if values is None:
        return part_table(plain, {})
    coding = Coding("s", "categorical", ("a", "b", "c"), np.full(3, np.nan))
    rows = [(n, t, c, k) for n, (t, own) in enumerate(zip(top, values, strict=True))
            for c, k in enumerate(own) if k]  # fmt: skip
    counted = PartCount(*(np.array(column, np.int64) for column in zip(*rows, strict=True)))
    return part_table(plain, {"s": (coding, counted)})


CUT = Cut(0, (2,), (Cut(1, (1,), (0, 1)), Cut(1, (1,), (2, 3))))


def test_a_region_with_too_few_rows_goes_to_its_neighbour():
    assert join_parts(CUT, parts([90, 3, 90, 90]), KAnonymity(5), 4, 100) == [0, 0, 1, 2]
    assert join_parts(CUT, parts([2, 1, 90, 90]), KAnonymity(5), 4, 100) == [0, 0, 0, 1]


def test_regions_that_the_sample_saw_and_nobody_is_in_are_joined():
    assert join_parts(CUT, parts([90, 0, 90, 90]), KAnonymity(5), 4, 100) == [0, 0, 1, 2]


def test_all_rows_are_one_region_where_nothing_else_is_allowed():
    assert join_parts(CUT, parts([2, 1, 1, 2]), KAnonymity(5), 4, 1) == [0, 0, 0, 0]


def test_a_region_with_one_sensitive_value_goes_to_its_neighbour():
    counted = parts([40, 40, 40, 40], [(40, 0, 0), (0, 20, 20), (20, 20, 0), (20, 0, 20)])
    model = KAnonymity(2) & DistinctDiversity(2, "s")
    assert join_parts(CUT, counted, model, 4, 40) == [0, 0, 1, 2]


def test_rows_with_the_same_limits_are_not_cut_below_the_model():
    """Both halves are large enough, and rows of one limit would be too few in each."""
    leaf = np.array([0, 0, 1, 1], np.int64)
    top = np.array([0, 1, 0, 1], np.int64)
    rows = np.array([50, 3, 50, 3], np.int64)
    counted = part_table(PartCount(leaf, top, leaf * 0, rows), {})
    cut = Cut(0, (1,), (0, 1))
    assert join_parts(cut, counted, KAnonymity(5), 2, 60) == [0, 0]
    assert join_parts(cut, counted, KAnonymity(2), 2, 60) == [0, 1]
    # seven rows of a limit are too few anywhere, and keep nothing together
    assert join_parts(cut, counted, KAnonymity(7), 2, 60) == [0, 1]


def test_models_whose_groups_cannot_be_joined_get_one_region():
    model = Proximity(1, 2, "s")
    assert not model.is_monotone
    counted = parts([40, 40, 40, 40], [(40, 0, 0)] * 4)
    assert join_parts(CUT, counted, model, 4, 40) == [0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_regions_that_are_solved_are_allowed(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 12, 4)
    if sizes.sum() < 5:
        sizes[0] = 5
    counted = parts(sizes.tolist())
    region_of = join_parts(CUT, counted, KAnonymity(5), 4, 8)
    rows = np.bincount(region_of, weights=sizes)
    assert (rows >= 5).all()


def test_rows_that_nothing_protects_are_no_region_of_their_own():
    """Three rows of a limit are too few anywhere: constrained clustering leaves them out."""
    leaf = np.array([0, 1], np.int64)
    counted = part_table(
        PartCount(leaf, np.array([0, 1], np.int64), leaf * 0, np.array([50, 3], np.int64)), {}
    )
    assert join_parts(Cut(0, (1,), (0, 1)), counted, KAnonymity(5), 2, 10) == [0, 0]
