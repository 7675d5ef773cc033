"""Tables of equals: what they count, and what is refused."""

import numpy as np
import pytest

from shoal.errors import ParameterError, ProtocolError
from shoal.secure.miners._equals import EqualParty, RowsOfEquals
from shoal.secure.miners._table_part import TablePart


class Alone(EqualParty):
    """Three equals in one object, of whom two have the same rows and perhaps other settings."""

    traffic: dict = {}  # noqa: RUF012  nobody changes it

    def __init__(self, rows=9, others=0):
        self.rows, self.others = rows, others

    def tell(self, number):
        return [number, number, number ^ self.others]

    def all_rows(self, mine):
        return self.rows


PART = TablePart(["a", "b"], [["x", "y"]] * 2, np.array([[0, 1], [1, 1], [0, 0]]))


def test_counts_are_those_of_this_partys_rows():
    table = RowsOfEquals(PART, Alone())
    assert table.n_rows == 9
    assert table.counts([((0, 1), {})])[0].tolist() == [[1, 1], [0, 1]]


def test_other_tables_no_rows_and_too_few_are_refused():
    with pytest.raises(ProtocolError, match="other tables"):
        RowsOfEquals(PART, Alone(others=1))
    with pytest.raises(ParameterError, match="needs 1 to"):
        RowsOfEquals(PART, Alone(rows=0))
    with pytest.raises(ParameterError, match="split rows"):
        RowsOfEquals(TablePart(PART.names, PART.values, PART.codes, "cells"), Alone())
    with pytest.raises(ParameterError, match="fewer than k=10"):
        RowsOfEquals(PART, Alone()).require(10)
