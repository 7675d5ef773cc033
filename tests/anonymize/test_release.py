import copy
import json
import pickle
from collections import Counter
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from shoal.anonymize import (
    BottomUpGeneralization,
    apply_recoding,
    check_table,
    load_recoding,
    read_release,
)
from shoal.anonymize._recheck import count_released, recheck
from shoal.anonymize._recoding import CutRecoding
from shoal.anonymize._release import Release
from shoal.errors import GuaranteeError, ParameterError, TableError
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables import RowOptions, open_table
from tests import engines
from tests.anonymize.people import SCHEMA, random_rows, relation, worked_rows
from tests.extras import need


@pytest.fixture
def fitted():
    return BottomUpGeneralization(SCHEMA, KAnonymity(3)).fit(relation(worked_rows()))


def sabotage(release, node_of=None):
    """The same release with a recoding that keeps the raw values."""
    cells = release.recoded.cells
    raw = tuple(np.arange(c.n_codes, dtype=np.int32) for c in cells.codings)
    recoding = CutRecoding(cells.codings, node_of or raw, np.empty((0, 3), np.int32))
    return Release(
        method=release.method,
        parameters={},
        schema=release.schema,
        privacy=release.privacy,
        recoding=recoding,
        recoded=recoding.recode(cells),
        compressed=release.compressed,
    )


def test_a_release_that_breaks_its_promise_is_withheld(fitted, tmp_path):
    broken = sabotage(fitted.release_)
    with pytest.raises(GuaranteeError, match=r"2 groups of the output \(4 rows\)"):
        _ = broken.table
    with pytest.raises(GuaranteeError):
        broken.write(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_rows_lost_on_the_way_are_noticed(fitted):
    release = fitted.release_
    short = release.table.limit(20)
    with pytest.raises(GuaranteeError, match="20 rows where 29 were to be released"):
        recheck(short, SCHEMA, release.privacy, RowOptions(), release.recoded)


def test_the_recount_groups_by_what_is_written_and_missing_matches_only_missing():
    rows = [("c1", None, "a3", "Y"), ("c1", "b2", "a3", "Y"), ("c1", None, "a3", "N")]
    groups = count_released(relation(rows), SCHEMA)
    assert sorted(groups.sizes.tolist()) == [1, 2]


def test_a_release_is_written_with_manifest_recoding_and_schema(fitted, tmp_path):
    paths = fitted.release_.write(tmp_path / "deep" / "out.csv")
    assert sorted(p.name for p in (tmp_path / "deep").iterdir()) == [
        "out.csv",
        "out.manifest.json",
        "out.private",
        "out.schema.toml",
    ]
    manifest = json.loads(paths["manifest"].read_text("utf-8"))
    assert manifest["method"] == "BottomUpGeneralization"
    assert manifest["rows"] == manifest["released_rows"] == 29
    assert manifest["reached"][0]["reached"] == 3
    assert manifest["metrics"]["after"]["n_groups"] == 7
    assert Schema.from_toml(paths["full schema"]) == SCHEMA
    for kind in ("recoding", "full schema"):
        assert paths[kind].stat().st_mode & 0o077 == 0
    recoding = load_recoding(paths["recoding"])
    table = apply_recoding(recoding, relation([("c1", "d2", "a3", "Y")]), SCHEMA)
    assert table.fetchall() == [("c1", "f2", "a3", "Y")]


def test_the_home_folder_is_found(fitted, tmp_path, monkeypatch):
    need("pandas")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert fitted.release_.write("~/r.csv")["table"] == tmp_path / "r.csv"
    schema = Schema.from_toml("~/r.schema.toml")
    assert open_table("~/r.csv").n_rows == len(read_release("~/r.csv", schema=schema))
    assert check_table("~/r.csv", schema, 3).holds


def test_nothing_is_overwritten_without_force(fitted, tmp_path):
    fitted.release_.write(tmp_path / "out.csv")
    before = sorted((tmp_path / "out.csv").read_text().splitlines())
    with pytest.raises(TableError, match=r"'out.csv' is there already.*--force"):
        fitted.release_.write(tmp_path / "out.csv")
    fitted.release_.write(tmp_path / "out.csv", force=True)
    assert sorted((tmp_path / "out.csv").read_text().splitlines()) == before


def test_a_failure_while_writing_leaves_nothing_behind(fitted, tmp_path, monkeypatch):
    def full(self, *_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(fitted.release_.compressed), "write", full)
    with pytest.raises(TableError, match=r"No space left on device\..*nothing was kept"):
        fitted.release_.write(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(fitted, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(TableError, match="cannot write into folder 'file'"):
        fitted.release_.write(tmp_path / "file" / "out.csv")


def test_an_unknown_format_is_refused(fitted, tmp_path):
    with pytest.raises(ParameterError, match=r"End it in \.csv"):
        fitted.release_.write(tmp_path / "out.docx")


def kept_starred(extra, k):
    method = BottomUpGeneralization(SCHEMA, KAnonymity(k), max_suppression=0.2)
    output = RowOptions(keep_suppressed=True)
    return method.fit(relation([*worked_rows(), *extra]), output=output).release_


def test_starred_rows_are_a_group_like_any_other(tmp_path):
    alone = kept_starred([("a1", "a2", "e3", "Y")], 2)
    assert alone.n_suppressed == 1
    with pytest.raises(GuaranteeError, match=r"the 1 suppressed rows.*Leave them out"):
        _ = alone.table
    with pytest.raises(GuaranteeError, match="Leave them out"):
        alone.write(tmp_path / "r.csv")
    assert not list(tmp_path.iterdir())
    both = kept_starred([("a1", "a2", "e3", "Y"), ("b1", "d2", "d3", "N")], 2)
    assert both.n_suppressed == 2
    written = both.write(tmp_path / "r.csv")["table"].read_text().splitlines()[1:]
    groups = Counter(tuple(line.split(",")[:3]) for line in written)
    assert groups["*", "*", "*"] == 2
    assert min(groups.values()) >= 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"shoal": "recoding", "version": 9}'])
def test_a_damaged_recoding_is_refused(tmp_path, content):
    path = tmp_path / "x.recoding.json"
    path.write_text(content)
    with pytest.raises(TableError):
        load_recoding(path)


def test_a_recoding_survives_its_file_with_suppression_and_numbers(tmp_path):
    schema = Schema(
        {
            "age": {
                "role": "quasi-identifier",
                "kind": "numeric",
                "hierarchy": {"intervals": [10, 20]},
            },
            "sick": {"role": "sensitive"},
        }
    )
    ages = [21, 22, 23, 24, 31, 32, 33, 34, 35, 90]
    people = relation([(str(a), "y") for a in ages], ("age", "sick"))
    people = people.project("CAST(age AS INTEGER) AS age, sick")
    method = BottomUpGeneralization(schema, KAnonymity(4), max_suppression=0.1).fit(people)
    method.recoding_.save(tmp_path / "r.json")
    loaded = load_recoding(tmp_path / "r.json")
    fresh = relation([("25", "n"), ("31", "n"), ("57", "n"), ("90", "n")], ("age", "sick"))
    fresh = fresh.project("CAST(age AS INTEGER) AS age, sick")
    expected = method.transform(fresh).fetchall()
    assert apply_recoding(loaded, fresh, schema).fetchall() == expected
    assert expected == [("[20-29]", "n"), ("[30-39]", "n"), ("*", "n")]  # 90 is suppressed


def test_row_order_and_index_do_not_change_the_release():
    rows = random_rows(np.random.default_rng(8), 60)
    mixed = [rows[i] for i in np.random.default_rng(9).permutation(len(rows))]
    first = BottomUpGeneralization(SCHEMA, KAnonymity(4)).fit(relation(rows))
    second = BottomUpGeneralization(SCHEMA, KAnonymity(4)).fit(relation(mixed))
    assert [s.to_dict() for s in first.steps_] == [s.to_dict() for s in second.steps_]
    assert Counter(first.release_.table.fetchall()) == Counter(second.release_.table.fetchall())


def test_an_empty_table_is_an_error():
    with pytest.raises(ValueError, match="no rows"):
        BottomUpGeneralization(SCHEMA, KAnonymity(2)).fit(relation(worked_rows()).limit(0))


def test_engines_can_be_passed_in_place_of_tables():
    engine = open_table(relation(worked_rows()))
    assert BottomUpGeneralization(SCHEMA, KAnonymity(3)).fit(engine).release_.n_suppressed == 0


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".feather"])
@pytest.mark.parametrize("engine", ["duckdb", "csv", "pandas", "polars", "pyarrow"])
def test_every_format_is_written_from_every_engine_and_read_back(engine, suffix, tmp_path):
    if suffix in (".arrow", ".feather"):
        need("pyarrow")
    names = list(SCHEMA)
    columns = {name: [row[at] for row in worked_rows()] for at, name in enumerate(names)}
    table = engines.make(engine, columns, tmp_path)
    release = BottomUpGeneralization(SCHEMA, KAnonymity(3)).fit(table).release_
    path = release.write(tmp_path / f"out{suffix}")["table"]
    assert sorted(count_released(path, SCHEMA).sizes.tolist()) == [3, 3, 4, 4, 4, 4, 7]


@pytest.mark.parametrize(
    ("texts", "suppressed", "refused"),
    [(("*", "c1"), 2, True), (("c2", "c1"), 2, False), (("*", "c1"), 0, False)],
)
def test_ranges_do_not_tell_kept_rows_from_a_group_of_stars(texts, suppressed, refused):
    recoded = SimpleNamespace(codes=np.array([[0], [1]]), labels=[SimpleNamespace(texts=texts)])
    release = SimpleNamespace(recoded=recoded, n_suppressed=suppressed)
    with pytest.raises(ParameterError, match="starred") if refused else nullcontext():
        Release._refuse_ranges_of_stars(release)


@pytest.mark.parametrize("copier", [pickle.dumps, copy.deepcopy])
def test_a_release_takes_no_rows_along_in_a_pickle(fitted, copier):
    with pytest.raises(TypeError, match="it holds the rows"):
        copier(fitted.release_)
    assert pickle.loads(pickle.dumps(fitted)).get_params() == fitted.get_params()
