"""A file that is read wrongly is read anew, with what somebody says about it."""

import os

import pytest

from shoal.errors import ParameterError
from shoal.schema import Schema
from tests.extras import need
from tests.studio.desks import Bureau

ROWS = "\n".join(f"{20 + n % 9};{n % 3},5;{('Köln', 'Ulm', 'k.A.')[n % 3]}" for n in range(60))


def klinik(folder):
    path = folder / "klinik.csv"
    path.write_bytes(f"alter;gewicht;ort\n{ROWS}\n".encode("cp1252"))
    return path


def columns_of(bureau):
    return {one["name"]: one for one in bureau.show("table")["overview"]["value"]["columns"]}


def test_what_is_said_is_read_and_roles_that_nobody_accepted_are_suggested_anew(tmp_path):
    bureau = Bureau(tmp_path, klinik(tmp_path)).with_roles()
    assert set(bureau.desk.schema) == {"alter", "gewicht", "ort"}
    bureau.act("table", "reading", header="no", encoding="cp1252")
    assert set(columns_of(bureau)) == {"column1", "column2", "column3"}
    bureau.show("columns")
    assert set(bureau.desk.schema) == {"column1", "column2", "column3"}
    with pytest.raises(ParameterError, match="in this way already"):
        bureau.act("table", "reading", header="no", encoding="cp1252")
    bureau.act("table", "reading", missing="k.A., ?")
    assert columns_of(bureau)["ort"]["missing"] == 20
    assert bureau.desk.project.reading == {"missing": ("k.A.", "?")}
    assert "k.A." not in (bureau.desk.project.folder / "decisions.jsonl").read_text()


def test_roles_that_were_accepted_stay_and_columns_are_taken_over_when_asked(tmp_path):
    bureau = Bureau(tmp_path, klinik(tmp_path)).with_roles()
    bureau.act("columns", "set", columns=["ort"], role="sensitive")
    bureau.show("columns")
    table = bureau.desk.project.table
    table.write_bytes(table.read_bytes().replace(b"gewicht", b"masse"))
    shown = bureau.show("columns")
    assert shown["unlike"] == {"new": 1, "gone": 1}
    bureau.act("columns", "fit")
    assert set(bureau.desk.schema) == {"alter", "masse", "ort"}
    assert bureau.desk.schema["ort"].role == "sensitive"
    assert bureau.show("columns")["unlike"] is None
    assert "masse" not in bureau.desk.project.settings.accepted


def test_sheets_of_a_workbook_are_listed_and_one_is_read(tmp_path):
    need("openpyxl")
    from openpyxl import Workbook

    book = Workbook()
    for title, names in (("Patients", ["age", "illness"]), ("Staff", ["name", "ward"])):
        sheet = book.create_sheet(title)
        sheet.append(names)
        for n in range(30):
            sheet.append([20 + n % 7 if names[0] == "age" else f"x{n % 3}", f"y{n % 2}"])
    book.remove(book["Sheet"])
    book.save(tmp_path / "house.xlsx")
    bureau = Bureau(tmp_path, tmp_path / "house.xlsx")
    shown = bureau.show("table")
    assert shown["overview"]["state"] == "failed"
    assert bureau.show("table")["reading"]["parts"] == {
        "setting": "sheet", "names": ["Patients", "Staff"],
    }  # fmt: skip
    bureau.act("table", "reading", sheet="Patients")
    assert set(columns_of(bureau)) == {"age", "illness"}
    assert bureau.show("table")["reading"]["said"] == {"sheet": "Patients"}


def test_tables_of_a_database_are_listed(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "house.db") as house:
        house.execute("CREATE TABLE people (age INTEGER, town TEXT)")
        house.execute("CREATE TABLE visits (day TEXT)")
        house.executemany("INSERT INTO people VALUES (?, ?)", [(20 + n, "Ulm") for n in range(9)])
    bureau = Bureau(tmp_path, tmp_path / "house.db")
    bureau.show("table")
    assert bureau.show("table")["reading"]["parts"]["names"] == ["people", "visits"]
    bureau.act("table", "reading", database_table="people")
    assert columns_of(bureau)["age"]["sort"] == "number"
    assert bureau.desk.project.settings.database_table == "people"


def test_a_look_that_failed_is_tried_again_when_asked_for(tmp_path):
    path = klinik(tmp_path)
    rows, stamp = path.read_bytes(), path.stat()
    path.write_bytes(b"%PDF-1.7 no table".ljust(len(rows)))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    bureau = Bureau(tmp_path, path)
    assert bureau.show("table")["overview"]["state"] == "failed"
    path.write_bytes(rows)  # the disk is back: the same file, the same time
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    bureau.act("table", "reading")
    assert set(columns_of(bureau)) == {"alter", "gewicht", "ort"}
    with pytest.raises(ParameterError, match="in this way already"):
        bureau.act("table", "reading")


def test_labels_of_columns_are_shown_beside_their_names(tmp_path):
    need("pyreadstat")
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"v1": [31.0, 42.0] * 6, "v2": [1.0, 2.0] * 6})
    pyreadstat.write_sav(
        frame, str(tmp_path / "study.sav"), column_labels=["Age in years", "Sex of the child"],
        variable_value_labels={"v2": {1.0: "girl", 2.0: "boy"}},
    )  # fmt: skip
    bureau = Bureau(tmp_path, tmp_path / "study.sav")
    assert columns_of(bureau)["v2"]["title"] == "Sex of the child"
    titles = [one["title"] for one in bureau.show("columns")["columns"]]
    assert titles == ["Age in years", "Sex of the child"]


def test_what_a_schema_says_about_its_file_is_kept_by_every_change_and_by_undo(tmp_path):
    folder = tmp_path / "people.shoal"  # as the command line leaves one: a table, a schema
    folder.mkdir()
    klinik(folder)
    roles = {"alter": "quasi-identifier", "gewicht": "insensitive", "ort": "quasi-identifier"}
    schema = Schema({n: {"role": r} for n, r in roles.items()}, reading={"missing": ["k.A."]})
    schema.to_toml(folder / "schema.toml")
    bureau = Bureau(tmp_path, folder / "klinik.csv")
    assert columns_of(bureau)["ort"]["missing"] == 20
    bureau.act("columns", "set", columns=["alter"], role="insensitive")
    assert bureau.desk.schema.reading == {"missing": ("k.A.",)}
    bureau.act("table", "reading", missing="k.A.", decimal=",")
    kept = {"decimal": ",", "missing": ("k.A.",)}
    assert Schema.from_toml(folder / "schema.toml").reading == kept
    bureau.act("columns", "undo")
    assert bureau.desk.schema["alter"].role == "quasi-identifier"
    assert Schema.from_toml(folder / "schema.toml").reading == kept
    bureau.act("table", "reading")
    assert Schema.from_toml(folder / "schema.toml").reading == {}
    assert columns_of(bureau)["ort"]["missing"] == 0


def test_how_a_file_was_read_where_it_leaves_that_open_is_told(tmp_path):
    bureau = Bureau(tmp_path, klinik(tmp_path))
    (note,) = bureau.show("table")["overview"]["value"]["notes"]
    assert "read as cp1252" in note


def test_a_schema_that_is_gone_is_suggested_again_and_one_dropped_can_be_had_back(
    tmp_path,
):
    bureau = Bureau(tmp_path, klinik(tmp_path)).with_roles()
    first = bureau.desk.project.schema_text()
    bureau.act("table", "reading", header="no", encoding="cp1252")
    assert bureau.desk.project.schema is None
    bureau.act("columns", "undo")
    assert bureau.desk.project.schema_text().endswith(first)  # below how the table is read now
    assert bureau.desk.schema.reading == {"header": False, "encoding": "cp1252"}
    with pytest.raises(ParameterError, match="nothing to do again"):
        bureau.act("columns", "undo", again="true")
    bureau.desk.project.schema_path.unlink()
    again = Bureau(tmp_path, bureau.desk.project.table)  # with what was suggested in mind
    again.show("columns")
    assert again.desk.schema
