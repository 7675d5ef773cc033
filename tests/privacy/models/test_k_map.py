import numpy as np
import pytest

from shoal.errors import ParameterError, SchemaError
from shoal.privacy import KAnonymity, KMap, PrivacyModel
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from tests.privacy.models.test_presence import people
from tests.reference import risk as twin

CASES = [
    (KMap(6, fraction=0.3), lambda group, whole: len(group) >= 4),
    (KMap(3, fraction=1.0), lambda group, whole: len(group) >= 3),
]


@pytest.mark.parametrize("seed", range(6))
def test_every_group_has_k_people_of_the_population(seed):
    rng = np.random.default_rng(seed)
    inside = [(int(a), "f") for a in rng.integers(0, 4, 12)]
    everybody = inside + [(int(a), "f") for a in rng.integers(0, 4, 20)]
    model = KMap(int(rng.integers(2, 14)), population=people(everybody))
    cells = model.prepare(people(inside))
    for group_of in (cells.keys[:, 0], cells.keys[:, 0] // 2):
        group_of = group_of.astype(np.int64)
        n = int(group_of.max()) + 1
        joined = cells.merge(group_of, n)
        expected = [
            twin.k_map(int(joined.histograms[name].sums(np.ones(1))[g]), model.k)
            or joined.sizes[g] == 0
            for name in joined.histograms
            for g in range(n)
        ]
        np.testing.assert_array_equal(model.holds(joined), expected)
        np.testing.assert_array_equal(
            allowed_groups(compile_model(model, cells), group_of, n), expected
        )


def test_people_whom_the_table_does_not_know_are_in_no_group():
    model = KMap(3, population=people([(0, "f")] * 3 + [(2, "m")] * 4))
    cells = model.prepare(people([(0, "f")]))
    assert model.holds(cells).all()
    assert cells.n_rows == 1


@pytest.mark.parametrize("k", [1, 2, 5, 20])
@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.5, 0.9, 1.0])
def test_rows_asked_for_are_seldom_shown_by_fewer_people(k, fraction):
    """The theorem: fewer than k people show that many rows with a chance below the level."""
    model = KMap(k, fraction=fraction, significance=0.05)
    rows = model.minimum_size
    assert rows <= k
    for n in range(k):
        assert twin.binomial_tail(n, fraction, rows) <= 0.05
    if rows > 1:
        assert twin.binomial_tail(k - 1, fraction, rows - 1) > 0.05


def test_a_population_is_asked_for_and_stays_in_the_house():
    model = KMap(3, population=people([(0, "f")] * 3))
    assert model.to_dict() == {"model": "KMap", "k": 3, "significance": 0.05}
    assert PrivacyModel.from_dict(model.to_dict()) == model
    with pytest.raises(SchemaError, match="KMap needs a population"):
        KMap(3).prepare(people([(0, "f")]))
    with pytest.raises(SchemaError, match="no population is counted"):
        KMap(3).holds(people([(0, "f")]))
    with pytest.raises(ParameterError, match="fraction"):
        KMap(3, fraction=0)
    assert (KAnonymity(2) & KMap(3, fraction=0.5)).minimum_size == 3
