"""A release remembers how it is written, and in the house how its raw table was read."""

import json

from shoal.anonymize._release_files import as_told, as_written, digest, file_beside, keep_reading
from shoal.tables._engine import OpenOptions


def write_manifest(table, **changed):
    content = {
        "written": {"encoding": "cp1252", "delimiter": ";", "decimal": ","},
        "files": {table.name: digest(table)},
    }
    file_beside(table, "manifest").write_text(json.dumps(content | changed))


def test_a_release_is_read_as_its_manifest_says_whatever_was_told(tmp_path):
    table = tmp_path / "out.csv"
    table.write_text("a;b\n1;2\n")
    told = OpenOptions(delimiter="|", header=False)
    assert as_written(table, told) == told
    write_manifest(table)
    read = as_written(table, told)
    assert (read.delimiter, read.encoding, read.decimal, read.header) == (";", "cp1252", ",", True)
    assert read.keep_empty_rows  # they may stand for somebody


def test_another_file_of_its_name_is_not(tmp_path):
    table = tmp_path / "out.csv"
    table.write_text("a;b\n1;2\n")
    write_manifest(table)
    table.write_text("a|b\n1|2\n")
    assert as_written(table, OpenOptions()) == OpenOptions()
    write_manifest(table, written=None)
    assert as_written(table, OpenOptions()) == OpenOptions()
    file_beside(table, "manifest").write_text("{")
    assert as_written(table, OpenOptions()) == OpenOptions()


def test_what_was_told_is_kept_in_the_house_and_given_way_to(tmp_path):
    table = tmp_path / "out.csv"
    told = OpenOptions(header=False, missing=("refused",), dates="mdy", skip_bad_rows=True)
    keep_reading(table, told)
    kept = file_beside(table, "reading")
    assert kept.parent.name == "out.private"
    assert kept.stat().st_mode & 0o077 == 0
    assert as_told(table, OpenOptions()) == told
    assert as_told(table, OpenOptions(dates="dmy")).dates == "dmy"
    assert as_told(table, OpenOptions(header=True)).header is True


def test_a_release_made_without_options_forgets_those_of_an_older_one(tmp_path):
    table = tmp_path / "out.csv"
    keep_reading(table, OpenOptions(sheet="People"))
    keep_reading(table, OpenOptions())
    assert not file_beside(table, "reading").exists()
    assert as_told(table, OpenOptions()) == OpenOptions()


def test_a_damaged_note_is_passed_over(tmp_path):
    table = tmp_path / "out.csv"
    keep_reading(table, OpenOptions(sheet="People"))
    for content in ("{", "[]", '{"missing": 3}', '{"dates": "ymd"}'):
        file_beside(table, "reading").write_text(content)
        assert as_told(table, OpenOptions(sheet="Other")).sheet == "Other"
