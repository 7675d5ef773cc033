"""How much sums over people tell."""

import numpy as np

from shoal.audit.fits._moment_bits import steps_of, tells_too_much

NONE = np.zeros(1)


def test_a_column_that_few_people_have_tells_of_them_though_there_are_many_others():
    draw = np.random.default_rng(0)
    some = np.where(np.arange(4000) < 20, draw.uniform(size=4000), 0.0)[:, None]
    assert tells_too_much(some, 1.0, NONE, 1.0, 1)
    assert not tells_too_much((some > 0).astype(float), 1.0, NONE, 1.0, 1)


def test_a_few_combinations_are_too_few():
    """Of 60 classes 2 ** 60 combinations are possible, and 16 of them add up to 56 bits."""
    ages = np.random.default_rng(0).uniform(18, 80, (60, 1))
    assert tells_too_much(ages, 1.0, NONE, 1.0, 1)
    assert not tells_too_much(np.repeat(ages, 2, axis=0), 1.0, NONE, 1.0, 1)


def test_sums_that_a_solver_left_open_tell_less():
    ages = np.random.default_rng(0).uniform(18, 80, (44, 1))
    assert tells_too_much(ages, 1.0, NONE, 1.0, 1)
    assert not tells_too_much(ages, 1.0, np.array([0.1]), 1.0, 1)


def test_scaled_whole_numbers_are_as_coarse_as_they_were():
    ages = np.round(np.random.default_rng(0).uniform(18, 80, (60, 1)))
    scaled = (ages - ages.mean()) / ages.std()
    assert steps_of(scaled.ravel()) == steps_of(ages.ravel())
    assert not tells_too_much(scaled, 1.0, NONE, 1.0, 1)


def test_more_features_tell_more():
    many = np.random.default_rng(0).uniform(size=(400, 9))
    assert tells_too_much(many, 1.0, np.zeros(9), 1.0, 1)
    assert not tells_too_much(many[:, :4], 1.0, np.zeros(4), 1.0, 1)
    assert not tells_too_much(many, 1.0, np.zeros(9), 8.0, 1)
    assert tells_too_much(many, 1.0, np.zeros(9), 8.0, 8)
