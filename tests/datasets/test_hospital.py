import duckdb
import pytest

from shoal.datasets import _hospital, hospital, write_hospital
from shoal.datasets._hospital import hospital_schema
from shoal.errors import ParameterError
from shoal.schema._coding import make_coding


def test_few_rows_are_the_first_of_many(tmp_path, monkeypatch):
    monkeypatch.setattr(_hospital, "_BATCH", 300)
    few, many = hospital(250, random_state=4), hospital(700, random_state=4)
    assert all(list(many[name][:250]) == list(few[name]) for name in few.names)
    assert hospital(250, random_state=5)["zip"] != few["zip"]
    assert len(hospital(0)) == 0


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_hold_the_same_rows(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(_hospital, "_BATCH", 300)
    told = []
    path = write_hospital(
        tmp_path / f"h{suffix}", 700, random_state=4, progress=lambda *step: told.append(step)
    )
    rows = duckdb.sql(f"SELECT columns(*)::VARCHAR FROM '{path}'").fetchall()
    people = hospital(700, random_state=4)
    assert rows == [tuple(map(str, row)) for row in zip(*people.columns.values(), strict=True)]
    assert told[-1] == (700, 700, "drawing patients")
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_rows_are_all_different():
    people = hospital(20_000)
    quasi = [people[name] for name in hospital_schema().quasi_identifiers]
    assert len(set(zip(*quasi, strict=True))) == 20_000


def test_the_schema_fits():
    people = hospital(500)
    for name, column in hospital_schema().items():
        assert make_coding(name, column, list(dict.fromkeys(people[name]))).n_codes > 1


def test_what_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="negative"):
        hospital(-1)
    with pytest.raises(ParameterError, match="parquet"):
        write_hospital(tmp_path / "h.xlsx", 3)
