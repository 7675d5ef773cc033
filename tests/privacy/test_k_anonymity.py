import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.privacy import KAnonymity
from tests.reference.rows import table


def test_every_group_needs_k_rows():
    groups = table([[{}] * 3, [{}] * 5, [{}] * 4])
    np.testing.assert_array_equal(KAnonymity(4).holds(groups), [False, True, True])
    assert KAnonymity(4).value(groups) == 3
    assert KAnonymity(4).minimum_size == 4


@pytest.mark.parametrize("k", [0, -3, 2.5, True, "5", None])
def test_k_is_checked_when_the_model_is_made(k):
    with pytest.raises(ParameterError, match="k must be an integer of at least 1"):
        KAnonymity(k)
