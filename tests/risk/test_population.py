import pytest

from shoal.anonymize import Mondrian
from shoal.errors import SchemaError
from shoal.privacy import KMap
from shoal.risk import population_of, read_survey
from shoal.schema import Schema

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "w": {"role": "insensitive", "kind": "numeric"},
        "id": {"role": "subject"},
    }
)


def test_weights_make_a_population_that_conditions_take():
    plain = Schema({name: SCHEMA[name] for name in ("age", "w")})
    rows = {"age": [20, 21, 40, 41], "w": [30, 30.9, 2, 2]}
    population = population_of(rows, plain, "w")
    assert population.sizes.tolist() == [30, 30, 2, 2]  # never more than the weights say
    release = Mondrian(plain, KMap(25, population=population), ranges="exact").fit(rows).release_
    assert release.reached[0].reached >= 25
    assert release.metrics.n_groups == 2


def test_everybody_is_counted_without_weights():
    plain = Schema({"age": SCHEMA["age"]})
    everybody = {"age": [20, 20, 41, 90]}
    assert population_of(everybody, plain).sizes.tolist() == [2, 1, 1]


def test_columns_of_people_and_quasi_identifiers_are_no_weights():
    with pytest.raises(SchemaError, match="'age' is a quasi-identifier"):
        read_survey({"age": [1], "w": [1], "id": ["x"]}, SCHEMA, ["age"])
    with pytest.raises(SchemaError, match="'pay' has no role"):
        read_survey({"age": [1], "w": [1], "id": ["x"]}, SCHEMA, ["pay"])
    assert read_survey({"age": [1, 1], "w": [1, 1], "id": ["x", "x"]}, SCHEMA).sizes.tolist() == [2]
