from zipfile import ZipFile

import duckdb
import pytest

from shoal import check_table, release
from shoal.errors import TableError, TableWarning
from shoal.schema import Schema
from shoal.tables import open_table
from shoal.tables.engines.formats._formats import FORMATS
from tests.extras import need

SCHEMA = Schema({"zip": {"role": "quasi-identifier"}, "age": {"role": "quasi-identifier"}})


def cells(path, **options):
    found = open_table(str(path), **options).compress(SCHEMA).cells
    return {
        tuple(c.texts[code] for c, code in zip(found.codings, key, strict=True)): int(size)
        for key, size in zip(found.keys, found.sizes, strict=True)
    }


def test_a_zip_code_keeps_its_leading_zero(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("zip,age\n01234,30\n01234,30\n99999,31\n")
    assert cells(path) == {("01234", "30"): 2, ("99999", "31"): 1}


def test_a_folder_of_files_is_one_table(tmp_path):
    for number in range(3):
        (tmp_path / f"part{number}.csv").write_text(f"zip,age\nA,{number}\nA,9\n")
    assert cells(tmp_path) == {("A", "0"): 1, ("A", "1"): 1, ("A", "2"): 1, ("A", "9"): 3}


def test_folders_that_mix_formats_or_hold_nothing_are_refused(tmp_path):
    with pytest.raises(TableError, match=r"holds no .*CSV, Parquet"):
        open_table(tmp_path)
    (tmp_path / "a.csv").write_text("zip,age\n1,2\n")
    duckdb.sql("SELECT 1 AS zip, 2 AS age").write_parquet(str(tmp_path / "b.parquet"))
    with pytest.raises(TableError, match="mixes CSV and Parquet"):
        open_table(tmp_path)


def test_a_late_text_in_a_column_of_numbers_does_not_break_the_file(tmp_path):
    path = tmp_path / "people.csv"
    rows = "\n".join(f"1,{i % 7}" for i in range(30_000))
    path.write_text(f"zip,age\n{rows}\n1,unknown\n")
    assert cells(path)["1", "unknown"] == 1


def test_other_encodings_are_read_when_named_and_found_with_a_word_when_not(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes("zip,age\nMünchen,30\nKöln,30\n".encode("latin-1"))
    expected = {("München", "30"): 1, ("Köln", "30"): 1}
    with pytest.warns(TableWarning, match=r"not UTF-8; it was read as cp1252"):
        assert cells(path) == expected
    assert cells(path, encoding="latin-1") == expected
    with pytest.raises(TableError, match=r"is not written in .*--encoding"):
        cells(path, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gone.csv", None, "no file or folder 'gone.csv'"),
        ("empty.csv", b"", "is empty"),
        ("cut.parquet", b"PAR1\x00\x00", "cannot be read"),
        ("people.docx", b"PK", "no .*CSV, Parquet.* file by its name"),
        ("twice.csv", b"zip,zip\n1,2\n", "columns given twice: 'zip'"),
    ],
)
def test_a_file_that_cannot_be_a_table_is_refused_with_its_name(tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(TableError, match=message):
        open_table(path)


def test_odd_column_names_are_quoted(tmp_path):
    path = tmp_path / "people.parquet"
    names = ('x "y"', "select", "o'k")
    quoted = ", ".join("1 AS " + '"' + name.replace('"', '""') + '"' for name in names)
    duckdb.sql(f"SELECT {quoted}").write_parquet(str(path))
    schema = Schema({name: {"role": "quasi-identifier"} for name in names})
    assert open_table(path).compress(schema).cells.n_rows == 1


def test_a_folder_of_arrow_files_is_one_table(tmp_path):
    feather = need("pyarrow.feather")
    pyarrow = need("pyarrow")
    for number in range(2):
        table = pyarrow.table({"zip": ["A", "A"], "age": [number, 9]})
        feather.write_feather(table, tmp_path / f"part{number}.arrow")
    assert cells(tmp_path) == {("A", "0"): 1, ("A", "1"): 1, ("A", "9"): 2}
    feather.write_feather(pyarrow.table({"zip": ["A"]}), tmp_path / "part2.arrow")
    with pytest.raises(TableError, match="differ in columns or types"):
        open_table(tmp_path)


@pytest.mark.parametrize(
    ("guess", "expected"),
    [("all", ["date", "boolean", "number"]), ("numbers", ["text", "text", "number"]),
     ("none", ["text", "text", "text"])],
)  # fmt: skip
def test_how_much_is_guessed_can_be_chosen(tmp_path, guess, expected):
    path = tmp_path / "people.csv"
    path.write_text("born,smokes,age\n1980-01-02,true,30\n1981-01-02,false,31\n")
    assert list(open_table(path, guess=guess).types.values()) == expected


def test_types_that_are_given_are_not_guessed(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("zip,age\n1234,30\n")
    engine = open_table(path, types={"zip": "VARCHAR", "absent": "BIGINT"})
    assert engine.distinct("zip")[0] == ["1234"]


def test_every_suffix_belongs_to_one_format():
    suffixes = [suffix for known in FORMATS for suffix in known.suffixes]
    assert len(suffixes) == len(set(suffixes))


def packed(path, files):
    with ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_an_archive_of_one_table_is_that_table(tmp_path):
    inside = {"data/people.csv": "age,city\n30,Ulm\n", "readme.pdf": "x", "__MACOSX/a.csv": ""}
    path = packed(tmp_path / "people.zip", inside)
    assert open_table(path).names == ("age", "city")
    packed(path, {"/people.tsv": "age\ttown\n30\tUlm\n41\tKiel\n"})  # another file, another copy
    again = open_table(path)
    assert (again.names, again.n_rows) == (("age", "town"), 2)


def test_archives_of_several_tables_or_none_are_refused(tmp_path):
    two = packed(tmp_path / "two.zip", {"a.csv": "x\n1\n", "b.csv": "x\n2\n"})
    none = packed(tmp_path / "none.zip", {"a.pdf": "x"})
    for path, message in ((two, "2 tables among 2"), (none, "0 tables among 1")):
        with pytest.raises(TableError, match=message):
            open_table(path)
    (tmp_path / "cut.zip").write_bytes(two.read_bytes()[:40])
    with pytest.raises(TableError, match="cannot be unpacked"):
        open_table(tmp_path / "cut.zip")


def test_a_release_of_an_archive_is_judged_by_what_is_in_it(tmp_path):
    rows = "".join(f"{20 + i % 4},c{i % 2}\n" for i in range(16))
    path = packed(tmp_path / "people.zip", {"people.csv": "age,city\n" + rows})
    schema = Schema({name: {"role": "quasi-identifier"} for name in ("age", "city")})
    files = release(path, schema, 2).write(tmp_path / "out.csv")
    assert check_table(files["table"], schema, 2).holds
    assert not check_table(path, schema, 5).holds
