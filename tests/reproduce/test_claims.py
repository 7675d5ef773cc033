import pytest

from reproduce._claims import bounds_fit, read_claim


@pytest.mark.parametrize(
    ("published", "claim"),
    [
        (127_831, (127_831, 127_831, False, False)),
        ("18.4 to 18.5", (18.4, 18.5, False, False)),
        ("about 0.8", (0.8, 0.8, False, False)),
        ("none", (0, 0, False, False)),
        ("above 0", (0, None, True, True)),
        ("0 or above", (0, None, True, False)),
        ("at least 0.999", (0.999, None, True, False)),
        ("below 730", (None, 730, True, True)),
        ("at most 10,000,000", (None, 1e7, True, False)),
        ("comparable", None),
        ("almost 500", None),
        (None, None),
    ],
)
def test_what_a_paper_says_is_read_as_ends(published, claim):
    assert read_claim(published) == claim


@pytest.mark.parametrize(
    ("published", "low", "high", "fits"),
    [
        (127_831, 440_000, 460_000, False),  # around ours
        (127_831, 127_000, 128_000, True),
        ("18.4 to 18.5", 18.5, 24.65, False),  # touches what is published, and leaves it out
        ("18.4 to 18.5", 17.1, 18.8, True),
        ("above 0", -6, 6, False),  # would confirm what the paper denies
        ("above 0", 0, None, True),
        ("above 0", None, 5, False),
        ("at most 22", None, 22, True),
        ("at most 22", None, 23, False),
        ("comparable", 0.9, 1.1, True),
        (5, None, 4, False),
        (5, 6, None, False),
    ],
)
def test_bounds_hold_a_value_and_go_no_further_than_a_relation(published, low, high, fits):
    assert bounds_fit(published, low, high) is fits
