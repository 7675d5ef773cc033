import json
import re
from decimal import Decimal

import numpy as np
import pytest

from shoal.anonymize._registry import make_method
from shoal.schema import Schema
from shoal.tables import RowOptions, open_table
from tests.extras import need

UNITS = pytest.mark.filterwarnings("ignore:.* written without it")

BANDS = {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [10, 20]}}
DATES = {"role": "sensitive", "kind": "date"}
SCHEMA = Schema({"age": BANDS, "x": {"role": "sensitive"}})
ODD = [
    (["1.0", "2.0"], "high", "3.0"),
    (["1.50", "2.25"], "high", "3.00"),
    (["1e3", "2e3"], "high", "3e3"),
    (["5 kg", "6 kg"], "high", "7 kg"),
    (["True", "False"], "perhaps", "True"),
    (["2024-01-31", "2024-02-28"], "soon", "2024-03-31"),
    (["1", "NA"], "high", "3"),
]


def _csv(path, rows, delimiter=";"):
    path.write_text(f"age{delimiter}x\n" + "".join(f"{a}{delimiter}{x}\n" for a, x in rows))
    return path


def _json(path, rows):
    path = path.with_suffix(".jsonl")
    path.write_text("".join(json.dumps({"age": age, "x": x}) + "\n" for age, x in rows))
    return path


def _pandas(path, rows):
    return need("pandas").DataFrame(rows, columns=["age", "x"])


def _polars(path, rows):
    return need("polars").DataFrame(rows, schema=["age", "x"], orient="row")


def _arrow(path, rows):
    ages, values = zip(*rows, strict=True)
    return need("pyarrow").table({"age": ages, "x": values})


def _relation(path, rows):
    return need("duckdb").from_arrow(_arrow(path, rows))


def _released(make, kept, left_out, path, suffix, **how):
    rows = [(30 + i % 3, kept[i % 2]) for i in range(30)] + [(97, left_out)]
    method = make_method("top-down", SCHEMA, 5, {"max_suppression": 0.1})
    ordered = RowOptions(keep_order=True)
    release = method.fit(make(path / "raw.csv", rows), output=ordered, **how).release_
    assert release.n_suppressed == 1
    return release.write(path / f"r{suffix}", force=True)["table"].read_bytes()


@UNITS
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("how", [{}, {"regions": 2}])
@pytest.mark.parametrize(("kept", "odd", "plain"), [*ODD, (["1,5", "2,25"], "high", "3,5")])
def test_a_word_in_a_row_that_was_left_out_changes_no_released_cell(
    kept, odd, plain, how, suffix, tmp_path
):
    odd, plain = (_released(_csv, kept, one, tmp_path, suffix, **how) for one in (odd, plain))
    assert odd == plain


@pytest.mark.filterwarnings("ignore::shoal.errors.TableWarning")
@pytest.mark.parametrize(("make", "how"), [(_csv, {}), (_csv, {"regions": 2}), (_json, {})])
@pytest.mark.parametrize(
    ("kept", "odd", "plain"),
    [
        (["01/02/2024", "03/04/2024"], "31/12/2024", "01/02/2024"),
        (["01/02/2024 10:00", "NA"], "12/31/2024 11:30", "01/02/2024 10:00"),
        (["01/02/03", "04/05/06"], "31/12/99", "01/02/03"),
        (["1,000", "2,000"], "1,5", "2,000"),
        (["1.230", "2.345"], "1.5", "2.345"),
        (["EUR 1.000", "EUR 2.000"], "EUR 1.000,5", "EUR 2.000"),
    ],
)
def test_nor_does_a_row_that_tells_how_dates_and_numbers_are_to_be_read(
    make, how, kept, odd, plain, tmp_path
):
    odd, plain = (_released(make, kept, one, tmp_path, ".csv", **how) for one in (odd, plain))
    assert odd == plain
    assert kept[0] in plain.decode()


def test_what_is_said_of_dates_or_in_the_schema_decides_on_what_is_released(tmp_path):
    kept, dates = ["01/02/2024", "03/04/2024"], Schema({"age": BANDS, "x": DATES})
    table = _csv(
        tmp_path / "raw.csv", [(30, kept[i % 2]) for i in range(30)] + [(97, "31/12/2024")]
    )
    for schema, how in ((dates, {}), (SCHEMA, {"dates": "dmy"})):
        method = make_method("top-down", schema, 5, {"max_suppression": 0.1})
        release = method.fit(open_table(table, **how)).release_
        assert release.n_suppressed == 1
        days = release.write(tmp_path / "r.csv", force=True)["table"].read_text()
        assert {"2024-02-01", "2024-04-03"} == set(re.findall(r"\d+-\d+-\d+", days))


@UNITS
@pytest.mark.parametrize(("kept", "odd", "plain"), [*ODD, ([1000, 2000], 0.5, 3000)])
def test_nor_where_texts_come_in_other_files(kept, odd, plain, tmp_path):
    odd, plain = (_released(_json, kept, one, tmp_path, ".csv") for one in (odd, plain))
    assert odd == plain


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize(
    ("kept", "odd", "plain"),
    [([1000, 2000], None, 3000), ([1000, 2000], 0.5, 3000), ([1000, 2000], "high", 3000),
     ([1000.0, None], 0.5, 3000.0), ([True, False], None, True), ([1.5, 2.0], "high", 3.0)],
)  # fmt: skip
def test_nor_in_dataframes(kept, odd, plain, suffix, tmp_path):
    odd, plain = (_released(_pandas, kept, one, tmp_path, suffix) for one in (odd, plain))
    assert odd == plain


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow"])
@pytest.mark.parametrize("make", [_pandas, _polars, _arrow, _relation])
@pytest.mark.parametrize(
    ("kept", "odd", "plain"),
    [
        ([Decimal("1.50"), Decimal("2.25")], Decimal("12345.125"), Decimal("3.50")),
        ([Decimal("10.0"), Decimal("20.0")], Decimal("0.5"), Decimal("30.0")),
        ([Decimal("-0.5"), None], Decimal("0.125"), None),
        ([None, None], 7, None),
        ([None, None], 0.5, None),
        ([1.0, None], 0.5, 3.0),
    ],
)
def test_nor_do_digits_and_gaps_of_others_decide_on_types(make, kept, odd, plain, suffix, tmp_path):
    odd, plain = (_released(make, kept, one, tmp_path, suffix) for one in (odd, plain))
    assert odd == plain


@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_nor_does_a_number_beyond_64_bits(library, tmp_path):
    def table(path, rows):
        ages, values = zip(*rows, strict=True)
        kind = np.uint64 if max(values) > 2**63 else np.int64
        made = need("pandas").DataFrame({"age": ages, "x": np.array(values, kind)})
        if library == "polars":
            return need("polars").from_pandas(made)
        return made if library == "pandas" else need("duckdb").from_df(made)

    found = [_released(table, [1000, 2000], x, tmp_path, ".parquet") for x in (2**63 + 5, 7)]
    assert found[0] == found[1]


@pytest.mark.parametrize("make", [_pandas, _polars, _arrow])
def test_floats_are_whole_where_all_that_are_released_are(make, tmp_path):
    cells = _released(make, [1000.0, 2000.0], 0.5, tmp_path, ".csv").decode()
    assert set(cells.splitlines()[1:]) >= {"30,1000", "31,2000"}
    kept = _released(make, [1000.0, 0.25], 0.5, tmp_path, ".csv").decode()
    assert set(kept.splitlines()[1:]) >= {"30,1000.0", "31,0.25"}


def test_a_column_that_is_empty_without_the_row_has_no_type_of_it(tmp_path):
    cells = [_released(_csv, ["", ""], one, tmp_path, ".parquet") for one in ("5", "high", "")]
    assert len(set(cells)) == 1
