import numpy as np
import pytest

from shoal.anonymize.perturbed import _linkage
from shoal.anonymize.perturbed._linkage import Points, link, place_numbers


def slow(raw, released):
    """Row by row: the share of the nearest rows that is the own one."""
    found = 0.0
    for at, (numbers, codes) in enumerate(zip(*raw, strict=True)):
        apart = [
            ((numbers - theirs) ** 2).sum() + (codes != others).sum()
            for theirs, others in zip(*released, strict=True)
        ]
        near = [row for row, one in enumerate(apart) if one <= min(apart) + 1e-9]
        found += (at in near) / len(near)
    return found / len(raw[0])


@pytest.mark.parametrize("seed", range(6))
def test_rows_are_found_as_by_looking_at_all_of_them(seed, monkeypatch):
    monkeypatch.setattr(_linkage, "_PAIRS", 200)
    rng = np.random.default_rng(seed)
    raw = Points(rng.integers(0, 5, (40, 2)) * 1.0, rng.integers(0, 3, (40, 1)).astype(np.int32))
    released = Points(raw.numbers + rng.integers(-1, 2, (40, 2)), raw.codes)
    found = link(raw, released, rng)
    assert found.share == pytest.approx(slow(raw, released))
    assert found.low <= found.share <= found.high
    assert found.baseline == 1 / 40


def test_equal_rows_hide_one_another():
    same = Points(np.zeros((8, 1)), np.zeros((8, 1), np.int32))
    assert link(same, same, np.random.default_rng(0)).share == pytest.approx(1 / 8)


def test_a_missing_value_lies_apart():
    raw, changed = place_numbers(np.array([1.0, np.nan, 3.0]), np.array([2.0, np.nan, 3.0]))
    assert raw[1].tolist() == [0.0, 1.0]
    assert raw[0, 0] == -1.0
    assert changed[0, 0] == 0.0
