import dataclasses

import duckdb
import pytest

from shoal.discover import distinct_ratio, mask
from shoal.discover._publish import write_masked
from shoal.errors import GuaranteeError, ParameterError, TableError
from tests.discover.tables import EXAMPLE, table as table
from tests.extras import need


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_published_columns_are_written_with_all_rows(table, tmp_path, name):
    out = tmp_path / name
    found = mask(table, 0.8)
    assert found.write(table, out) == 0.8
    read = duckdb.sql(f"FROM '{out}'")
    assert read.columns == ["sex", "state"]
    rows = zip(EXAMPLE["sex"], EXAMPLE["state"], strict=True)
    assert sorted(read.fetchall()) == sorted(rows)
    assert distinct_ratio(out) == 0.8


@pytest.mark.parametrize("library", [None, "pandas"])
def test_published_columns_come_in_no_order_of_the_table(library, tmp_path):
    rows = {"name": [f"P{i}" for i in range(200)], "town": ["A", "B", "C", "D"] * 50}
    table = rows if library is None else need(library).DataFrame(rows, index=rows["name"])
    found = dataclasses.replace(mask(rows, 0.5), published=("town",))
    orders = []
    for name in ("first.parquet", "second.parquet"):
        write_masked(table if library else _written(rows, tmp_path), found, tmp_path / name)
        read = duckdb.sql(f"FROM '{tmp_path / name}'")
        assert read.columns == ["town"]
        orders.append([town for (town,) in read.fetchall()])
        assert sorted(orders[-1]) == sorted(rows["town"])
    assert orders[0] != orders[1] != rows["town"] != orders[0]


def _written(rows, folder):
    path = folder / "people.csv"
    path.write_text("\n".join([",".join(rows), *map(",".join, zip(*rows.values(), strict=True))]))
    return path


def test_what_exceeds_beta_is_withheld(table, tmp_path):
    out = tmp_path / "out.csv"
    unlucky = dataclasses.replace(mask(table, 0.8), published=("age", "sex"))
    with pytest.raises(GuaranteeError, match=r"ratio of the 2 columns is 1, above beta=0\.8"):
        write_masked(table, unlucky, out)
    assert [p.name for p in tmp_path.iterdir()] == ["people.csv"]


def test_files_are_not_overwritten_and_formats_are_known(table, tmp_path):
    found = mask(table, 0.8)
    out = tmp_path / "out.csv"
    out.write_text("mine")
    with pytest.raises(TableError, match="there already"):
        write_masked(table, found, out)
    assert out.read_text() == "mine"
    write_masked(table, found, out, force=True)
    with pytest.raises(ParameterError, match=r"end it in \.csv"):
        write_masked(table, found, tmp_path / "out.xlsx")
    with pytest.raises(TableError, match="folder 'nowhere' does not exist"):
        write_masked(table, found, tmp_path / "nowhere" / "out.csv")


def test_a_frame_is_written_like_a_file(table, tmp_path):
    pa = need("pyarrow")
    found = mask(EXAMPLE, 0.8)
    assert write_masked(pa.table(EXAMPLE), found, tmp_path / "frame.csv") == write_masked(
        table, found, tmp_path / "file.csv"
    )
    frame, file = ((tmp_path / name).read_text().splitlines() for name in ("frame.csv", "file.csv"))
    assert frame[0] == file[0]
    assert sorted(frame) == sorted(file)
