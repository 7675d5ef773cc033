"""The share of rows that may be left out holds of rows, where people are counted too."""

import inspect

import numpy as np
import pytest

from shoal.anonymize._registry import METHODS, make_method, method_class
from shoal.errors import InfeasibleError
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.schema import Schema
from tests.extras import need

LIMITED = [n for n in METHODS if "max_suppression" in inspect.signature(method_class(n)).parameters]
SCHEMA = Schema({
    "person": {"role": "subject"},
    "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [5, 20]}},
    "town": {"role": "quasi-identifier", "hierarchy": "flat"},
    "ill": {"role": "sensitive"},
})  # fmt: skip
PROMISES = [KAnonymity(4), KAnonymity(3) & DistinctDiversity(2)]


def visits(seed, n_people=60):
    """Some people come again and again, and are unlike the others."""
    rng = np.random.default_rng(seed)
    times = np.where(rng.random(n_people) < 0.1, 12, rng.integers(1, 3, n_people))
    age = np.where(times > 3, rng.integers(80, 99, n_people), rng.integers(20, 40, n_people))
    town = np.where(times > 3, "far", rng.choice(["A", "B"], n_people))
    person = np.repeat(np.arange(n_people), times)
    return {
        "person": [f"p{one}" for one in person],
        "age": (age[person] + rng.integers(0, 2, len(person))).tolist(),
        "town": town[person].tolist(),
        "ill": rng.choice(["flu", "gout", "cough"], len(person)).tolist(),
    }


@pytest.mark.parametrize("method", LIMITED)
def test_no_more_rows_are_left_out_than_allowed(method):
    need("pandas")  # makes a table of columns
    left_out = []
    for seed, limit in enumerate((0.02, 0.05, 0.1, 0.2)):
        table = visits(seed)
        fitted = make_method(method, SCHEMA, PROMISES[seed % 2], {"max_suppression": limit})
        try:
            release = fitted.fit(table).release_
        except InfeasibleError as error:
            assert error.required == int(limit * len(table["age"])) < error.achieved  # noqa: PT017
            continue
        finally:
            assert fitted.max_suppression == limit
        assert release.n_suppressed <= limit * len(table["age"])
        assert release.parameters["max_suppression"] == limit
        left_out.append(release.n_suppressed)
    assert left_out


def test_who_has_half_of_the_rows_is_not_left_out_for_one_person():
    need("pandas")  # makes a table of columns
    table = {
        "person": ["p0"] * 20 + [f"p{i}" for i in range(1, 21)],
        "age": [90] * 20 + [30] * 20,
        "town": ["far"] * 20 + ["A"] * 20,
        "ill": ["flu", "gout"] * 20,
    }
    release = make_method("full-domain", SCHEMA, KAnonymity(3), {"max_suppression": 0.1}).fit(
        table
    ).release_  # fmt: skip
    assert release.n_suppressed == 0
