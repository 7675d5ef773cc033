from fractions import Fraction

import numpy as np
import pytest

from shoal.anonymize import Microaggregation
from shoal.errors import TableError
from shoal.schema import Column, Schema
from shoal.schema._coding import make_coding
from shoal.tables.forms._means import mean_step
from tests.extras import need


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ([1, 99], 1),
        ([1.5, 99], Fraction(1, 10)),
        ([1.25, 9.5], Fraction(1, 100)),
        ([0.123456, 9.5], Fraction(1, 1000)),
        ([12_345, 7], 10),
        ([1_000_000], 1000),
        ([1987, 2024], 1),
        ([0.00012, 0.00034], Fraction(1, 100_000)),
        ([0], 1),
    ],
)
def test_the_step_leaves_four_digits_and_none_that_the_column_lacks(values, step):
    coding = make_coding("x", Column("quasi-identifier", "numeric"), values)
    if values == [0.00012, 0.00034]:
        assert mean_step(coding) == Fraction(1, 100_000)
    else:
        assert mean_step(coding) == step


def test_the_schema_says_the_step():
    coding = make_coding("x", Column("quasi-identifier", "numeric", lines=0.25), [1, 2])
    assert mean_step(coding) == Fraction(1, 4)
    days = make_coding("x", Column("quasi-identifier", "date"), [np.datetime64("2020-01-01")])
    assert mean_step(days) == 1


@pytest.mark.parametrize("seed", range(20))
def test_a_number_near_two_means_is_near_the_mean_of_both(seed):
    """The lemma of the judge: groups that are written alike may be read as one."""
    rng = np.random.default_rng(seed)
    one, other = rng.normal(size=int(rng.integers(1, 6))), rng.normal(size=int(rng.integers(1, 6)))
    step = float(rng.choice([0.5, 1.0, 2.0, 5.0]))
    if round(one.mean() / step) == round(other.mean() / step):
        both = np.concatenate([one, other]).mean()
        assert abs(both - round(one.mean() / step) * step) <= step / 2 + 1e-12


@pytest.mark.parametrize("values", [[1e22, 3e22, 2e22, 5e22], [1e22, 0.5, 7e-9, 1.0], [1e300] * 4])
def test_means_beyond_whole_numbers_are_floats(values):
    need("pandas")  # makes a table of columns
    schema = Schema({"x": {"role": "quasi-identifier", "kind": "numeric"}})
    table = Microaggregation(schema, 2).fit({"x": values}).release_.table
    own = [float(value) for value in table["x"]]
    assert sum(own) == pytest.approx(sum(values))


def test_infinite_numbers_have_no_mean():
    need("pandas")  # makes a table of columns
    schema = Schema({"pay": {"role": "quasi-identifier", "kind": "numeric"}})
    with np.errstate(invalid="ignore"), pytest.raises(TableError, match="infinite numbers"):
        _ = Microaggregation(schema, 2).fit({"pay": [1.0, 2.0, np.inf, 3.0]}).release_.table
