"""Naive Bayes of Shoal: an audit finds the spans that it was fitted with, or refuses the table."""

import numpy as np
import pytest

from shoal.audit import audit, load_model
from shoal.errors import SchemaError, TableError
from shoal.models import KAnonymousNaiveBayes
from shoal.privacy import DistinctDiversity
from tests.audit.people import random_people, roles
from tests.extras import need

pd = need("pandas")

SCHEMA = roles(age="pn", job="p", debt="s", risk="s")


def people(n=120, seed=0):
    rng = np.random.default_rng(seed)
    age, job = rng.integers(18, 80, n), rng.choice(["clerk", "smith", "judge"], n)
    risk = np.where((age > 45) ^ (rng.random(n) < 0.2), "good", "bad")
    debt = rng.choice(["yes", "no"], n)
    return pd.DataFrame({"age": age, "job": job, "debt": debt, "risk": risk})


def example():
    table = people()
    bayes = KAnonymousNaiveBayes(SCHEMA, 5).fit(table[["age", "job", "debt"]], table["risk"])
    return bayes, table, SCHEMA


def test_an_audit_finds_the_same_spans(tmp_path):
    bayes, table, schema = example()
    found = audit(bayes, table, schema, k=5)
    assert found.is_safe
    assert found.spans.population.tolist() == bayes.spans_.population.tolist()
    assert found.safe_k == bayes.spans_.largest_k
    bayes.to_json(tmp_path / "bayes.json")
    loaded = audit(load_model(tmp_path / "bayes.json"), table, schema, k=found.safe_k + 1)
    assert loaded.answer == "unsafe"
    strict = audit(bayes, table, schema, k=5, privacy=DistinctDiversity(2, "risk"))
    assert strict.is_safe == (found.exposed["risk"] == 0)


@pytest.mark.parametrize("seed", range(8))
def test_random_people(seed):
    case = random_people(seed, missing=seed % 2 == 1)
    X = case.table[list("abcd")]
    bayes = KAnonymousNaiveBayes(case.schema, 1, ranges=3).fit(X, case.table["y"])
    found = audit(bayes, case.table, case.schema, k=1)
    assert found.spans.population.tolist() == bayes.spans_.population.tolist()
    assert found.answer == "safe"


def test_rows_in_another_order_are_not_the_training_table():
    bayes, table, schema = example()
    with pytest.raises(TableError, match="in another order"):
        audit(bayes, table.sort_values(["risk", "age"]), schema)


def test_other_private_columns_are_refused():
    bayes, table, _ = example()
    for other in (roles(age="sn", job="p", debt="s", risk="s"),
                  roles(age="pn", job="p", debt="s", risk="p")):  # fmt: skip
        with pytest.raises(SchemaError, match="not those the model was fitted with"):
            audit(bayes, table, other)
