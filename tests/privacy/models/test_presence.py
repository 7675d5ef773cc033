import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.errors import ParameterError, SchemaError
from shoal.metrics._measure import released_raw
from shoal.privacy import DeltaPresence, KAnonymity, PrivacyModel, check
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.privacy.models._population import with_population
from shoal.tables import FrequencyTable
from tests.reference import privacy as twin
from tests.reference.rows import coding

CODES = [coding("age", list(range(4)), "numeric"), coding("sex", ["f", "m"])]


def people(rows, codings=CODES):
    """Frequency table of raw rows of quasi-identifiers."""
    distinct = sorted(set(rows))
    keys = [[c.code_of[str(v)] for c, v in zip(codings, row, strict=True)] for row in distinct]
    return FrequencyTable(
        tuple(codings),
        np.array(keys, np.int32).reshape(len(distinct), len(codings)),
        np.array([rows.count(row) for row in distinct], np.int64),
    )


row = st.tuples(st.integers(0, 3), st.sampled_from("fm"))


@settings(deadline=None, max_examples=60)
@given(
    inside=st.lists(row, min_size=1, max_size=12),
    outside=st.lists(row, max_size=12),
    bounds=st.sampled_from([(0, 0.5), (0.2, 0.8), (0.5, 1), (0, 1)]),
)
def test_agrees_with_counting_people(inside, outside, bounds):
    everybody = people(inside + outside)
    model = DeltaPresence(*bounds, population=everybody)
    cells = model.prepare(people(inside))
    assert model.prepare(cells) is cells
    assert cells.n_rows == len(inside)
    group_of = (cells.keys[:, 0] // 2).astype(np.int64)  # ages 0-1 and 2-3
    expected = [
        twin.delta_presence(
            sum(age // 2 == g for age, _ in inside),
            sum(age // 2 == g for age, _ in inside + outside),
            *bounds,
        )
        for g in range(2)
    ]
    joined = cells.merge(group_of, 2)
    np.testing.assert_array_equal(model.holds(joined), expected)
    found = allowed_groups(compile_model(model, cells), group_of, 2)
    np.testing.assert_array_equal(found, expected)
    for part in check(model, joined):
        assert set(part.model) == {"model", "low", "high"}


def test_joins_with_other_models():
    model = KAnonymity(2) & DeltaPresence(0, 0.5, people([(0, "f")] * 4 + [(1, "m")] * 3))
    cells = model.prepare(people([(0, "f")] * 2 + [(1, "m")] * 2))
    np.testing.assert_array_equal(model.holds(cells), [True, False])
    np.testing.assert_array_equal(
        allowed_groups(compile_model(model, cells), np.arange(2), 2), [True, False]
    )
    assert PrivacyModel.from_dict(model.to_dict()) == model  # the population stays out


def test_people_of_the_population_alone_are_in_groups_too():
    everybody = people([(0, "f"), (1, "f"), (2, "f")])
    cells = with_population(people([(0, "f")]), everybody)
    assert cells.sizes.tolist() == [1, 0, 0]
    np.testing.assert_array_equal(DeltaPresence(0, 1).holds(cells), [True, True, True])
    np.testing.assert_array_equal(DeltaPresence(0.1, 1).holds(cells), [True, False, False])


def test_joined_bounds_are_monotone():
    rng = np.random.default_rng(0)
    model = DeltaPresence(0.2, 0.7)
    tried = 0
    for _ in range(200):
        inside = [(int(a), "f") for a in rng.integers(0, 2, rng.integers(1, 8))]
        outside = [(int(a), "f") for a in rng.integers(0, 2, rng.integers(0, 12))]
        cells = with_population(people(inside), people(inside + outside))
        if cells.n_groups == 2 and model.holds(cells).all():
            tried += 1
            assert model.holds(cells.merge(np.zeros(2, np.int64), 1)).all()
    assert tried > 10


def test_wrong_populations_are_refused():
    with pytest.raises(SchemaError, match="population lacks 1 of the table's 2 rows"):
        with_population(people([(0, "f")] * 2), people([(0, "f")]))
    with pytest.raises(SchemaError, match="lacks the quasi-identifiers 'sex'"):
        with_population(people([(0, "f")]), people([(0,)], CODES[:1]))
    with pytest.raises(SchemaError, match="needs a population"):
        DeltaPresence(0, 0.5).prepare(people([(0, "f")]))
    with pytest.raises(SchemaError, match="no population is counted"):
        DeltaPresence(0, 0.5).holds(people([(0, "f")]))


def test_unknown_values_of_the_population_are_left_out_only_where_that_is_safe():
    narrow = [coding("age", [0, 1], "numeric"), CODES[1]]
    sample, everybody = people([(0, "f")], narrow), people([(0, "f"), (3, "f")])
    cells = DeltaPresence(0, 0.5, everybody).prepare(sample)
    assert cells.n_groups == 1
    with pytest.raises(SchemaError, match="'age': the population has values"):
        DeltaPresence(0.1, 0.5, everybody).prepare(sample)


@pytest.mark.parametrize("bounds", [(-0.1, 0.5), (0.5, 1.1), (0.6, 0.5)])
def test_bounds_are_checked_when_the_model_is_made(bounds):
    with pytest.raises(ParameterError):
        DeltaPresence(*bounds)


def test_nobody_may_be_left_out_when_absence_is_to_be_uncertain():
    everybody = people([(0, "f")] * 2 + [(1, "f")] * 2)
    model = DeltaPresence(0.4, 1, everybody)
    cells = model.prepare(people([(0, "f"), (1, "f")]))
    assert model.holds(cells).all()
    suppressed = cells.merge(np.array([0, -1]), 1)
    assert not model.holds(suppressed).any()
    assert DeltaPresence(0, 1, everybody).holds(suppressed).all()


def test_released_groups_get_the_population_of_what_they_cover():
    model = DeltaPresence(0, 0.5, people([(0, "f")] * 2 + [(1, "m")] * 3))
    cells = model.prepare(people([(0, "f"), (1, "m")]))
    recoded = released_raw(cells)
    order = [1, 0]
    counted = FrequencyTable(
        tuple(CODES[::-1]), cells.keys[order][:, ::-1].copy(), cells.sizes[order]
    )
    released = model.prepare(counted, recoded)
    np.testing.assert_allclose(model.levels(released), [1 / 3, 1 / 2])
    assert model.prepare(released, recoded) is released
    both = KAnonymity(1) & model
    assert both.holds(both.prepare(counted, recoded)).all()
