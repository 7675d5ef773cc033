"""Every engine gives the same cells and the same release."""

import csv
import io
import warnings
from uuid import UUID

import numpy as np
import pytest

from shoal.anonymize._registry import make_method
from shoal.errors import SchemaError, TableError, UncoveredValuesError
from shoal.schema import Schema
from shoal.tables import RowOptions, open_table
from shoal.tables._recoded import Recoded, node_labels
from tests import engines
from tests.extras import need

PEOPLE = {
    "name": ["Ann", "Ben", "Cem", "Dee", "Eve", "Fay", "Gus"],
    "zip": ["53710", "53712", "53711", "53712", None, "01234", "53710"],
    "age": [25, 28, 28, 26, 61, None, 25],
    "sex": ["M", "F", "M", "F", "F", "M", "M"],
    "income": [10.5, 20.0, float("nan"), 20.0, 0.0, 3.5, 10.5],
    "illness": ["flu", "flu", None, "cold", "flu", "cold", "cold"],
}
SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": [3, 1]}},
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [10]}},
        "sex": {"role": "quasi-identifier", "hierarchy": "flat"},
        "income": {"role": "insensitive", "kind": "numeric"},
        "illness": {"role": "sensitive", "target": True},
    }
)


@pytest.fixture(params=engines.ENGINES)
def engine(request):
    if request.param == "spark":
        warnings.simplefilter("ignore")  # Spark and its gateway leave sockets to the collector
    return request.param


@pytest.fixture
def people(engine, tmp_path):
    columns = dict(PEOPLE)
    if engine == "csv":  # a CSV file has no NaN of its own
        columns["income"] = [None if v != v else v for v in columns["income"]]
    return engines.make(engine, columns, tmp_path)


def recode(cells, level, suppressed=None):
    maps = [coding.hierarchy.levels[:, level[at]] for at, coding in enumerate(cells.codings)]
    codes = np.column_stack([nodes[cells.keys[:, at]] for at, nodes in enumerate(maps)])
    labels = [node_labels(coding) for coding in cells.codings]
    return Recoded.from_cells(
        cells,
        labels,
        codes.astype(np.int32),
        suppressed=suppressed,
        per_column=None if suppressed is not None else maps,
    )


def test_cells_are_the_distinct_combinations_with_their_counts(people):
    cells = open_table(people).compress(SCHEMA).cells
    texts = [
        tuple(coding.texts[code] for coding, code in zip(cells.codings, key, strict=True))
        for key in cells.keys
    ]
    found = dict(zip(texts, cells.sizes.tolist(), strict=True))
    assert found == {
        ("53710", "25", "M"): 2,
        ("53712", "28", "F"): 1,
        ("53711", "28", "M"): 1,
        ("53712", "26", "F"): 1,
        (None, "61", "F"): 1,
        ("01234", None, "M"): 1,
    }
    illness = cells.histograms["illness"]
    counted = dict(zip(illness.coding.texts, illness.totals.tolist(), strict=True))
    assert counted == {"cold": 3, "flu": 3, None: 1}
    row = texts.index(("53710", "25", "M"))
    assert illness.dense()[row].tolist() == [1, 1, 0]


def test_columns_that_are_not_recoded_come_back_untouched_and_identifiers_do_not(people, engine):
    compressed = open_table(people).compress(SCHEMA)
    table = compressed.release(recode(compressed.cells, (1, 1, 0)), RowOptions(keep_order=True))
    assert engines.names(table) == ["zip", "age", "sex", "income", "illness"]
    rows = engines.rows(table)
    expected = [
        ("537**", "[20-29]", "M", 10.5, "flu"),
        ("537**", "[20-29]", "F", 20.0, "flu"),
        ("537**", "[20-29]", "M", None, None),
        ("537**", "[20-29]", "F", 20.0, "cold"),
        ("*", "[60-69]", "F", 0.0, "flu"),
        ("012**", "*", "M", 3.5, "cold"),
        ("537**", "[20-29]", "M", 10.5, "cold"),
    ]
    assert [_without_nan(row) for row in rows] == expected


def test_suppressed_rows_are_left_out_or_starred(people):
    compressed = open_table(people).compress(SCHEMA)
    cells = compressed.cells
    recoded = recode(cells, (0, 0, 0), suppressed=cells.sizes < 2)
    assert recoded.n_suppressed == 5
    kept = engines.rows(compressed.release(recoded, RowOptions(keep_order=True)))
    assert [row[:3] for row in kept] == [("53710", 25, "M"), ("53710", 25, "M")]
    starred = engines.rows(
        compressed.release(recoded, RowOptions(keep_suppressed=True, keep_order=True))
    )
    assert [row[:3] for row in starred] == [
        ("53710", "25", "M"),
        *[("*", "*", "*")] * 5,
        ("53710", "25", "M"),
    ]


def test_range_columns_hold_bounds_and_the_mean_of_the_group(people):
    compressed = open_table(people).compress(SCHEMA)
    table = compressed.release(
        recode(compressed.cells, (2, 1, 1)), RowOptions(ranges=("age",), keep_order=True)
    )
    assert engines.names(table)[-3:] == ["age_min", "age_max", "age_mean"]
    first = engines.rows(table)[0]
    assert first[-3:] == (20.0, 29.0, (25 + 28 + 28 + 26 + 25) / 5)


def test_shuffling_keeps_the_rows_and_breaks_their_order(people):
    compressed = open_table(people).compress(SCHEMA)
    recoded = recode(compressed.cells, (1, 1, 0))
    straight = engines.rows(compressed.release(recoded, RowOptions(keep_order=True)))
    mixed = engines.rows(compressed.release(recoded, RowOptions(shuffle=3)))
    key = [tuple(map(str, _without_nan(row))) for row in straight]
    other = [tuple(map(str, _without_nan(row))) for row in mixed]
    assert sorted(key) == sorted(other)
    assert key != other


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_written_releases_are_the_same_rows(people, engine, tmp_path, suffix):
    if engine == "spark":
        pytest.skip("Spark writes folders; its rows are compared above")
    compressed = open_table(people).compress(SCHEMA)
    recoded = recode(compressed.cells, (1, 1, 0))
    path = tmp_path / f"out.{suffix}"
    compressed.write(recoded, RowOptions(keep_order=True), path)
    assert open_table(str(path)).n_rows == 7
    if suffix == "csv":
        lines = path.read_text("utf-8").splitlines()
        assert lines[:2] == ["zip,age,sex,income,illness", "537**,[20-29],M,10.5,flu"]
        assert lines[5] == "*,[60-69],F,0.0,flu"


def test_an_empty_table_has_no_cells(engine, tmp_path):
    table = engines.make(engine, {"city": [], "illness": []}, tmp_path)
    schema = Schema({"city": {"role": "quasi-identifier"}, "illness": {"role": "sensitive"}})
    assert open_table(table).compress(schema).cells.n_groups == 0


def test_one_row_and_one_column_work(engine, tmp_path):
    table = engines.make(engine, {"city": ["Kiel"]}, tmp_path)
    cells = open_table(table).compress(Schema({"city": {"role": "quasi-identifier"}})).cells
    assert cells.sizes.tolist() == [1]


def test_undeclared_columns_are_named_and_nothing_is_assumed(people):
    schema = Schema({"sex": {"role": "quasi-identifier"}})
    with pytest.raises(SchemaError, match="columns without a role: 'name', 'zip'"):
        open_table(people).compress(schema)


def test_missing_columns_are_named(people):
    schema = Schema({**SCHEMA, "ward": {"role": "insensitive"}})
    with pytest.raises(SchemaError, match="the table lacks: 'ward'"):
        open_table(people).compress(schema)


def test_values_that_a_hierarchy_lacks_are_listed_all_at_once(people):
    schema = SCHEMA.replace(
        zip={"role": "quasi-identifier", "hierarchy": {"tree": {"537": ["53710"]}}}
    )
    with pytest.raises(UncoveredValuesError, match="missing-to-root") as caught:
        open_table(people).compress(schema)
    assert caught.value.values == ("01234", "53711", "53712")


def test_many_distinct_values_are_looked_up_like_few(engine, tmp_path):
    ids = list(range(1000))
    table = engines.make(engine, {"number": ids, "half": [i / 2 for i in ids]}, tmp_path)
    schema = Schema(
        {
            "number": {
                "role": "quasi-identifier",
                "kind": "numeric",
                "hierarchy": {"intervals": [10]},
            },
            "half": {
                "role": "quasi-identifier",
                "kind": "numeric",
                "hierarchy": {"intervals": [50]},
            },
        }
    )
    compressed = open_table(table).compress(schema)
    rows = engines.rows(
        compressed.release(recode(compressed.cells, (1, 1)), RowOptions(keep_order=True))
    )
    assert rows[999] == ("[990-999]", "[450-500)")
    assert rows[17] == ("[10-19]", "[0-50)")


def _without_nan(row):
    return tuple(None if value != value else value for value in row)


def test_something_that_is_no_table_is_refused():
    with pytest.raises(TableError, match="cannot read a table from list"):
        open_table([1, 2, 3])


@pytest.mark.parametrize(
    ("source", "way"),
    [
        (np.ones((2, 2)), r"pandas\.DataFrame\(rows, columns=\[\.\.\.\]\)"),
        ([{"a": 1}], r"pandas\.DataFrame\(rows\)` is"),
        (np.ones(2), r"It is one column"),
        (b"people.csv", "Give the path of the file as text"),
        (io.StringIO("a,b"), "Give the path of the file as text"),
    ],
)
def test_what_is_nearly_a_table_is_told_how_to_become_one(source, way):
    with pytest.raises(TableError, match=way):
        open_table(source)


def test_columns_in_an_index_are_found_there():
    pd = need("pandas")
    table = pd.DataFrame({"a": [1, 1], "b": [2, 3]}).set_index("a")
    schema = Schema({"a": {"role": "quasi-identifier"}, "b": {"role": "sensitive"}})
    with pytest.raises(
        SchemaError, match=r"lacks: 'a'\. They are in its index: table\.reset_index"
    ):
        open_table(table).compress(schema)


COMPUTED = [
    "=1+1",
    "@x",
    "\uff1d1+1",
    "\n=1",
    "\r+a",
    "'=x",
    "-",
    "+1",
    "a",
    " =b",
    'q"t',
    "x,y",
    "c\rd",
]
MARKED = ["'=1+1", "'@x", "'\uff1d1+1", "'\n=1", "'\r+a", "''=x", *COMPUTED[6:]]


def test_no_engine_writes_cells_that_a_spreadsheet_computes(engine, tmp_path):
    columns = {"age": [1] * len(COMPUTED), "said": COMPUTED, "=": ["n"] * len(COMPUTED)}
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "said": {"role": "insensitive"},
            "=": {"role": "insensitive"},
        }
    )
    release = make_method("mondrian", schema, 2).fit(engines.make(engine, columns, tmp_path))
    path = release.release_.write(tmp_path / "o.csv")["table"]
    files = sorted(path.glob("*.csv")) if path.is_dir() else [path]
    texts = [io.StringIO(file.read_bytes().decode(), newline="") for file in files]
    cells = [row[1] for text in texts for row in csv.reader(text)]
    assert sorted(cell for cell in cells if cell != "said") == sorted(MARKED)


def test_names_that_are_patterns_elsewhere_are_names(engine, tmp_path):
    names = ["*", "c0"] if engine.startswith("polars") else ["*", "c0", "^x$"]
    columns = {name: ["a", "a", "b", "b"] for name in names} | {"x": ["=1", "2", "3", "4"]}
    roles = {name: {"role": "quasi-identifier"} for name in names} | {"x": {"role": "sensitive"}}
    release = make_method("mondrian", Schema(roles), 2).fit(engines.make(engine, columns, tmp_path))
    path = release.release_.write(tmp_path / "o.csv")["table"]
    files = sorted(path.glob("*.csv")) if path.is_dir() else [path]
    lines = {line for file in files for line in file.read_text("utf-8").splitlines()}
    wide = [",".join([value] * len(names)) for value in "aabb"]
    cells = [f"{own},{x}" for own, x in zip(wide, ["'=1", "2", "3", "4"], strict=True)]
    assert lines == {",".join([*names, "x"]), *cells}


@pytest.mark.parametrize("engine", ["polars", "polars-lazy"])
def test_names_that_polars_takes_for_patterns_are_refused(engine, tmp_path):
    table = engines.make(engine, {"^x$": ["a"], "x": ["1"]}, tmp_path)
    with pytest.raises(TableError, match="takes the name '\\^x\\$' for a pattern"):
        open_table(table)


def test_python_objects_in_polars_are_judged_by_their_texts(tmp_path):
    pl = need("polars")
    held = pl.Series("o", [UUID(int=i) for i in (1, 1, 2, 2)], dtype=pl.Object)
    schema = Schema({"q": {"role": "quasi-identifier"}, "o": {"role": "sensitive"}})
    method = make_method("mondrian", schema, 2).fit(
        pl.DataFrame([pl.Series("q", list("aabb")), held])
    )
    assert len(set(method.release_.table["o"])) == 2


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_names_that_differ_in_case_only_are_refused_or_kept(tmp_path, suffix):
    for engine in ("pandas", "polars", "pyarrow"):
        columns = {"age": [1, 1], "Age": ["a\r", "b"]}
        schema = Schema({"age": {"role": "quasi-identifier"}, "Age": {"role": "sensitive"}})
        release = make_method("mondrian", schema, 2).fit(engines.make(engine, columns, tmp_path))
        path = tmp_path / f"{engine}.{suffix}"
        if engine == "polars" and suffix != "tsv":  # which writes them itself
            release.release_.write(path)
            continue
        with pytest.raises(TableError, match="differ in upper and lower case only"):
            release.release_.write(path)
        assert not path.exists()
