import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.anonymize import FullDomain
from shoal.anonymize.lattice._lattice_problem import METRICS
from shoal.datasets import adult
from shoal.datasets._adult import adult_schema
from shoal.errors import DataNotFoundError, InfeasibleError, ParameterError, SchemaError
from shoal.privacy import (
    AverageRisk,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    TCloseness,
)
from shoal.schema import Schema
from tests.anonymize import group_cases
from tests.anonymize.clusters.test_local_recoding import EIGHT, LIMITED, ROWS
from tests.engines import rows as rows_of
from tests.reference import lattice as twin

SCHEMA = Schema({**group_cases.SCHEMA, "s": {"role": "sensitive", "target": True}})
MODELS = [
    KAnonymity(3),
    KAnonymity(2) & DistinctDiversity(2),
    EntropyDiversity(1.6),
    KAnonymity(2) & TCloseness(0.3),
]


@settings(max_examples=40)
@given(
    seed=st.integers(0, 1000),
    metric=st.sampled_from(METRICS),
    model=st.sampled_from(MODELS),
    share=st.sampled_from([0.0, 0.1, 0.3]),
)
def test_optimal_search_equals_trying_every_node(seed, metric, model, share):
    table = group_cases.rows(np.random.default_rng(seed), 40)
    method = FullDomain(SCHEMA, model, metric=metric, max_suppression=share)
    bound = model.bind(["s"])
    try:
        release = method.fit(table).release_
    except InfeasibleError:
        cells = FullDomain(SCHEMA, KAnonymity(1)).fit(table).release_.recoded.cells
        assert twin.best_loss(cells, bound, metric, "s", share) is None
        return
    expected = twin.best_loss(release.recoded.cells, bound, metric, "s", share)
    assert twin.measures(release.recoded, metric, "s") == pytest.approx(expected)
    found = method.lattice_
    assert found.proven
    assert found.loss[found.best] == pytest.approx(expected)
    assert found.suppressed[found.best] == release.n_suppressed
    assert bound.holds(release.recoded.groups).all()


@settings(max_examples=15)
@given(seed=st.integers(0, 1000), share=st.sampled_from([0.0, 0.2]))
def test_the_heuristic_never_claims_more_than_is_true(seed, share):
    table = group_cases.rows(np.random.default_rng(seed), 50)
    model = KAnonymity(4)
    options = {"max_suppression": share}
    best = FullDomain(SCHEMA, model, **options).fit(table).lattice_
    quick = FullDomain(SCHEMA, model, search="heuristic", **options).fit(table).lattice_
    optimum = best.loss[best.best]
    assert quick.safe[quick.best]
    assert quick.bound <= optimum + 1e-12
    assert quick.loss[quick.best] >= optimum - 1e-12
    assert not quick.proven or quick.loss[quick.best] == pytest.approx(optimum)


def test_a_time_limit_stops_the_heuristic_and_the_manifest_says_so():
    table = group_cases.rows(np.random.default_rng(0), 80)
    method = FullDomain(SCHEMA, KAnonymity(3), search="heuristic", time_limit=1e-9).fit(table)
    assert method.lattice_.n_assessed == 1  # the top
    assert "combinations of levels were looked at" in method.release_.notes[0]
    assert "%" not in method.release_.notes[0]  # how much is a figure of raw values
    assert 0 < method.lattice_.gap <= 1


def test_nothing_is_proven_of_a_promise_that_another_condition_implies():
    """Groups may be small where others are large; the search has them all of one size or more."""
    rng = np.random.default_rng(58)
    table = {
        "a": rng.integers(0, 60, 60).tolist(),
        "b": [f"v{code:02}" for code in np.minimum(rng.geometric(0.3, 60), 9)],
    }
    role = {"role": "quasi-identifier"}
    age = {"kind": "numeric", "hierarchy": {"intervals": [5, 10, 20]}}
    columns = {"a": role | age, "b": role | {"hierarchy": {"prefix": [2, 1]}}}
    method = FullDomain(Schema(columns), AverageRisk(0.3)).fit(table)
    assert method.lattice_.gap > 0
    assert not method.lattice_.proven
    assert any("other levels may keep the promise" in note for note in method.release_.notes)
    people = {"who": list(range(60))} | table
    named = Schema(columns | {"who": {"role": "subject"}})
    assert not FullDomain(named, KAnonymity(3)).fit(people).lattice_.proven
    assert FullDomain(Schema(columns), KAnonymity(3)).fit(table).lattice_.proven


def test_levels_stop_at_limits_and_what_binds_is_named():
    table = {"place": ROWS}
    release = FullDomain(LIMITED, KAnonymity(2)).fit(table).release_
    found = [row[0] for row in rows_of(release.table)]
    assert sorted(found) == [*["California"] * 2, *["Kansas"] * 3, *["Nebraska"] * 2]
    with pytest.raises(InfeasibleError, match=r"Suppressing 4 rows .* limit of 'place'"):
        FullDomain(LIMITED, KAnonymity(3)).fit(table)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"metric": "beauty"}, ParameterError),
        ({"search": "luck"}, ParameterError),
        ({"max_suppression": 1.5}, ParameterError),
        ({"time_limit": -1}, ParameterError),
        ({"metric": "classification"}, SchemaError),
    ],
)
def test_wrong_parameters_are_refused(wrong, error):
    table = group_cases.rows(np.random.default_rng(0), 20)
    with pytest.raises(error):
        FullDomain(group_cases.SCHEMA, KAnonymity(2), **wrong).fit(table)


@pytest.mark.parametrize(
    ("k", "share", "published"),
    [(5, 0.0, 0.661), (100, 0.0, 0.715), (5, 0.05, 0.2618), (10, 0.05, 0.3315),
     (50, 0.05, 0.4869), (100, 0.05, 0.5429)],
)  # fmt: skip
def test_the_optimum_that_arx_reports_on_adult(k, share, published):
    try:
        table, schema = adult().path(), adult_schema("arx", quasi_identifiers=EIGHT)
    except DataNotFoundError as error:
        pytest.skip(str(error))
    release = FullDomain(schema, KAnonymity(k), max_suppression=share).fit(table).release_
    digits = 4 if share else 3
    assert round(release.metrics.loss, digits) == published
    assert release.n_suppressed <= share * 30_162
