import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.attacks.transforms._unfolding import unfold, unfolding_attack
from shoal.errors import ParameterError
from shoal.federated import GradedRanges

UNEVEN = GradedRanges.from_breaks([0, 3, 40, 45, 99])


def example_unfolding():
    values = np.arange(99, dtype=float)
    return (values, UNEVEN.encode(values)), {"repeats": 20}


def test_ranges_of_broken_widths_are_read_as_well():
    ages = np.arange(0, 100.0)
    for groups in (3, 5, 7):
        places = unfold(GradedRanges.uniform(0, 99, groups).encode(ages))
        np.testing.assert_allclose(places, ages, atol=1e-6)


@settings(deadline=None, max_examples=60)
@given(
    widths=st.lists(st.integers(3, 3000), min_size=1, max_size=6),
    decimals=st.integers(0, 2),
    first=st.integers(-500, 500),
    meets=st.booleans(),
)
def test_encoded_values_alone_tell_every_value_but_for_a_shift(widths, decimals, first, meets):
    scale = 10**decimals
    starts = first + np.r_[0, np.cumsum(np.array(widths) + (not meets))][:-1]
    ends = starts + widths
    ranges = GradedRanges(
        tuple(starts / scale), tuple(ends / scale), tuple(range(1, len(widths) + 1)), decimals
    )
    values = np.arange(first, ends[-1] + 1) / scale
    places = unfold(ranges.encode(values))
    np.testing.assert_allclose(values * scale - places, first, atol=1e-6)


def test_few_values_leave_the_shift_and_what_they_do_not_show():
    encoded = GradedRanges.from_breaks([0, 4, 90]).encode([0, 2, 10, 90])
    assert unfold(encoded)[:2].tolist() == [0, 1]  # two values may be those of two steps
    assert np.isnan(unfold([1.5, np.nan])).tolist() == [False, True]


def test_one_known_person_undoes_uneven_ranges():
    ages = np.random.default_rng(0).integers(0, 100, 500).astype(float)
    result = unfolding_attack(ages, UNEVEN.encode(ages), repeats=20)
    assert result.risk == result.low == 1
    assert result.baseline < 0.05
    weights = np.round(np.random.default_rng(1).random(800) * 60 + 40, 1)
    ranges = GradedRanges.from_breaks([40, 50, 77.5, 100], decimals=1)
    assert unfolding_attack(weights, ranges.encode(weights), repeats=20).risk == 1


def test_what_is_no_fraction_of_steps_is_not_found():
    numbers = np.random.default_rng(0).random(300)
    assert unfolding_attack(numbers, 3 * numbers + 1, repeats=5).risk < 0.1
    with pytest.raises(ParameterError, match="from 1 to 2, got 3"):
        unfolding_attack([1, 2, 3], [1, 2, 3], 3)
