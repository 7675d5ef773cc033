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


def test_counting_takes_the_same_work_whatever_there_is_to_count(monkeypatch):
    """Rows that match were picked out first: the time told how many a party has in a node."""
    worked = []
    count = np.bincount

    def bincount(cells, weights=None, minlength=0):
        worked.append(len(cells))
        return count(cells, weights, minlength)

    monkeypatch.setattr(np, "bincount", bincount)
    names, values = ["a", "b"], [["x", "y", "z"], ["no", "yes"]]
    part = TablePart(names, values, np.array([[0, 0], [0, 1], [0, 0], [1, 1]]))
    found = [part.tabulate((1,), {0: value}) for value in range(3)]
    assert worked == [4, 4, 4]
    assert [one.tolist() for one in found] == [[2, 1], [0, 1], [0, 0]]
    assert {one.dtype for one in found} == {np.dtype(np.uint32)}


def test_rows_with_cells_of_the_other_partys_are_passed_over():
    codes = np.array([[0, -1], [0, 1], [-1, 0], [1, 1]])
    part = TablePart(["a", "b"], [["x", "y"], ["no", "yes"]], codes, "cells")
    whole = (codes >= 0).all(axis=1)
    assert part.tabulate((0, 1), {}, whole).tolist() == [[0, 1], [0, 1]]
    assert part.tabulate((), {0: 0}, whole).tolist() == 1
