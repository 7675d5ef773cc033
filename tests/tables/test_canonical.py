from decimal import Decimal

import numpy as np
import pytest

from shoal.tables._canonical import canonical_values

NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([20, 20.0, Decimal("20.00")], [20, 20, 20]),
        ([-0.0, 0, None, NAN], [0, 0, None, None]),
        ([0.5, Decimal("0.50"), 2], [0.5, 0.5, 2.0]),
        ([True, np.False_, None], [True, False, None]),
        ([True, 1], ["true", "1"]),
        ([2**53 + 1, Decimal(2**53 + 1)], [2**53 + 1] * 2),
        ([2**63, 1], [str(2**63), "1"]),
        ([Decimal("0.12345678901234567890"), 1], ["0.1234567890123456789", "1"]),
        ([" a", "a "], [" a", "a "]),
        ([b"\x01", None], ["01", None]),
        ([], []),
    ],
)
def test_equal_values_become_one_of_one_kind(values, expected):
    found = canonical_values(values)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))
