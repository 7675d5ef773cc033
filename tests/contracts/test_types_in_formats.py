"""Every type of column is released in every format, from a file and from a table in memory."""

import datetime as dt
from decimal import Decimal
from itertools import product

import pytest

import shoal
from shoal.anonymize._release_files import FORMATS
from shoal.errors import TableWarning
from shoal.schema import Schema
from tests.extras import need

pa = need("pyarrow")
need("openpyxl")

ROWS = 11
UTC = dt.UTC
VALUES = {
    "bool": (pa.bool_(), [True, False, True]),
    "int8": (pa.int8(), [1, -2, 3]),
    "uint64": (pa.uint64(), [2**63, 2**63 + 1, 7]),
    "float32": (pa.float32(), [0.25, 0.5, 0.75]),
    "float64": (pa.float64(), [1 / 7, 2 / 3, 1e300 / 7]),
    "date": (pa.date32(), [dt.date(2020, 1, day) for day in (1, 2, 3)]),
    "moment": (pa.timestamp("us"), [dt.datetime(2020, 1, day, 4, 5, 6) for day in (1, 2, 3)]),
    "zoned": (
        pa.timestamp("us", "UTC"),
        [dt.datetime(2020, 1, 1, hour, tzinfo=UTC) for hour in (1, 2, 3)],
    ),
    "time": (pa.time64("us"), [dt.time(4, minute, 6) for minute in (1, 2, 3)]),
    "decimal": (pa.decimal128(9, 2), [Decimal("1.10"), Decimal("1.20"), Decimal("7.00")]),
    "text": (pa.string(), ["ab", "", "="]),
    "category": (pa.dictionary(pa.int8(), pa.string()), ["ab", "b", "c"]),
    "span": (pa.duration("us"), [dt.timedelta(hours=hours) for hours in (1, 2, 3)]),
}
ENDINGS = [end for end in FORMATS if not end.endswith((".gz", ".zst"))]
SCHEMA = Schema({"sex": {"role": "quasi-identifier"}, "held": {"role": "sensitive"}})


def table(kind, gaps):
    type_, values = VALUES[kind]
    cells = [None if gaps and i % 4 == 1 else values[i % 3] for i in range(ROWS)]
    return pa.table({"sex": ["f"] * ROWS, "held": pa.array(cells, type_)})


@pytest.mark.parametrize(("kind", "gaps"), [*product(VALUES, [False, True])])
@pytest.mark.filterwarnings("ignore:.*holds spans of time:shoal.errors.TableWarning")
def test_a_column_of_every_type_is_released_in_every_format(tmp_path, kind, gaps):
    from pyarrow import parquet

    rows = table(kind, gaps)
    parquet.write_table(rows, tmp_path / "people.parquet")
    sources = {"file": tmp_path / "people.parquet"}
    if kind != "span":  # which a table in memory has, and is refused with advice
        sources["frame"] = rows
    for name, source in sources.items():
        release = shoal.release(source, SCHEMA, k=2)
        for end in ENDINGS:  # each is judged before it has its name
            release.write(tmp_path / f"{name}-{end[1:]}{end}")
    assert len([*tmp_path.glob("file-*.manifest.json")]) == len(ENDINGS)


def test_spans_of_time_in_a_parquet_file_are_numbers_and_said_to_be(tmp_path):
    from pyarrow import parquet

    parquet.write_table(table("span", gaps=False), tmp_path / "people.parquet")
    with pytest.warns(TableWarning, match="'held' holds spans of time.* of microseconds"):
        released = shoal.release(tmp_path / "people.parquet", SCHEMA, k=2).table
    hour = 3_600_000_000
    assert {held for _, held in released.fetchall()} == {hour, 2 * hour, 3 * hour}
