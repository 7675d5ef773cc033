"""How a table is read is said once, and means the same to workers, commands and Python."""

import pytest

from shoal.cli._reading import _READING
from shoal.errors import ParameterError, SchemaError
from shoal.schema import Schema
from shoal.studio.project._project import Project
from shoal.studio.project._reading import (
    FIELDS,
    read_reading,
    reading_keywords,
    reading_of_keywords,
    reading_words,
)
from shoal.tables import open_table
from shoal.tables._engine import OpenOptions

SAID = {"encoding": "cp1252", "delimiter": ";", "decimal": ",", "missing": ("k.A.",)}


def test_every_option_of_the_command_line_can_be_said():
    assert set(FIELDS) == set(_READING)
    every = {
        "encoding": "cp1252", "delimiter": "tab", "decimal": ",", "thousands": "space",
        "dates": "dmy", "header": "no", "missing": ["?"], "skip_bad_rows": True, "sheet": "2",
        "database_table": "people",
    }  # fmt: skip
    said = read_reading(every)
    assert list(said) == list(FIELDS)
    assert said["thousands"] == " "
    assert OpenOptions(**reading_keywords(said)).header is False
    assert "--no-header" in reading_words(said)
    assert reading_of_keywords(reading_keywords(said)) == said
    assert Schema({"a": {"role": "identifier"}}, reading=reading_keywords(said)).reading.keys() == {
        field.keyword for field in FIELDS.values()
    }


@pytest.mark.parametrize(
    "wrong", [{"dates": "ymd"}, {"decimal": "x"}, {"thousands": ".."}, {"header": "maybe"}]
)
def test_what_cannot_be_meant_is_told(wrong):
    with pytest.raises(ParameterError):
        read_reading(wrong)


def test_a_project_keeps_how_its_table_is_read(tmp_path):
    table = tmp_path / "klinik.csv"
    table.write_bytes("größe;ort\n1,80;Köln\nk.A.;Ulm\n".encode("cp1252"))
    Project.create(tmp_path / "klinik.shoal", table, **SAID)
    again = Project(tmp_path / "klinik.shoal")
    assert again.reading == SAID
    engine = open_table(again.table, **reading_keywords(again.reading))
    assert engine.names == ("größe", "ort")
    assert engine.types["größe"] == "number"
    text = (again.folder / "project.toml").read_text()
    assert "skip_bad_rows" not in text
    (again.folder / "project.toml").write_text(text + '\n[x]\ny = "z"\n')
    assert Project(again.folder).reading == SAID  # parts that are not known are passed over
    (again.folder / "project.toml").write_text('[table]\ntable = "x"\nskip_bad_rows = "yes"\n')
    with pytest.raises(SchemaError, match="skip_bad_rows has a value of the wrong type"):
        Project(again.folder)
