import numpy as np
import pytest

from shoal.anonymize.perturbed._changes import add_noise, randomize, swap_ranks


def test_noise_has_the_spread_that_was_asked_for_and_keeps_correlations():
    rng = np.random.default_rng(0)
    one = rng.normal(50, 10, 20_000)
    other = 0.8 * one + rng.normal(0, 6, 20_000)
    changed = add_noise([one, other], [0.5, 0.5], rng)
    assert np.std(changed[0] - one) == pytest.approx(5, rel=0.03)
    assert np.std(changed[1] - other) == pytest.approx(0.5 * other.std(), rel=0.03)
    before, after = np.corrcoef(one, other)[0, 1], np.corrcoef(*changed)[0, 1]
    assert after == pytest.approx(before, abs=0.02)
    assert np.mean(changed[0]) == pytest.approx(one.mean(), abs=0.2)


def test_noise_leaves_missing_values_and_constants_alone():
    (changed,) = add_noise([np.array([1.0, np.nan, 5.0])], [0.1], np.random.default_rng(0))
    assert np.isnan(changed).tolist() == [False, True, False]
    (same,) = add_noise([np.ones(4)], [0.5], np.random.default_rng(0))
    assert same.tolist() == [1.0] * 4


@pytest.mark.parametrize("seed", range(10))
def test_swapping_is_a_permutation_that_reaches_no_farther_than_said(seed):
    rng = np.random.default_rng(seed)
    n, share = int(rng.integers(2, 60)), float(rng.uniform(0.02, 0.5))
    ranks = rng.permutation(n)
    source = swap_ranks(ranks, share, rng)
    assert sorted(source) == list(range(n))
    assert (source[source] == np.arange(n)).all()  # two rows change values with one another
    place = np.empty(n, np.int64)
    place[ranks] = np.arange(n)
    assert np.abs(place[source] - place).max() <= max(1, int(share * n))
    assert (source != np.arange(n)).mean() > 0.3 or n < 8


def test_drawing_keeps_how_often_values_are_expected():
    rng = np.random.default_rng(0)
    codes = rng.choice(3, 30_000, p=[0.7, 0.2, 0.1]).astype(np.int32)
    changed = randomize(codes, 0.6, rng)
    share = np.bincount(changed) / len(codes)
    assert share == pytest.approx(np.bincount(codes) / len(codes), abs=0.01)
    expected = 0.6 + 0.4 * sum(p * p for p in (0.7, 0.2, 0.1))
    assert (changed == codes).mean() == pytest.approx(expected, abs=0.01)
    assert (randomize(codes, 1.0, rng) == codes).all()
