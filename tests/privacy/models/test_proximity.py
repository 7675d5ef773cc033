import numpy as np
import pytest

from shoal.errors import ParameterError, SchemaError
from shoal.privacy import Proximity
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from tests.reference import privacy as twin
from tests.reference.rows import coding, table

CASES = [
    (Proximity(1, 2), lambda g, w: twin.proximity(g, w, 1, 2)),
    (Proximity(3, 1.5), lambda g, w: twin.proximity(g, w, 3, 1.5)),
]


def test_decimal_fractions_count_as_near():
    values = [0.7, 0.8, 5.0, 9.0]
    groups = table(
        [[{"x": value} for value in values]], {"x": coding("x", values, "numeric")}
    )  # 0.8 - 0.7 > 0.1 in floating point
    model = Proximity(0.1, 4)
    assert not model.holds(groups)[0]
    assert model.value(groups) == 2
    assert not allowed_groups(compile_model(model, groups), np.array([0]), 1)[0]
    assert Proximity(0.09, 4).holds(groups)[0]


def test_text_has_no_neighbourhood():
    with pytest.raises(SchemaError, match="'disease' is categorical"):
        Proximity(1, 2).holds(table([[{"disease": "flu"}]]))


@pytest.mark.parametrize("parameters", [(-1, 2), (1, 0.5), (float("nan"), 2)])
def test_parameters_are_checked_when_the_model_is_made(parameters):
    with pytest.raises(ParameterError):
        Proximity(*parameters)
