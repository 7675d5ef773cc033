"""Columns that come from Spark through Arrow: the same values as Spark's own rows have."""

import datetime as dt
import time
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from shoal.errors import TableError
from shoal.tables.engines._spark_arrow import code_rows, fetch, plain_values, read_column
from tests.extras import need

pa = need("pyarrow")


@pytest.fixture
def berlin(monkeypatch):
    """A machine whose clock is not Greenwich's."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield ZoneInfo("Europe/Berlin")
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    "values",
    [
        [1, None, 2, 1],
        ["a", "b", None, "a"],
        [Decimal("1.50"), None, Decimal("2.25"), Decimal("1.50")],
        [dt.date(2024, 2, 29), None, None, dt.date(1970, 1, 1)],
        [dt.datetime(2024, 2, 29, 12), None, None, dt.datetime(1970, 1, 1)],
        [True, None, False, True],
        [None, None],
        [],
    ],
)
def test_values_and_their_places_are_the_column(values):
    array = pa.array(values)
    for column in (pa.chunked_array([array]), pa.chunked_array([array[:1], array[1:]])):
        read = read_column(column)
        listed = [*read.listed(), None]
        assert [listed[code] for code in read.codes] == values
        assert len(set(listed)) == len(listed)
        assert read.has_missing == (None in values)


def test_a_column_without_rows_or_type_has_no_values():
    for kind in (pa.null(), pa.string(), pa.timestamp("us", "UTC")):
        read = read_column(pa.chunked_array([], kind))
        assert (read.listed(), read.codes.tolist()) == ([], [])


def test_moments_are_told_by_the_clock_of_the_machine(berlin):
    summer = dt.datetime(2024, 7, 1, 10, tzinfo=dt.UTC)
    twice = [dt.datetime(2024, 10, 27, hour, 30, tzinfo=dt.UTC) for hour in (0, 1)]
    found = plain_values(pa.array([summer, None, *twice], pa.timestamp("us", "UTC")))
    # as Spark's own rows have them
    assert found[0] == dt.datetime.fromtimestamp(summer.timestamp())
    assert found[0] == summer.astimezone(berlin).replace(tzinfo=None)
    assert found[1:] == [None, found[2], found[2]]
    assert found[2] == dt.datetime(2024, 10, 27, 2, 30)
    # the hour that the clock shows twice stays two values where rows are told apart
    assert read_column(pa.chunked_array([pa.array(twice)])).codes.tolist() == [0, 1]


def test_rows_are_coded_by_equality_and_missing_is_its_own():
    table = pa.table({"a": [3, None, 3], "b": ["x", "y", None]})
    codes = code_rows(("a", "b"), table)
    assert codes.dtype == np.int32
    assert codes.tolist() == [[0, 1, 0], [0, 1, 2]]


def test_columns_of_lists_are_refused():
    with pytest.raises(TableError, match="column 'a' holds lists"):
        code_rows(("a",), pa.table({"a": [[1], [2]]}))


def test_a_driver_without_arrow_says_what_to_install():
    errors = need("pyspark.errors")

    class Frame:
        def toArrow(self):  # noqa: N802  Spark's name
            raise errors.PySparkImportError("PyArrow must be installed")

    with pytest.raises(TableError, match=r"Install shoal\[spark\]"):
        fetch(Frame())
