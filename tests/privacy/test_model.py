import pickle

import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.privacy import KAnonymity, PrivacyModel
from shoal.privacy._model import All
from tests.reference.rows import table


def test_models_are_joined_with_and():
    both = KAnonymity(2) & KAnonymity(4) & KAnonymity(3)
    assert both == All((KAnonymity(2), KAnonymity(4), KAnonymity(3)))
    groups = table([[{}] * 3, [{}] * 4])
    np.testing.assert_array_equal(both.holds(groups), [False, True])
    assert both.minimum_size == 4
    assert both.is_monotone


def test_models_survive_pickling_and_json():
    both = KAnonymity(2) & KAnonymity(4)
    assert pickle.loads(pickle.dumps(both)) == both
    assert PrivacyModel.from_dict(both.to_dict()) == both


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"model": "Secrecy"}, "unknown privacy model 'Secrecy'. Choose from"),
        ({"model": "KAnonymity", "n": 2}, "KAnonymity has no parameter 'n'"),
        ({"model": "KAnonymity"}, "KAnonymity: a parameter is missing"),
    ],
)
def test_unknown_models_and_parameters_are_named(data, message):
    with pytest.raises(ParameterError, match=message):
        PrivacyModel.from_dict(data)


def test_joining_nothing_is_an_error():
    with pytest.raises(ParameterError, match="at least one"):
        All(())


def test_a_model_joins_only_with_models():
    with pytest.raises(TypeError):
        KAnonymity(2) & 3
