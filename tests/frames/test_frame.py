import datetime as dt

import numpy as np
import pytest

from shoal.errors import TableError
from shoal.frames._frame import Frame, is_frame
from tests import engines
from tests.extras import need

COLUMNS = {"city": ["Ulm", None, "Kiel", "Ulm"], "age": [1.0, float("nan"), 2.0, 1.0]}


@pytest.fixture(params=engines.FRAMES)
def frame(request, tmp_path):
    return Frame(engines.make(request.param, COLUMNS, tmp_path))


def test_missing_values_have_code_minus_one_and_nan_is_missing(frame):
    for name in COLUMNS:
        codes, values = frame.factorize(name)
        assert codes[1] == -1
        assert codes[0] == codes[3] != codes[2]
        assert values[codes[0]] == COLUMNS[name][0]


def test_columns_are_exchanged_without_touching_the_callers_table(frame):
    before = engines.rows(frame.native)
    texts = {"city": (["north", None], np.array([0, 1, 0, 0], np.int32))}
    changed = frame.fresh(["city", "age"], np.arange(4), texts, {})
    assert [row[0] for row in engines.rows(changed.native)] == ["north", None, "north", "north"]
    assert str(engines.rows(frame.native)) == str(before)


def test_rows_are_kept_by_place(frame):
    kept = frame.take(np.array([3, 0])).keep(np.array([True, False]))
    assert engines.rows(kept.native)[0][0] == "Ulm"
    assert kept.n_rows == 1


def test_a_lazy_table_comes_back_lazy(frame):
    assert frame.was_lazy == (type(frame.native).__name__ == "LazyFrame")


@pytest.mark.parametrize("index", [[7, 7, 7, 7], ["d", "c", "b", "a"], [3, 1, 2, 0]])
def test_a_pandas_index_changes_nothing(index):
    pd = need("pandas")
    table = pd.DataFrame(COLUMNS, index=index)
    frame = Frame(table)
    codes, values = frame.factorize("city")
    assert [values[c] if c >= 0 else None for c in codes] == COLUMNS["city"]
    texts = {"city": (["x", "y"], np.array([1, 0], np.int32))}
    changed = frame.fresh(["age", "city"], np.array([2, 0]), texts, {}).native
    assert changed["city"].tolist() == ["y", "x"]
    assert changed["age"].tolist() == [2.0, 1.0]
    assert changed.index.tolist() == [0, 1]


def test_categories_are_the_values_that_rows_have():
    pd = need("pandas")
    city = pd.Categorical(["Ulm", None, "Bonn", "Ulm"], ["Aachen", "Bonn", "Ulm"])
    frame = Frame(pd.DataFrame({"city": city}, index=[7, 7, 5, 3]))
    codes, values = frame.factorize("city")
    assert frame.is_loose("city")
    assert [values[c] if c >= 0 else None for c in codes] == ["Ulm", None, "Bonn", "Ulm"]
    assert sorted(values) == ["Bonn", "Ulm"]  # nobody lives in Aachen
    assert Frame(pd.DataFrame({"city": pd.Categorical([], ["Ulm"])})).factorize("city")[1] == []


@pytest.mark.parametrize(
    ("columns", "way"),
    [
        ([1, 2], r"table\.columns = table\.columns\.map\(str\)"),
        (
            [("a", "b"), ("a", "c")],
            r'= \["_"\.join\(map\(str, name\)\) for name in table\.columns\]',
        ),
    ],
)
def test_columns_without_names_of_text_are_told_how_to_get_them(columns, way):
    pd = need("pandas")
    with pytest.raises(TableError, match=f"2 column names are not text.*{way}"):
        Frame(pd.DataFrame([[1, 2]]).set_axis(pd.Index(columns), axis=1))


def test_columns_given_twice_are_named():
    pd = need("pandas")
    table = pd.DataFrame([[1, 2]], columns=["age", "age"])
    with pytest.raises(TableError, match="columns given twice: 'age'"):
        Frame(table)


def test_lists_in_cells_are_refused_by_column():
    pl = need("polars")
    with pytest.raises(TableError, match="column 'x' holds lists"):
        Frame(pl.DataFrame({"x": [[1], [2]]})).factorize("x")


def test_what_is_no_frame_is_told_apart():
    assert not is_frame([1, 2])
    assert not is_frame("people.csv")


def test_a_frame_from_columns_has_missing_values_where_they_are_masked():
    need("pandas")
    column = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    frame = Frame.from_columns({"a": column, "b": ["x", None, "z"]})
    assert frame.names == ("a", "b")
    assert np.isnan(frame.numbers("a")).tolist() == [False, True, False]
    codes, values = frame.factorize("b")
    assert codes.tolist() == [0, -1, 1]
    assert values == ["x", "z"]


@pytest.mark.parametrize("other", [None, 1.5])
def test_large_whole_numbers_stay_whole_beside_other_values(other):
    need("pandas")
    frame = Frame.from_columns({"a": [2**53 + 1, other, 2**53]})
    assert {2**53 + 1, 2**53} <= set(frame.factorize("a")[1])


def test_names_that_differ_in_case_only_are_never_renamed(tmp_path):
    pd = need("pandas")
    frame = Frame(pd.DataFrame({"Age": [1], "age": [2]}))
    with pytest.raises(TableError, match="'Age' and 'age'"):
        frame.write(tmp_path / "people.parquet")
    frame.write(tmp_path / "people.csv")
    assert (tmp_path / "people.csv").read_text() == "Age,age\n1,2\n"


def test_whole_numbers_of_128_bits_are_refused_with_advice():
    pl = need("polars")
    with pytest.raises(TableError, match="'a' holds whole numbers of 128 bits"):
        Frame(pl.DataFrame({"a": pl.Series([2**80, 1], dtype=pl.Int128)}))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_spans_of_time_are_refused_with_advice(library):
    spans = [dt.timedelta(seconds=i) for i in range(4)]
    made = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}[library]
    frame = Frame(getattr(need(library), made)({"a": spans}))
    with pytest.raises(TableError, match="'a' holds spans of time"):
        frame.require_plain(["a"])


@pytest.mark.parametrize("library", ["pandas", "pandas-arrow", "polars", "pyarrow"])
@pytest.mark.parametrize("kind", ["timestamp", "time64"])
def test_times_that_only_nanoseconds_tell_apart_are_refused_as_what_rows_are_grouped_by(
    kind, library
):
    pa = need("pyarrow")
    for values, is_plain in (([0, 1, None], False), ([1, 1000, None, 1], True), ([-1, -2], False)):
        if min(value or 0 for value in values) < 0 and kind == "time64":
            continue
        table = pa.table({"a": pa.array(values, pa.int64()).cast(getattr(pa, kind)("ns"))})
        if library == "polars":
            table = need("polars").from_arrow(table)
        elif library == "pandas-arrow":
            table = table.to_pandas(types_mapper=need("pandas").ArrowDtype)
        elif library == "pandas" and kind == "timestamp":
            table = table.to_pandas()
        frame = Frame(table)
        frame.require_plain(["a"])
        if is_plain:
            frame.require_plain(["a"], ["a"])
            continue
        with pytest.raises(TableError, match="'a' holds times that differ by less"):
            frame.require_plain(["a"], ["a"])
