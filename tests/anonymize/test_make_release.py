import pytest

import shoal
from shoal.anonymize import Mondrian
from shoal.datasets import census
from shoal.datasets._census import census_schema
from shoal.errors import ParameterError
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.privacy._model import All

SCHEMA = census_schema()


@pytest.fixture(scope="module")
def people():
    return census(300).path()


def test_one_call_is_the_same_as_the_estimator(people):
    from shoal.anonymize import TopDownSpecialization

    one = shoal.release(people, SCHEMA, k=10, method="top-down", max_suppression=0.1)
    other = TopDownSpecialization(SCHEMA, 10, max_suppression=0.1).fit(people).release_
    assert sorted(one.table.fetchall(), key=str) == sorted(other.table.fetchall(), key=str)
    assert one.privacy == KAnonymity(10)


def test_the_method_is_chosen_by_the_purpose(people):
    assert shoal.release(people, SCHEMA, k=10, purpose="queries").method == "Mondrian"


def test_k_and_a_further_condition_are_joined(people):
    sensitive = SCHEMA.sensitive[0]
    made = shoal.release(
        people, SCHEMA, k=5, privacy=DistinctDiversity(2, sensitive), method="top-down"
    )
    assert made.privacy == All((KAnonymity(5), DistinctDiversity(2, sensitive)))


@pytest.mark.parametrize("k", ["10", 10.0, 0, -1, True, [10]])
def test_a_k_that_is_none_is_named(people, k):
    with pytest.raises(ParameterError) as caught:
        shoal.release(people, SCHEMA, k=k)
    assert str(caught.value) == f"k must be an integer of at least 1, got {k!r}."


def test_nothing_asked_for_is_an_error(people):
    with pytest.raises(ParameterError, match="nothing is asked for"):
        shoal.release(people, SCHEMA)
    with pytest.raises(ParameterError, match="unknown method 'magic'"):
        shoal.release(people, SCHEMA, k=5, method="magic")


def test_a_schema_may_be_a_file(people, tmp_path):
    SCHEMA.to_toml(tmp_path / "schema.toml")
    made = shoal.release(people, tmp_path / "schema.toml", k=5, method="mondrian")
    assert made.schema == SCHEMA
    assert made.reached[0].holds


@pytest.mark.parametrize("schema", [{"age": {"role": "quasi-identifier"}}, None])
def test_what_is_no_schema_is_told_how_to_get_one(people, schema):
    with pytest.raises(ParameterError, match=r"`suggest_schema\(table\).schema` suggests one"):
        shoal.release(people, schema, k=5)
    with pytest.raises(ParameterError, match=r"`Schema.from_toml\(path\)` reads one"):
        Mondrian(schema, 5).fit(people)
