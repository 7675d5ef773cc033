import pytest

import shoal
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


def test_nothing_asked_for_is_an_error(people):
    with pytest.raises(ParameterError, match="nothing is asked for"):
        shoal.release(people, SCHEMA)
    with pytest.raises(ParameterError, match="unknown method 'magic'"):
        shoal.release(people, SCHEMA, k=5, method="magic")
