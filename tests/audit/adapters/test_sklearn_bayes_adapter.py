"""CategoricalNB is read by its counts; means and variances of GaussianNB leave it open."""

from itertools import product

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from shoal.audit import audit
from shoal.errors import SchemaError
from tests.audit.people import numeric, roles
from tests.extras import need

pd = need("pandas")

SCHEMA = roles(a="pn", b="pn", c="sn", y="s")


def people(n=80, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 3, (n, 3)).astype(float), columns=list("abc"))
    table["y"] = (table["a"] + rng.integers(0, 2, n) > 1).astype(int)
    return table


def example():
    table = people()
    return CategoricalNB().fit(table[list("abc")], table["y"]), table, SCHEMA


def spans_by_definition(table, schema):
    """Groups of rows that can be in the same counts, over all private values and classes."""
    public = [name for name in "abc" if schema[name].role != "sensitive"]
    private = [name for name in "abc" if name not in public]
    domains = [sorted(table[name].unique()) for name in private]
    class_is_public = schema["y"].role != "sensitive"
    groups = {}
    for row, (_, own) in enumerate(table.iterrows()):
        classes = [own["y"]] if class_is_public else [0, 1]
        cells = set()
        for *values, y in product(*domains, classes):
            cells |= {(name, value, y) for name, value in zip(private, values, strict=True)}
            if not class_is_public:  # otherwise both are known, and nothing private is told
                cells |= {(name, own[name], y) for name in public}
        groups.setdefault(frozenset(cells), []).append(row)
    return groups


@pytest.mark.parametrize("hidden", ["c", "bc", "y", "cy", "bcy", ""])
def test_spans_are_those_of_the_definition(hidden):
    table = people(seed=len(hidden))
    schema = roles(**{n: ("s" if n in hidden else "p") + "n" * (n != "y") for n in "abcy"})
    model = CategoricalNB().fit(table[list("abc")], table["y"])
    found = audit(model, table, schema, k=3)
    expected = spans_by_definition(table, schema)
    rows = [np.flatnonzero(found.span_of_row == s).tolist() for s in range(found.spans.n_spans)]
    assert sorted(rows) == sorted(expected.values())
    small = [len(own) for cells, own in expected.items() if len(own) < 3 and len(cells) > 1]
    assert sorted(b.rows for b in found.breaches) == sorted(small)
    assert found.bins.population.sum() == 3 * len(table)
    if not hidden:
        assert found.is_safe


def test_counts_over_the_same_people_are_read_together():
    model, table, schema = example()
    found = audit(model, table, schema, k=3)
    assert "subtracted from one another" in " ".join(found.notes)
    jobs = pd.DataFrame({"job": ["a", "b"] * 20, "y": [0, 1, 1, 0] * 10})
    alone = make_pipeline(OrdinalEncoder(), CategoricalNB()).fit(jobs[["job"]], jobs["y"])
    told = audit(alone, jobs, roles(job="p", y="s"), k=20)
    assert told.safe_k == 20
    assert not told.breaches
    assert not told.notes


def test_means_are_unsafe_of_few_and_cannot_be_told_of_many():
    table = people(60)
    schema = numeric(a="quasi-identifier", b="quasi-identifier", c="sensitive", y="sensitive")
    schema = schema.replace(y={"role": "sensitive", "target": True})
    model = GaussianNB().fit(table[list("abc")], table["y"])
    many = audit(model, table, schema, k=5)
    assert many.answer == "cannot tell"
    assert "means and variances" in many.verdict
    table.loc[0, "y"] = 2
    few = audit(GaussianNB().fit(table[list("abc")], table["y"]), table, schema, k=5)
    assert few.answer == "unsafe"
    assert few.breaches[0].rows == 1
    assert few.breaches[0].causes == ("means and variances of class 2 are those of 1 rows",)


def test_a_schema_without_a_target_is_refused():
    model, table, _ = example()
    schema = numeric(a="quasi-identifier", b="quasi-identifier", c="sensitive", y="sensitive")
    with pytest.raises(SchemaError, match="needs its target"):
        audit(model, table, schema)


def test_sums_of_weights_are_not_safe():
    """Of known weights one combination adds up to each sum."""
    draw = np.random.default_rng(0)
    table = pd.DataFrame({"job": draw.integers(0, 3, 90), "group": draw.choice(["a", "b"], 90)})
    schema = roles(job="s", group="p")
    weights = 2.0 ** draw.uniform(0, 3, 90)
    model = CategoricalNB().fit(table[["job"]], table["group"])
    assert audit(model, table, schema, k=10).is_safe
    model.fit(table[["job"]], table["group"], sample_weight=weights * 90 / weights.sum())
    assert "do not count alike" in audit(model, table, schema, k=10).unread[0]
