import numpy as np
import pytest

from shoal.errors import ParameterError
from shoal.secure import TablePart


@pytest.mark.parametrize(
    ("names", "values", "codes", "split"),
    [
        (["a"], [["x"], ["y"]], [[0]], "rows"),
        (["a", "a"], [["x"], ["y"]], [[0, 0]], "rows"),
        (["a", "b"], [["x"], []], [[0, 0]], "rows"),
        (["a", "b"], [["x"], ["y"]], [[0, 1]], "rows"),
        (["a", "b"], [["x"], ["y"]], [[0, -1]], "rows"),
        (["a", "b"], [["x"], ["y"]], [[0.0, 0.0]], "rows"),
        (["a", "b"], [["x"], ["y"]], [[0, 0]], "diagonal"),
    ],
)
def test_an_impossible_part_is_refused(names, values, codes, split):
    with pytest.raises(ParameterError):
        TablePart(names, values, np.array(codes), split)
