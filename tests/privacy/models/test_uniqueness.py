import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.privacy import KMap, Uniqueness
from shoal.risk import estimate_uniques
from tests.privacy.models.test_presence import people
from tests.reference import risk as twin

WHOLE_CASES = [
    (Uniqueness(0.0), lambda groups: twin.uniqueness(groups, 0)),
    (Uniqueness(0.15), lambda groups: twin.uniqueness(groups, 0.15)),
]


def test_rows_alone_in_a_population_are_counted():
    everybody = [(0, "f")] + [(1, "f")] * 4 + [(2, "f")] * 2
    inside = [(0, "f"), (1, "f"), (2, "f"), (1, "f")]
    cells = KMap(1, population=people(everybody)).prepare(people(inside))
    model = Uniqueness(0.2, attacker="journalist")
    assert model.value(cells) == 0.25  # ages 0 and 2 are alone in the table, 0 in the population
    np.testing.assert_array_equal(model.holds(cells)[cells.sizes > 0], [False, True, True])
    assert Uniqueness(0.25, attacker="journalist").holds(cells).all()
    assert Uniqueness(0.2).value(cells) == 0.5


def test_rows_alone_in_an_unknown_population_are_estimated():
    rng = np.random.default_rng(0)
    ages = [(int(a), "f") for a in np.minimum(rng.geometric(0.3, 60) - 1, 3)]
    ages += [(3, "m"), (2, "m")]
    groups = people(ages)
    found = estimate_uniques(groups.sizes, 0.5)
    model = Uniqueness(0.01, fraction=0.5)
    assert model.value(groups) == pytest.approx(min(found.share, 2 / 62))
    assert not model.is_monotone
    assert model.holds(groups.merge(np.zeros(groups.n_groups, np.int64), 1)).all()
    assert "as estimated" in model.describe()


def test_a_marketer_is_not_asked():
    with pytest.raises(ParameterError, match="marketer"):
        Uniqueness(0.1, attacker="marketer")
