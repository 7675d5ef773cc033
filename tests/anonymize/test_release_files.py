from pathlib import Path

import pytest

from shoal.anonymize._release_files import (
    FORMATS,
    file_beside,
    find_recoding,
    is_manifest,
    read_making,
    release_files,
    table_beside,
)
from shoal.errors import ParameterError, TableError


@pytest.mark.parametrize("suffix", FORMATS)
def test_from_the_table_to_every_file_and_back(tmp_path, suffix):
    files = release_files(tmp_path / f"people.2026{suffix}")
    files["table"].write_text("")
    for kind, path in files.items():
        if kind != "table":
            assert path.relative_to(tmp_path).as_posix().startswith("people.2026.")
            assert table_beside(path) == files["table"]
            assert file_beside(path, "recoding") == files["recoding"]
            assert find_recoding(path) == files["recoding"]
    assert [kind for kind, path in files.items() if is_manifest(path)] == ["manifest"]
    assert find_recoding(tmp_path / "people.2026.private") == files["recoding"]
    former = tmp_path / "people.2026.recoding.json"
    assert find_recoding(former) == former
    assert file_beside(former, "schema") == files["schema"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_how_a_release_was_made_is_found_beside_every_format(tmp_path, suffix):
    files = release_files(tmp_path / f"people{suffix}")
    assert read_making(files["table"]) == ("LocalRecoding", "lines")  # what is likely
    files["manifest"].write_text('{"method": "Mondrian", "parameters": {"ranges": "exact"}}')
    assert read_making(files["table"]) == ("Mondrian", "exact")
    files["manifest"].write_text('{"method": "Mondrian"}')
    assert read_making(files["table"]) == ("Mondrian", "nodes")
    files["manifest"].write_text("[")
    assert read_making(files["table"]) == ("LocalRecoding", "lines")


def test_a_name_without_a_known_format_is_refused():
    with pytest.raises(ParameterError, match=r"cannot tell the format of 'people.docx'"):
        release_files(Path("people.docx"))


def test_two_tables_with_one_manifest_are_refused(tmp_path):
    assert table_beside(tmp_path / "r.manifest.json") is None
    for suffix in (".csv", ".parquet"):
        (tmp_path / f"r{suffix}").write_text("")
    with pytest.raises(TableError, match=r"may belong to r\.csv, r\.parquet"):
        table_beside(tmp_path / "r.manifest.json")
