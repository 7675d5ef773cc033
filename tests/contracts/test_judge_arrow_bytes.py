import numpy as np
import pytest

from shoal import Schema, check_table
from tests.extras import need

pa = need("pyarrow")
SCHEMA = Schema({"age": {"role": "quasi-identifier"}, "n": {"role": "insensitive"}})
LONG = "a text that is longer than a view holds in itself"


def write(path, column, notes=None, of_rows=None):
    table = pa.table({"age": pa.array(["7"] * len(column)), "n": column})
    with (
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, metadata=notes) as file,
    ):
        for batch in table.to_batches():
            file.write_batch(batch, custom_metadata=of_rows)
    return check_table(path, SCHEMA, 3)


def marked_missing(values, kind):
    """The array with its second value marked as missing, the value left where it is."""
    _, *rest = pa.array(values, kind).buffers()
    marks = np.packbits([index != 1 for index in range(len(values))], bitorder="little").tobytes()
    return pa.Array.from_buffers(kind, len(values), [pa.py_buffer(marks), *rest])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([3, 271828, 5], pa.int64()),
        ([1.5, 2.5, 3.5], pa.float64()),
        ([True, True, False], pa.bool_()),
        (["x", "Ann Smith", "y"], pa.string()),
        (["x", "Ann Smith", "y"], pa.large_string()),
        (["x", "Ann", "y"], pa.string_view()),
        ([19000, 19001, 19002], pa.date32()),
    ],
)
def test_a_value_that_is_only_marked_as_missing_is_seen(values, kind, tmp_path):
    path = tmp_path / "t.arrow"
    assert write(path, pa.array(values, kind)).holds
    assert write(path, pa.array([values[0], None, values[2]], kind)).holds
    hidden = marked_missing(values, kind)
    assert hidden.null_count == 1
    assert write(path, hidden).is_undecided


def test_a_cell_that_pandas_blanks_keeps_its_value_in_the_file(tmp_path):
    pandas = need("pandas")
    frame = pandas.DataFrame({"age": ["7"] * 3, "n": pandas.array([1, 271828, 3], dtype="Int64")})
    frame.loc[1, "n"] = pandas.NA
    frame.to_feather(tmp_path / "t.feather")
    assert check_table(tmp_path / "t.feather", SCHEMA, 3).is_undecided
    frame.astype({"n": "float64"}).to_feather(tmp_path / "t.feather")
    assert check_table(tmp_path / "t.feather", SCHEMA, 3).holds


def test_texts_of_rows_that_were_left_out_are_seen(tmp_path):
    polars, path = need("polars"), tmp_path / "t.arrow"
    frame = polars.DataFrame({"age": ["7"] * 4, "n": [f"{LONG} {number}" for number in range(4)]})
    for rows in (4, 3):
        frame.head(rows).write_ipc(path, compat_level=polars.CompatLevel.newest())
        assert check_table(path, SCHEMA, 3).holds == (rows == 4)


def test_texts_that_several_cells_share_hold(tmp_path):
    first, *rest = pa.array([LONG, LONG, "x"], pa.string_view()).buffers()
    views = rest[0].to_pybytes()[:48]
    blocks = [pa.py_buffer(LONG.encode())]
    shared = [first, pa.py_buffer(views[:16] * 2 + views[32:]), *blocks]
    column = pa.Array.from_buffers(pa.string_view(), 3, shared)
    assert column.to_pylist() == [LONG, LONG, "x"]
    assert write(tmp_path / "t.arrow", column).holds


def test_notes_of_a_file_and_of_its_rows_are_seen(tmp_path):
    path, column = tmp_path / "t.arrow", pa.array([1, 2, 3])
    assert write(path, column, {"note": "Ann Smith"}).is_undecided
    assert write(path, column, of_rows={"note": "Ann Smith"}).is_undecided


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_missing_numbers_of_several_kinds_do_not_pass_for_one(ending, tmp_path):
    path, parquet = tmp_path / f"t.{ending}", need("pyarrow.parquet")
    payloads = np.array([0x7FF8000000000001, 0x7FF8000000000002], np.uint64).view(np.float64)
    cases = [[np.nan] * 3, [None] * 3, [np.nan, None, np.nan], [*payloads, payloads[0]]]
    for cells, alike in zip(cases, (True, True, False, False), strict=True):
        ages = pa.array(cells, pa.float64(), from_pandas=False)
        table = pa.table({"age": ages, "n": [1, 2, 3]})
        if ending == "parquet":
            parquet.write_table(table, path)
        else:
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
                file.write_table(table)
        assert check_table(path, SCHEMA, 3).holds == alike


CODED = Schema({"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}})


@pytest.mark.parametrize(
    ("codes", "values", "holds"),
    [
        ([0, 0, 0], ["x"], True),
        ([None, None, None], [], True),
        ([0, 0, 0], [None], True),
        ([0, 1, 1], ["x", "x"], False),
        ([0, 1, 1], [7, 7], False),
        ([None, 0, 0], [None], False),
    ],
)
@pytest.mark.parametrize("column", ["age", "ill"])
def test_codes_that_tell_equal_values_apart_are_undecided(column, codes, values, holds, tmp_path):
    pa, feather = need("pyarrow"), need("pyarrow.feather")
    kind = pa.int64() if 7 in values else pa.string()
    coded = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(values, kind))
    table = pa.table({name: coded if name == column else ["y"] * 3 for name in CODED})
    feather.write_feather(table, tmp_path / "t.arrow", compression="uncompressed")
    verdict = check_table(tmp_path / "t.arrow", CODED, 3)
    assert verdict.holds == holds
    assert holds or verdict.side_doors


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.date32(), pa.bool_(), pa.string(), pa.large_string(), "codes"]
)
def test_rows_that_fill_up_a_batch_are_those_of_the_next_or_seen(kind, tmp_path):
    if kind == "codes":
        column = pa.array(["u", "v", "w", "v"] * 6).dictionary_encode()
    else:
        numbers = [None if i % 5 == 1 else i * 7 % 11 for i in range(1, 24)]
        column = pa.array(numbers, pa.int32())
        column = column.cast(kind)
    table = pa.table({"age": pa.array(["7"] * len(column)), "n": column})
    verdicts = []
    for parts in ([(0, 3), (3, 3), (6, len(column) - 6)], [(0, 3), (6, 3)]):
        path = tmp_path / f"{len(parts)}.arrow"
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
            for start, length in parts:
                file.write_batch(table.slice(start, length).to_batches()[0])
        verdicts.append(check_table(path, SCHEMA, 3))
    whole, partly = verdicts
    assert whole.holds
    assert not partly.holds
    assert any("no cell has in the bytes of column 'n'" in door for door in partly.side_doors)
