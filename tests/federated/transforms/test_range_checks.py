import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.federated import GradedRanges


@pytest.mark.parametrize(
    ("lower", "upper", "names", "decimals"),
    [
        ((0,), (0,), (1,), 0),
        ((0, 5), (6, 9), (1, 2), 0),
        ((0, 8), (5, 9), (1, 2), 0),
        ((0, 5), (5, 9), (2, 2), 0),
        ((0, 5), (5, 9), (-1, 2), 0),
        ((0,), (np.inf,), (1,), 0),
        ((0,), (1e9,), (1,), 9),
        ((0, 1), (1,), (1,), 0),
        ((0,), (1,), (1,), 16),
    ],
)
def test_ranges_that_could_not_be_read_back_are_refused(lower, upper, names, decimals):
    with pytest.raises(ParameterError):
        GradedRanges(lower, upper, names, decimals)
