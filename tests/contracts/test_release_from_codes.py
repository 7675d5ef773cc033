"""A release is made from codes: nothing of a raw row reaches an output but its columns' values.

Hostile tables go in, through every engine; what comes out is read by plain Python.
"""

import collections
import csv
import datetime as dt
import decimal
import re

import duckdb
import numpy as np
import pytest

from shoal import Schema
from shoal.anonymize import FullDomain, LocalRecoding, Mondrian
from shoal.errors import ShoalError, TableError
from shoal.privacy import KAnonymity
from shoal.tables import RowOptions, open_table
from tests.extras import need

K = 5
SCHEMA = Schema(
    {
        "q": {"role": "quasi-identifier", "hierarchy": "flat"},
        "s": {"role": "sensitive"},
        "n": {"role": "insensitive"},
    }
)
METHODS = (Mondrian, FullDomain, LocalRecoding)
IN_ORDER = RowOptions(keep_order=True)


def read(path):
    """Rows of a written file as texts, with nothing of the package."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    pa = need("pyarrow")
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        table = pq.read_table(path, partitioning=None)
    else:
        table = pa.ipc.open_file(path).read_all()
    return [{k: str(v) for k, v in row.items()} for row in table.to_pylist()]


def numeric(column="q"):
    return SCHEMA.replace(
        **{column: {"role": "quasi-identifier", "kind": "numeric", "hierarchy": "auto"}}
    )


def others(n):
    return {"s": [f"ill {i}" for i in range(n)], "n": [f"note {i}" for i in range(n)]}


# -- values that are equal are written alike --------------------------------------------------

NAN = float("nan")
ALIKE = {
    "nan and null": [NAN, None, None, None, None],
    "minus zero": [-0.0, 0.0, 0.0, 0.0, 0.0],
    "whole floats": [20.0, 20, 20, 20, 20],
    "decimals": [decimal.Decimal("20.00"), 20, 20.0, decimal.Decimal("20"), 20],
}


def tables_of(values, folder):
    """The same column in every form that can hold it, by name."""
    pd, pl, pa = need("pandas"), need("polars"), need("pyarrow")
    rest = others(len(values))
    plain = all(isinstance(v, float | int) or v is None for v in values)
    made = {
        "pandas object": pd.DataFrame({"q": pd.Series(values, dtype=object), **rest}),
        "pandas category": pd.DataFrame({"q": pd.Series(values, dtype="category"), **rest}),
        "polars object": pl.DataFrame({"q": pl.Series(values, dtype=pl.Object), **rest}),
        "mapping": {"q": values, **rest},
    }
    if plain:
        floats = [None if v is None else float(v) for v in values]
        array = pa.array(floats, pa.float64(), from_pandas=False)
        arrow = pa.table({"q": array, **rest})
        made |= {
            "pandas": pd.DataFrame({"q": np.array(floats, float), **rest}),
            "pandas arrow": pd.DataFrame({"q": pd.arrays.ArrowExtensionArray(array), **rest}),
            "polars": pl.DataFrame({"q": floats, **rest}),
            "lazy": pl.DataFrame({"q": floats, **rest}).lazy(),
            "pyarrow": arrow,
            "relation": duckdb.connect().from_arrow(arrow),
        }
        need("pyarrow.parquet").write_table(arrow, folder / "in.parquet")
        made["parquet"] = folder / "in.parquet"
        with (folder / "in.csv").open("w", newline="") as file:
            rows = zip(floats, rest["s"], rest["n"], strict=True)
            csv.writer(file).writerows([("q", "s", "n"), *rows])
        made["csv"] = folder / "in.csv"
    return made


@pytest.mark.parametrize("name", ALIKE)
def test_equal_values_are_one_text_in_the_file(name, tmp_path):
    for form, table in tables_of(ALIKE[name] + [30] * K, tmp_path).items():
        out = tmp_path / "out.csv"
        release = FullDomain(numeric(), KAnonymity(K)).fit(table).release_
        release.compressed.write(release.recoded, RowOptions(), out)
        written = collections.Counter(row["q"] for row in read(out))
        assert sorted(written.values()) == [K, K], form


def test_truth_values_are_no_numbers(tmp_path):
    pd = need("pandas")
    table = pd.DataFrame(
        {"q": pd.Series([True] * K + [1] * K + ["x"] * K, dtype=object), **others(15)}
    )
    out = tmp_path / "out.csv"
    FullDomain(SCHEMA, KAnonymity(K)).fit(table, output=IN_ORDER).release_.write(out)
    assert [row["q"] for row in read(out)] == ["true"] * K + ["1"] * K + ["x"] * K


def test_a_date_and_its_midnight_are_one(tmp_path):
    pd = need("pandas")
    day = [dt.date(1990, 2, 12), dt.datetime(1990, 2, 12)]
    values = [*day, *day, day[0], *[dt.date(1991, 1, 1)] * K]
    table = pd.DataFrame({"q": pd.Series(values, dtype=object), **others(10)})
    out = tmp_path / "out.csv"
    FullDomain(SCHEMA, KAnonymity(K)).fit(table, output=IN_ORDER).release_.write(out)
    assert [row["q"] for row in read(out)] == ["1990-02-12"] * K + ["1991-01-01"] * K


# -- nothing comes along beside the values ----------------------------------------------------


def hostile_frames():
    """Tables of one group of ten and one person alone, with names in every side door."""
    pd, pl, pa = need("pandas"), need("polars"), need("pyarrow")
    n = 2 * K + 1
    data = {
        "q": ["A"] * K + ["B"] * K + ["CANARY town"],
        "s": [*(f"ill {i}" for i in range(2 * K)), "CANARY ill"],
        "n": [*(f"note {i}" for i in range(2 * K)), "CANARY note"],
    }
    people = [f"CANARY {i}" for i in range(n)]
    pandas = pd.DataFrame(data)
    named = pandas.set_index(pd.Index(people, name="ssn"))
    named.attrs["owner"] = "CANARY owner"
    named.columns.name = "CANARY columns"
    yield "pandas index", named
    pairs = [people, range(n)]
    yield "pandas multi-index", pandas.set_index(pd.MultiIndex.from_arrays(pairs, names=["a", "b"]))
    yield "pandas category", pandas.astype("category")
    yield "pandas string", pandas.astype("string")
    yield "polars", pl.DataFrame(data)
    yield "polars lazy", pl.DataFrame(data).lazy()
    enums = [pl.Series(c, v, dtype=pl.Enum(sorted(set(v)))) for c, v in data.items()]
    yield "polars enum", pl.DataFrame(enums)
    yield "polars categorical", pl.DataFrame(data).cast(pl.Categorical)
    fields = [pa.field(c, pa.string(), metadata={"who": "CANARY field"}) for c in data]
    schema = pa.schema(fields, metadata={"who": "CANARY schema", "pandas": "CANARY index"})
    yield "pyarrow metadata", pa.table(data, schema=schema)
    arrays = {c: pa.array(v).dictionary_encode() for c, v in data.items()}
    yield "pyarrow dictionary", pa.table(arrays)
    connection = duckdb.connect()
    listed = ", ".join(f"'{v}'" for v in sorted(set(data["q"])))
    connection.execute(f"CREATE TYPE town AS ENUM ({listed})")
    connection.register("given", pa.table(data))
    connection.execute("CREATE TABLE people AS SELECT q::town AS q, s, n FROM given")
    yield "relation enum", connection.table("people")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_no_byte_of_a_suppressed_row_or_a_side_door_is_written(suffix, tmp_path):
    for form, table in hostile_frames():
        out = tmp_path / f"out.{suffix}"
        fitted = FullDomain(SCHEMA, KAnonymity(K), max_suppression=0.2).fit(table)
        fitted.release_.compressed.write(fitted.release_.recoded, RowOptions(), out)
        assert not re.findall(rb"CANARY [a-z0-9]+", out.read_bytes()), form
        rows = read(out)
        assert [*rows[0]] == ["q", "s", "n"], form
        assert len(rows) == 2 * K, form


def test_a_released_frame_has_no_memory_of_the_one_it_came_from():
    for form, table in hostile_frames():
        fitted = FullDomain(SCHEMA, KAnonymity(K), max_suppression=0.2).fit(table)
        released = fitted.release_.table
        if form.startswith("pandas"):
            assert released.attrs == {}, form
            assert released.index.tolist() == list(range(2 * K)), form
            assert released.columns.name is None, form
            assert all(str(kind) != "category" for kind in released.dtypes), form
        if form.startswith("pyarrow"):
            assert not released.schema.metadata, form
            assert not any(released.schema.field(name).metadata for name in "qsn"), form


# -- order ------------------------------------------------------------------------------------


def test_the_order_of_the_input_is_broken_unless_it_is_asked_for(tmp_path):
    table = {"q": ["A"] * 200, **others(200)}
    fitted = FullDomain(SCHEMA, KAnonymity(K)).fit(table)
    first, again = (list(fitted.fit(table).release_.table["s"]) for _ in range(2))
    assert first != table["s"]
    assert first != again
    assert sorted(first) == sorted(table["s"])
    assert list(fitted.fit_transform(table)["s"]) == table["s"]
    kept = FullDomain(SCHEMA, KAnonymity(K)).fit(table, output=IN_ORDER)
    assert list(kept.release_.table["s"]) == table["s"]


def test_the_witness_names_the_row_behind_each_written_one(tmp_path):
    for form, table in tables_of([20.0, 20.0, 30.0] * K, tmp_path).items():
        compressed = FullDomain(numeric(), KAnonymity(K)).fit(table).release_.compressed
        recoded = FullDomain(numeric(), KAnonymity(K)).fit(table).release_.recoded
        out = tmp_path / "out.csv"
        witness = compressed.write(recoded, RowOptions(), out)
        behind = [f"ill {row}" for row in witness.row_ids.tolist()]
        assert [row["s"] for row in read(out)] == behind, form


# -- rows and labels meet by key --------------------------------------------------------------

UNORDERED = (
    "SELECT DISTINCT * FROM source",
    "SELECT a.* FROM source a JOIN (SELECT id AS other FROM source) ON id = other",
    "SELECT id, any_value(age) AS age, any_value(s) AS s FROM source GROUP BY id",
    "SELECT * FROM source ORDER BY random()",
)


@pytest.mark.parametrize("sql", UNORDERED)
@pytest.mark.parametrize("method", METHODS)
def test_labels_of_unordered_relations_are_those_of_the_row(sql, method):
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE source AS SELECT i AS id, (hash(i) % 90)::INT AS age, 'x' AS s "
        "FROM range(3000) t(i)"
    )
    connection.execute("CREATE TABLE columns AS SELECT 1 AS shoal_hidden FROM range(3000)")
    true_age = dict(connection.execute("SELECT id, age FROM source").fetchall())
    schema = Schema(
        {
            "id": {"role": "insensitive"},
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "s": {"role": "sensitive"},
        }
    )
    rows = method(schema, KAnonymity(40)).fit(connection.sql(sql)).release_.table.fetchall()
    assert len(rows) == 3000
    for number, age, _ in rows:
        low, high = re.fullmatch(r"\[?(\d+)(?:-(\d+))?\]?", str(age)).groups()
        assert int(low) <= true_age[number] <= int(high or low)


NAMES = ("source", "columns", "shoal_rows", "shoal_hidden", "c0", "c1", "rid", "row_id", "rowid",
         "t", "place", "value", "number", "n", "file_row_number", "filename", 'a"b', "a`b", "a\nb",
         "a b", "\N{FISH}", "select", "count(*)", "*", "k0", "p0", "l0", "text")  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "parquet", "relation", "pandas", "polars", "pyarrow"])
def test_names_of_the_users_columns_mean_nothing_to_us(form, tmp_path):
    pa = need("pyarrow")
    connection = duckdb.connect()
    for name in NAMES:
        if form == "csv" and "\n" in name:
            continue  # DuckDB reads no line breaks in a header, and says so
        values = {name: [1, 1, 1, 1, 1, 7, 7, 7, 7, 7], "s": list("abcdefghij")}
        table = pa.table(values)
        if form == "csv":
            with (tmp_path / "in.csv").open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([tuple(values), *zip(*values.values(), strict=True)])
            table = tmp_path / "in.csv"
        elif form == "parquet":
            need("pyarrow.parquet").write_table(table, tmp_path / "in.parquet")
            table = tmp_path / "in.parquet"
        elif form != "pyarrow":
            made = {"relation": connection.from_arrow, "pandas": pa.Table.to_pandas}
            table = made.get(form, need("polars").from_arrow)(table)
        schema = Schema(
            {name: {"role": "quasi-identifier", "kind": "numeric"}, "s": {"role": "sensitive"}}
        )
        out = tmp_path / "out.csv"
        compressed = open_table(table).compress(schema)
        assert sorted(compressed.cells.sizes.tolist()) == [5, 5], name
        release = FullDomain(schema, KAnonymity(K)).fit(table, output=IN_ORDER).release_
        release.compressed.write(release.recoded, IN_ORDER, out)
        with out.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert header == [name, "s"]
        assert [tuple(row) for row in rows] == list(
            zip(map(str, values[name]), values["s"], strict=True)
        ), name


def test_names_that_differ_in_case_only_are_kept_or_refused(tmp_path):
    pd = need("pandas")
    schema = Schema({"a": {"role": "quasi-identifier"}, "A": {"role": "sensitive"}})
    table = pd.DataFrame({"a": ["x"] * K, "A": list("abcde")})
    released = FullDomain(schema, KAnonymity(K)).fit(table).release_.table
    assert list(released.columns) == ["a", "A"]
    path = tmp_path / "in.csv"
    table.to_csv(path, index=False)
    with pytest.raises(TableError, match="'A', 'a'"):
        open_table(path)
    need("pyarrow.parquet").write_table(
        need("pyarrow").Table.from_pandas(table), tmp_path / "in.parquet"
    )
    with pytest.raises(TableError, match="'A', 'a'"):
        open_table(tmp_path / "in.parquet")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["people[1]", "a*", "b?", "c{x}", "d[!e]", "e'f"])
def test_names_of_files_are_no_patterns(name, suffix, tmp_path):
    def write(stem, town):
        rows = "\n".join(f"{town},{i},x" for i in range(K))
        path = tmp_path / f"{stem}.{suffix}"
        if suffix == "csv":
            path.write_text(f"q,s,n\n{rows}\n")
        else:
            data = {"q": [town] * K, "s": [str(i) for i in range(K)], "n": ["x"] * K}
            need("pyarrow.parquet").write_table(need("pyarrow").table(data), path)
        return path

    wanted = write(name, "mine")
    for other in ("people1", "ab", "bc", "cx", "df"):
        write(other, "others")
    towns, _ = open_table(wanted).distinct("q")
    assert towns == ["mine"]


def test_the_folder_of_a_file_gives_it_no_columns(tmp_path):
    folder = tmp_path / "year=1999"
    folder.mkdir()
    data = {"q": ["A"] * K, "s": list("abcde")}
    need("pyarrow.parquet").write_table(need("pyarrow").table(data), folder / "in.parquet")
    assert open_table(folder / "in.parquet").names == ("q", "s")


# -- whole numbers stay exact -----------------------------------------------------------------


@pytest.mark.parametrize("base", [2**53, 2**62, 2**63, 10**30])
@pytest.mark.parametrize("method", METHODS)
def test_ranges_of_large_whole_numbers_hold_the_number(base, method, tmp_path):
    values = [base + i for i in (5, 4, 1, 0, 3, 2)]
    path = tmp_path / "in.csv"
    path.write_text("q,s,n\n" + "".join(f"{v},{i},x\n" for i, v in enumerate(values)))
    forms = [path, {"q": values, "s": list("abcdef"), "n": ["x"] * 6}]
    schema = SCHEMA.replace(
        q={"role": "quasi-identifier", "kind": "numeric", "hierarchy": "flat"},
    )
    for table in forms:
        out = tmp_path / "out.csv"
        release = method(schema, KAnonymity(2)).fit(table, output=IN_ORDER).release_
        release.compressed.write(release.recoded, IN_ORDER, out)
        for value, row in zip(values, read(out), strict=True):
            if row["q"] == "*":
                continue
            low, high = re.fullmatch(r"\[?(\d+)(?:-(\d+))?\]?", row["q"]).groups()
            assert int(low) <= value <= int(high or low)


# -- numbers beside ranges --------------------------------------------------------------------


def test_a_mean_is_the_mean_of_at_least_k_people():
    schema = Schema(
        {
            "income": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": "auto"},
            "s": {"role": "sensitive"},
        }
    )
    table = need("pandas").DataFrame({"income": [None] * 9 + [123457.0], "s": list("abcdefghij")})
    output = RowOptions(ranges=("income",))
    released = FullDomain(schema, KAnonymity(10)).fit(table, output=output).release_.table
    added = released[["income_min", "income_max", "income_mean"]]
    assert added.isna().all(axis=None)


# -- nested values are refused ----------------------------------------------------------------


def test_nested_columns_are_refused_with_advice():
    pd, pl, pa = need("pandas"), need("polars"), need("pyarrow")
    data = {"q": ["A"] * K, "s": list("abcde"), "n": [[1, 2]] * K}
    for table in (
        pl.DataFrame(data),
        pa.table(data),
        pd.DataFrame(data),
        pd.DataFrame(data | {"n": [(1, 2)] * K}),
        duckdb.connect().from_arrow(pa.table(data)),
    ):
        with pytest.raises(ShoalError, match="'n' holds lists"):
            FullDomain(SCHEMA, KAnonymity(K)).fit(table).release_.table  # noqa: B018
