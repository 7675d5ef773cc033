import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.privacy import DeltaDisclosure
from tests.reference.rows import table


def holds(delta):
    def allowed(group, whole):
        for value in set(whole):
            inside = group.count(value) / len(group)
            overall = whole.count(value) / len(whole)
            if not overall / 2**delta - 1e-9 <= inside <= overall * 2**delta + 1e-9:
                return False
        return True

    return allowed


TWO_VALUED_CASES = [(DeltaDisclosure(0.6), holds(0.6)), (DeltaDisclosure(2.0), holds(2.0))]


def test_a_group_without_a_value_fails_however_large_delta_is():
    from tests.privacy.columns import CODING

    groups = table([[{"s": 1}, {"s": 2}], [{"s": 1}, {"s": 1}]], {"s": CODING})
    np.testing.assert_array_equal(DeltaDisclosure(50, "s").holds(groups), [True, False])
    assert DeltaDisclosure(50, "s").value(groups) == np.inf


def test_delta_is_above_zero():
    with pytest.raises(ParameterError, match="delta"):
        DeltaDisclosure(0)
