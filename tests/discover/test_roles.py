import numpy as np
import pytest

from shoal import datasets
from shoal.discover._roles import suggest_roles
from shoal.errors import DataNotFoundError


def test_names_quasi_identifiers_and_the_rest_are_told_apart():
    rng = np.random.default_rng(0)
    n = 2_000
    table = {
        "id": rng.permutation(n),
        "zip": rng.integers(0, 300, n),
        "age": rng.integers(18, 90, n),
        "country": np.zeros(n, int),
        "rare": (rng.random(n) < 0.001).astype(int),
        "weight": rng.normal(70, 10, n),
    }
    hints = {hint.column: hint for hint in suggest_roles(table)}
    assert hints["id"].role == "identifier"
    assert hints["zip"].role == hints["age"].role == "quasi-identifier"
    assert hints["weight"].role == "quasi-identifier"  # a measurement, not a name
    assert hints["country"].role == "insensitive"
    assert "same in every row" in hints["country"].reason
    assert hints["rare"].role == "insensitive"
    assert 0 <= hints["rare"].gain < hints["zip"].gain <= 1
    assert set(hints["id"].to_dict()) >= {"column", "role", "reason"}


def test_adult_columns_that_the_literature_names_are_found():
    try:
        data = datasets.adult()
    except DataNotFoundError as error:
        pytest.skip(str(error))
    hints = {hint.column: hint.role for hint in suggest_roles(data.columns)}
    assert {"age", "occupation", "hours-per-week", "education"} <= {
        name for name, role in hints.items() if role == "quasi-identifier"
    }
