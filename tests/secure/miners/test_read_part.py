import numpy as np
import pytest

from shoal.errors import SchemaError, TableError
from shoal.schema import Schema
from shoal.secure import read_part
from tests.extras import need

SCHEMA = Schema(
    {
        "id": {"role": "identifier"},
        "a": {"role": "insensitive", "kind": "ordinal", "order": ["x", "y"]},
        "b": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"low": ["p", "q"], "high": ["r"]}},
        },
    }
)
OPEN = Schema({"a": {"role": "insensitive"}, "b": {"role": "insensitive"}})


def write(tmp_path, text):
    path = tmp_path / "part.csv"
    path.write_text(text)
    return path


def test_values_come_from_the_schema(tmp_path):
    part = read_part(write(tmp_path, "b,id,a\nr, 7,x\np,8,y\n"), SCHEMA)
    assert part.names == ["a", "b"]
    assert part.values == [["x", "y"], ["p", "q", "r"]]
    np.testing.assert_array_equal(part.codes, [[0, 2], [1, 0]])


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_part_is_read_from_every_format(tmp_path, suffix):
    polars = need("polars")
    table = polars.DataFrame({"b": ["r", "p"], "id": [7, 8], "a": ["x", "y"]})
    path = tmp_path / f"part.{suffix}"
    (table.write_parquet if suffix == "parquet" else table.write_ipc)(path)
    part = read_part(path, SCHEMA)
    np.testing.assert_array_equal(part.codes, [[0, 2], [1, 0]])


def test_cells_of_the_other_party_are_empty_or_absent(tmp_path):
    part = read_part(write(tmp_path, "b,z\nr,1\n,2\n"), SCHEMA, split="cells")
    np.testing.assert_array_equal(part.codes, [[-1, 2], [-1, -1]])


@pytest.mark.parametrize("sign", ["\x1b[2J", "\u202e", "\u2028"])
def test_values_of_the_other_party_cannot_rewrite_what_a_terminal_shows(both, tmp_path, sign):
    path = write(tmp_path, "a,b\nu,v\n")
    other = need("pandas").DataFrame({"a": ["w"], "b": [f"v{sign}v"]})

    def half(party, table):
        with pytest.raises(TableError, match="control characters in values of a party: 'b'"):
            read_part(table, OPEN, party=party)
        return True

    assert all(both(half, (path,), (other,)))


def test_values_are_exchanged_only_when_agreed(both, tmp_path):
    path = write(tmp_path, "a,b\nu,v\n")
    with pytest.raises(SchemaError, match="without public values: 'a', 'b'"):
        read_part(path, OPEN)
    other = tmp_path / "other.csv"
    other.write_text("a,b\nw,v\n")

    def half(party, file):
        return read_part(file, OPEN, party=party)

    one, two = both(half, (path,), (other,))
    assert one.values == two.values == [["u", "w"], ["v"]]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", TableError, "is empty"),
        ("a,a\nx,x\n", TableError, "twice"),
        ("a,b\nx\n", TableError, "line 2: 1 cell where"),
        ("a,c\nx,p\n", SchemaError, "lacks columns: 'b'"),
        ("a,b\nSECRET,p\n", TableError, "column 'a': 1 cells"),
        ("a,b\n,p\n", TableError, "column 'a': 1 cells"),
    ],
)
def test_a_bad_file_is_explained_without_its_cells(tmp_path, text, error, message):
    with pytest.raises(error, match=message) as caught:
        read_part(write(tmp_path, text), SCHEMA)
    assert "SECRET" not in str(caught.value)


def test_a_missing_or_binary_file_is_explained(tmp_path):
    with pytest.raises(TableError, match="no file"):
        read_part(tmp_path / "none.csv", SCHEMA)
    (tmp_path / "part.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TableError, match="not written in utf-16"):
        read_part(tmp_path / "part.csv", SCHEMA)
