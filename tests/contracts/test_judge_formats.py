"""The judge reads every format that is written, and withholds what was changed on the way."""

import gzip
import json
import sqlite3
import zipfile

import duckdb
import pytest

from shoal.anonymize import Mondrian
from shoal.anonymize._release_files import FORMATS
from shoal.errors import GuaranteeError, TableError
from shoal.schema import Schema
from shoal.tables.engines._database_store import DatabaseStore
from shoal.tables.engines._duck_release import CompressedRelation
from tests.extras import need

need("pyarrow")
need("zstandard")
openpyxl = need("openpyxl")

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "note": {"role": "insensitive"},
        "ill": {"role": "sensitive"},
    }
)
ROWS = "age,note,ill\n31,=1+1,flu\n33,fine,cold\n52,'=x,flu\n54,-,cold\n"


@pytest.fixture
def release(tmp_path):
    (tmp_path / "people.csv").write_text(ROWS)
    return Mondrian(SCHEMA, 2).fit(tmp_path / "people.csv").release_


def change_text(path):
    path.write_bytes(path.read_bytes().replace(b"flu", b"fly"))


def change_packed(path):
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()).replace(b"flu", b"fly")))


def change_book(path):
    book = openpyxl.load_workbook(path)
    cell = next(c for row in book.active.iter_rows() for c in row if c.value == "flu")
    cell.value = "fly"
    book.save(path)


def add_formula(path):
    book = openpyxl.load_workbook(path)
    cell = next(c for row in book.active.iter_rows() for c in row if c.value == "flu")
    cell.value = "=1+1"
    book.save(path)


def add_sheet(path):
    book = openpyxl.load_workbook(path)
    book.create_sheet("raw").append(["Quellmann", 31])
    book.save(path)


def change_sqlite(path):
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE {path.stem} SET ill = 'fly' WHERE ill = 'flu'")
    connection.close()


def add_table(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE raw AS SELECT 'Quellmann' AS name")
    connection.close()


def change_duckdb(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"UPDATE {path.stem} SET ill = 'fly' WHERE ill = 'flu'")


def add_key(path):
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(row | {"name": "Quellmann"}) + "\n" for row in rows))


def add_cells(path):
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *(f"{line},Quellmann" for line in lines[1:])]) + "\n")


def add_column_of_the_same_name(path):
    header, *lines = path.read_text().splitlines()
    path.write_text("\n".join([f"ill,{header}", *(f"Quellmann,{line}" for line in lines)]) + "\n")


def add_key_twice(path):
    path.write_text(path.read_text().replace('{"', '{"ill": "Quellmann", "'))


def name_the_packed(path):
    text = gzip.decompress(path.read_bytes())
    with path.open("wb") as file, gzip.GzipFile("Quellmann.csv", "wb", 6, file, mtime=0) as packed:
        packed.write(text)


def append_to_zstandard(path):
    frame = b"Quellmann"
    path.write_bytes(path.read_bytes() + b"\x50\x2a\x4d\x18\x09\0\0\0" + frame)


def add_cell_beyond(path):
    book = openpyxl.load_workbook(path)
    book.active["J3"] = "Quellmann"
    book.save(path)


def add_property(path):
    book = openpyxl.load_workbook(path)
    book.properties.title = "Quellmann"
    book.save(path)


def add_choices(path):
    book = openpyxl.load_workbook(path)
    rule = openpyxl.worksheet.datavalidation.DataValidation("list", formula1='"Quellmann,flu"')
    book.active.add_data_validation(rule)
    book.save(path)


def add_shared_text(path):
    sheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    with zipfile.ZipFile(path, "a") as book:
        content = f'<sst xmlns="{sheet}"><si><t>Quellmann</t></si></sst>'
        book.writestr("xl/sharedStrings.xml", content)


def delete_in_sqlite(path):
    with sqlite3.connect(path) as connection:
        connection.execute(f"INSERT INTO {path.stem} VALUES ('Quellmann', 'Quellmann', 'flu')")
    with sqlite3.connect(path) as connection:
        connection.execute(f"DELETE FROM {path.stem} WHERE age = 'Quellmann'")
    connection.close()


def delete_in_duckdb(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"INSERT INTO {path.stem} VALUES ('Quellmann', 'Quellmann', 'flu')")
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"DELETE FROM {path.stem} WHERE age = 'Quellmann'")


def add_type(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TYPE names AS ENUM ('Quellmann')")


def add_comment(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"COMMENT ON COLUMN {path.stem}.ill IS 'Quellmann'")


def list_values(path):
    with duckdb.connect(str(path)) as connection:
        values = "'flu', 'cold', 'Quellmann'"
        connection.execute(f"ALTER TABLE {path.stem} ALTER ill TYPE ENUM ({values})")


CHANGES = {
    "csv": (".csv", change_text),
    "tsv": (".tsv", change_text),
    "packed": (".csv.gz", change_packed),
    "json": (".jsonl", change_text),
    "json with a name": (".jsonl", add_key),
    "book": (".xlsx", change_book),
    "book with a formula": (".xlsx", add_formula),
    "book with a sheet": (".xlsx", add_sheet),
    "sqlite": (".sqlite", change_sqlite),
    "sqlite with a table": (".sqlite", add_table),
    "duckdb": (".duckdb", change_duckdb),
}
SIDE_DOORS = {
    "cells beyond the header": (".csv", add_cells),
    "a name twice": (".csv", add_column_of_the_same_name),
    "a key twice": (".jsonl", add_key_twice),
    "packed under a name": (".csv.gz", name_the_packed),
    "packed lines under a name": (".jsonl.gz", name_the_packed),
    "a frame to skip": (".csv.zst", append_to_zstandard),
    "book with a cell beyond": (".xlsx", add_cell_beyond),
    "book with a title": (".xlsx", add_property),
    "book with choices": (".xlsx", add_choices),
    "book with a text that no cell has": (".xlsx", add_shared_text),
    "sqlite with a deleted row": (".sqlite", delete_in_sqlite),
    "duckdb with a deleted row": (".duckdb", delete_in_duckdb),
    "duckdb with a type": (".duckdb", add_type),
    "duckdb with a comment": (".duckdb", add_comment),
    "duckdb with a list of values": (".duckdb", list_values),
}


@pytest.mark.parametrize("change", [*CHANGES, *SIDE_DOORS])
def test_what_was_changed_on_the_way_is_withheld(release, tmp_path, monkeypatch, change):
    suffix, spoil = (CHANGES | SIDE_DOORS)[change]
    write = CompressedRelation.write

    def write_and_spoil(self, recoded, output, path):
        witness = write(self, recoded, output, path)
        spoil(path)
        return witness

    monkeypatch.setattr(CompressedRelation, "write", write_and_spoil)
    why = "holds more than its cells" if change in SIDE_DOORS else None
    with pytest.raises(GuaranteeError, match=why):
        release.write(tmp_path / f"out{suffix}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_is_written_and_judged(release, tmp_path, suffix):
    paths = release.write(tmp_path / f"out{suffix}")
    assert paths["table"].exists()
    assert paths["manifest"].name == "out.manifest.json"


def test_a_changed_row_in_a_database_is_rolled_back(release, tmp_path, monkeypatch):
    fill = DatabaseStore.fill

    def fill_and_spoil(self):
        fill(self)
        self.reader().execute(f"UPDATE \"{self._hidden}\" SET ill = 'fly' WHERE ill = 'flu'")

    address = f"sqlite:///{tmp_path}/house.db?table=people"
    with sqlite3.connect(tmp_path / "house.db") as connection:
        connection.execute("CREATE TABLE people (kept)")
    connection.close()
    with pytest.raises(TableError, match="is there already"):
        release.write(address)
    monkeypatch.setattr(DatabaseStore, "fill", fill_and_spoil)
    with pytest.raises(GuaranteeError):
        release.write(address, force=True)
    with sqlite3.connect(tmp_path / "house.db") as connection:
        assert connection.execute("SELECT name, sql FROM sqlite_master").fetchall() == [
            ("people", "CREATE TABLE people (kept)")
        ]
    connection.close()
    monkeypatch.undo()
    release.write(address, force=True)
    with sqlite3.connect(tmp_path / "house.db") as connection:
        assert connection.execute("SELECT count(*) FROM people").fetchone() == (4,)
    connection.close()


def test_a_replaced_table_of_sqlite_is_wiped(release, tmp_path):
    """Pages that a dropped table leaves are read by no query, and by everybody who has the file."""
    with sqlite3.connect(tmp_path / "house.db") as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("CREATE TABLE people (name TEXT)")
        connection.executemany("INSERT INTO people VALUES (?)", [("CANARY" * 40,)] * 200)
    connection.close()
    release.write(f"sqlite:///{tmp_path}/house.db?table=people", force=True)
    assert b"CANARY" not in (tmp_path / "house.db").read_bytes()


def test_cells_that_a_spreadsheet_computes_are_marked_and_names_refused(release, tmp_path):
    release.write(tmp_path / "out.csv")
    written = (tmp_path / "out.csv").read_text()
    assert ",'=1+1," in written
    assert ",''=x," in written
    assert ",-," in written
    book = openpyxl.load_workbook(release.write(tmp_path / "book.xlsx")["table"])
    kinds = {cell.data_type for row in book.active.iter_rows() for cell in row}
    assert kinds <= {"s", "n"}
    (tmp_path / "odd.csv").write_text("age,=cmd\n31,a\n33,b\n")
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "=cmd": {"role": "insensitive"},
        }
    )
    odd = Mondrian(schema, 2).fit(tmp_path / "odd.csv").release_
    with pytest.raises(TableError, match="a spreadsheet would compute the name of column '=cmd'"):
        odd.write(tmp_path / "odd-out.csv")
    odd.write(tmp_path / "odd-out.parquet")


def test_a_book_that_was_only_saved_again_passes(release, tmp_path, monkeypatch):
    # else the books above might be withheld for what saving does
    write = CompressedRelation.write

    def write_and_save(self, recoded, output, path):
        witness = write(self, recoded, output, path)
        openpyxl.load_workbook(path).save(path)
        return witness

    monkeypatch.setattr(CompressedRelation, "write", write_and_save)
    release.write(tmp_path / "out.xlsx")
