import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.secure import Terms


@pytest.mark.parametrize(
    "wrong",
    [
        {"owners": ["one"]},
        {"owners": ["one", "one"]},
        {"most_rows": 0},
        {"most_rows": 2**31},
        {"loss": "perhaps"},
        {"least_owners": 1},
        {"least_owners": 4},
        {"answer_seconds": 0},
        {"answer_seconds": float("nan")},
        {"answer_seconds": float("inf")},
        {"answer_seconds": "60"},
        {"most_rows": 10.5},
        {"most_rows": True},
        {"least_owners": 2.0},
        {"check_inputs": 1},
        {"loss": ["stop"]},
        {"owners": "abc"[:0]},
        {"owners": ["one", 2]},
        {"owners": ["one", ""]},
    ],
)
def test_impossible_terms_are_refused(wrong):
    with pytest.raises(ParameterError):
        Terms(**{"owners": ["one", "two", "three"], "most_rows": 10, **wrong})


def test_terms_are_plain_values():
    terms = Terms(("a", "b"), most_rows=np.int64(1000))
    assert type(terms.to_dict()["most_rows"]) is int
    assert terms.to_dict()["owners"] == ["a", "b"]
    assert terms.width == 10
