import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.schema import Schema
from tests.extras import need

need("sqlglot")
from shoal.workload import parse_workload  # noqa: E402

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "marital-status": {"role": "quasi-identifier"},
        "born": {"role": "quasi-identifier", "kind": "date"},
        "income": {"role": "sensitive"},
    }
)


def test_weights_are_frequencies_that_sum_to_one():
    asked = parse_workload(
        "SELECT avg(income) FROM t WHERE age > 3;"
        "SELECT MARITAL_STATUS, count(*) FROM t WHERE age < 9 AND age > 2 GROUP BY marital_status;"
    )
    assert asked.weights(SCHEMA) == {"age": 2 / 3, "marital-status": 1 / 3}
    assert asked.weights(SCHEMA, feature=0) == {"age": 1.0}
    settings = asked.settings(SCHEMA)
    assert settings["weights"] == asked.weights(SCHEMA)
    assert (settings["spread"], settings["loss"]) == (0.0, 1.0)


def test_cuts_lie_where_conditions_divide():
    asked = parse_workload(
        "SELECT 1 FROM t WHERE age >= 30 AND age < 40; SELECT 1 FROM t WHERE age = 50;"
        "SELECT 1 FROM t WHERE age <= 60 AND born < '1970-01-02'; SELECT 1 FROM t WHERE income > 5"
    )
    cuts = asked.cuts(SCHEMA)
    ages = [20, 30, 39, 40, 49, 50, 51, 60, 61]
    upper = [np.searchsorted(ages, cut) for cut in cuts["age"]]
    assert [ages[i] for i in upper] == [30, 40, 50, 51, 61]
    assert cuts["born"] == (1.0,)
    assert "income" not in cuts


def test_only_counts_by_quasi_identifiers_become_count_queries():
    asked = parse_workload(
        "SELECT count(*) FROM t WHERE age > 3 AND marital_status = 'x';"
        "SELECT count(*) FROM t WHERE age > 3 AND income > 9;"
        "SELECT count(*) FROM t WHERE age > 3 OR marital_status = 'x'; SELECT age FROM t;"
    )
    (query,) = asked.count_queries(SCHEMA)
    assert [condition.column for condition in query.conditions] == ["age", "marital-status"]


def test_a_workload_without_quasi_identifiers_is_an_error():
    with pytest.raises(ParameterError, match=r"none of the workload's 1 queries names"):
        parse_workload("SELECT income FROM t").weights(SCHEMA)
