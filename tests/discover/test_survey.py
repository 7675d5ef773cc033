import json

import duckdb
import numpy as np
import pytest

from shoal.discover import _attackers, minimal_keys, survey, uniqueness
from shoal.errors import ParameterError
from tests.discover.tables import EXAMPLE, coded, random_table


def test_the_worked_example():
    found = survey(EXAMPLE)
    assert [risk.attributes for risk in found.columns] == [("age",), ("sex",), ("state",)]
    assert [risk.unique_share for risk in found.attacker] == [0.4, 1.0, 1.0]
    assert found.mean_unique_share == pytest.approx((0.6 / 3, 2.6 / 3, 1.0))
    assert found.exhaustive
    assert found.key.proved_minimum
    assert found.minimal_keys.keys == minimal_keys(EXAMPLE).keys
    assert (found.n_rows, found.n_equal) == (5, 0)
    assert json.loads(json.dumps(found.to_dict()))["key"]["proved_minimum"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    codes = random_table(1, 6, 3_000, 12)
    columns = {f"c{j}": column for j, column in enumerate(codes)}  # noqa: F841  DuckDB reads it
    path = tmp_path_factory.mktemp("survey") / "people.parquet"
    duckdb.sql("SELECT * FROM columns").write_parquet(str(path))
    return path


def test_sampled_surveys_count_what_they_show_on_all_rows(path):
    full = survey(path, 3, examine="all")
    found = survey(path, 3, examine="sample", random_state=0)
    assert not found.exhaustive
    assert found.minimal_keys is None
    assert found.columns == full.columns
    assert found.attacker[0] == full.attacker[0]
    exact = {frozenset(risk.attributes): risk for risk in uniqueness(path, 3).sets}
    for risk, worst in zip(found.attacker, full.attacker, strict=False):
        assert risk.unique == exact[frozenset(risk.attributes)].unique <= worst.unique
    assert found.key.probability in (0.99, 1.0)
    assert survey(path, 1).exhaustive  # small enough for all rows


def test_equal_rows_are_counted_and_set_aside():
    table = {"a": [1, 1, 2, 3], "b": [1, 1, 1, 2]}
    for examine in ("all", "sample"):
        found = survey(table, examine=examine)
        assert found.n_equal == 1
    assert survey(table).key.attributes == ("a",)
    assert survey({"a": [1, 1]}).key is None


def test_sets_that_would_take_too_long_are_bounded_and_said_so(monkeypatch):
    table = coded(random_table(1, 8, 200, 4))
    whole = survey(table, 4, time_limit=None)
    assert whole.exhaustive
    assert whole.attacker_bounds == tuple(risk.unique for risk in whole.attacker)
    monkeypatch.setattr(_attackers, "LOOKS", 200 * 40)
    found = survey(table, 4, time_limit=None)
    assert not found.exhaustive
    assert len(found.mean_unique_share) == 2
    assert any("more than 2 attributes" in note for note in found.notes)
    assert [len(risk.attributes) for risk in found.attacker] == [1, 2, 3, 4]
    exact = {risk.attributes: risk for risk in uniqueness(table, 4).sets}
    for risk, worst, most in zip(
        found.attacker, whole.attacker, found.attacker_bounds, strict=True
    ):
        assert risk == exact[risk.attributes]
        assert risk.unique <= worst.unique <= most


def test_a_survey_without_time_still_answers_and_claims_nothing():
    table = coded(random_table(1, 30, 2_000, 16))
    found = survey(table, 3, time_limit=1e-9)
    assert not found.exhaustive
    assert not found.key.proved_minimum
    assert found.key.lower_bound <= len(found.key.attributes)
    assert "undecided" in found.key.guarantee
    assert not found.minimal_keys.complete
    assert any("undecided" in note for note in found.notes)
    with pytest.raises(ParameterError, match="positive number of seconds"):
        survey(table, time_limit=0)


def test_progress_is_told():
    told = []
    survey(EXAMPLE, progress=lambda done, total, what: told.append((done, total)))
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1]
    with pytest.raises(ParameterError, match="examine must be one of"):
        survey(EXAMPLE, examine="some")


def test_a_survey_shows_no_values():
    table = {"name": np.array(["Quisling", "Vidkun", "Vidkun"], object)}
    assert "Quisling" not in repr(survey(table)) + json.dumps(survey(table).to_dict())
