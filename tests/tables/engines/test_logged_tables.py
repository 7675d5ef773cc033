"""Files whose log has taken rows out are not read as if all their rows were there."""

import os
from types import SimpleNamespace

import duckdb
import pytest

from shoal import check_table
from shoal.errors import TableError
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables import open_table
from shoal.tables.engines._logged_tables import _file_lists
from tests.engines import spark_session

SCHEMA = Schema({"city": {"role": "quasi-identifier"}})
LOGS = {
    "Delta": "_delta_log/00000000000000000000.json",
    "Hudi": ".hoodie/hoodie.properties",
    "Iceberg": "metadata/00001-0a1b2c3d-0a1b-4c2d-8e3f-0a1b2c3d4e5f.metadata.json",
}


def logged(folder, kind, part="data"):
    """A table with a log, of which one file lies in a folder of its own."""
    log = folder / LOGS[kind]
    log.parent.mkdir(parents=True)
    log.write_text("{}")
    (folder / part).mkdir()
    path = folder / part / "part-0.parquet"
    duckdb.sql("SELECT 'Ulm' AS city FROM range(3)").write_parquet(str(path))
    return path


@pytest.mark.parametrize("kind", LOGS)
def test_no_way_leads_past_the_log(tmp_path, kind):
    path = logged(tmp_path / "people", kind, "city=Ulm")
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "people.parquet"
    os.symlink(path, link)
    for source in (tmp_path / "people", tmp_path, path, path.parent / "*.parquet", link):
        with pytest.raises(TableError, match=f"is a table of {kind}.*its own reader"):
            open_table(source)
    with pytest.raises(TableError, match=f"table of {kind}"):
        check_table(tmp_path / "people", SCHEMA, KAnonymity(2))


def test_other_folders_are_read_as_ever(tmp_path):
    path = logged(tmp_path / "people", "Iceberg")
    (tmp_path / "people" / LOGS["Iceberg"]).rename(tmp_path / "people" / "metadata" / "notes.json")
    assert open_table(path).n_rows == 3
    assert open_table(tmp_path / "people" / "data").n_rows == 3


@pytest.mark.parametrize("kind", LOGS)
def test_spark_does_not_read_past_the_log(tmp_path, kind):
    path = logged(tmp_path / "people", kind, "city_of=Ulm")
    frame = spark_session().read.parquet(str(path.parent))
    for read in (frame, frame.where("city > 'A'").limit(2), frame.union(frame)):
        with pytest.raises(TableError, match=f'table of {kind}.*format."{kind.lower()}'):
            open_table(read)
    with pytest.raises(TableError, match=f"table of {kind}"):
        check_table(frame, SCHEMA, KAnonymity(2))


def test_spark_reads_plain_files_of_either_version(tmp_path):
    duckdb.sql("SELECT 'Ulm' AS city FROM range(3)").write_parquet(str(tmp_path / "a.parquet"))
    session = spark_session()
    assert open_table(session.read.parquet(str(tmp_path))).n_rows == 3
    (tmp_path / "_delta_log").mkdir()
    session.conf.set("spark.sql.sources.useV1SourceList", "")
    try:
        with pytest.raises(TableError, match="table of Delta"):
            open_table(session.read.parquet(str(tmp_path)))
    finally:
        session.conf.unset("spark.sql.sources.useV1SourceList")


def test_the_formats_own_reader_is_let_through():
    """Delta's list of files is of a class of its own; its Java is not here to be tried."""
    own = _java("org.apache.spark.sql.delta.files.TahoeLogFileIndex", "TahoeLogFileIndex")
    plain = _java("org.apache.spark.sql.execution.datasources.InMemoryFileIndex", "")
    for index, lists in ((own, 0), (plain, 1)):
        relation = _java("", "HadoopFsRelation", location=lambda index=index: index)
        leaf = _java("", "LogicalRelation", relation=lambda relation=relation: relation)
        leaves = SimpleNamespace(size=lambda: 1, apply=lambda _, leaf=leaf: leaf)
        plan = SimpleNamespace(collectLeaves=lambda leaves=leaves: leaves)
        assert len(list(_file_lists(plan))) == lists


def _java(name, simple, **methods):
    kind = SimpleNamespace(getName=lambda: name, getSimpleName=lambda: simple)
    return SimpleNamespace(getClass=lambda: kind, **methods)
