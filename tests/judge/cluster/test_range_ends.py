"""Ends of ranges that a cluster released: those that few rows have are lines, or withheld."""

import numpy as np
import pytest

from shoal import release
from shoal.errors import GuaranteeError
from shoal.judge._labels import LabelReader
from shoal.judge.cluster._range_ends import judge_ends
from shoal.schema import Schema
from tests.engines import spark_session
from tests.extras import need

SCHEMA = Schema(
    {
        "born": {"role": "quasi-identifier", "kind": "date"},
        "pay": {"role": "quasi-identifier", "kind": "numeric"},
        "ill": {"role": "sensitive"},
    }
)


@pytest.fixture(scope="module")
def source():
    need("pyarrow")
    return spark_session().sql(
        "SELECT date_add(DATE'1960-01-03', CAST(id * 37 AS INT)) AS born, id * 13.7D AS pay, "
        "concat('i', id % 3) AS ill FROM range(400)"
    )


def held(kind, *values, on_lines=True):
    reader = LabelReader(kind, on_lines=on_lines)
    return reader, [*values, None], np.ones(len(values) + 1, np.int64)


@pytest.mark.parametrize(
    ("label", "own", "fine"),
    [
        ("[1960-01-01 to 1960-06-30]", held("date", "1960-01-01", "1960-06-30"), True),
        ("[1960-01-03 to 1960-06-30]", held("date", "1960-01-03", "1960-06-30"), False),
        ("[1960-01-03 to 1960-06-30]", held("date", "1960-01-03", on_lines=False), True),
        ("[13.7-27.4]", held("numeric", "13.7", "30"), False),
        ("[10-30)", held("numeric", "10", "13.7"), True),
    ],
)
def test_ends_that_few_rows_have_are_lines_or_withheld(label, own, fine):
    # a label that stands beside single values, stars and nothing, in columns of odd names
    listed = ", ".join(f"('{one}')" for one in (label, "1960-02-02", "*", label))
    frame = spark_session().sql(f"SELECT x AS `a ``b` FROM VALUES {listed}, (NULL) AS t(x)")
    if fine:
        judge_ends(frame, {"a `b": own}, 2)
        return
    with pytest.raises(GuaranteeError, match=r"'a `b': 1 ranges end at a value.*withheld"):
        judge_ends(frame, {"a `b": own}, 2)
    own[2][:] = 2  # as many rows as are asked for
    judge_ends(frame, {"a `b": own}, 2)


@pytest.mark.parametrize(
    ("name", "label"), [("born", "[1960-01-03 to 2020-12-31]"), ("pay", "[13.7-9000)")]
)
def test_a_release_by_regions_whose_ranges_end_at_somebodys_value_is_withheld(
    source, monkeypatch, name, label
):
    assert release(source, SCHEMA, k=5, method="mondrian", regions=2).table.count() == 400
    made = release(source, SCHEMA, k=5, method="mondrian", regions=2)
    monkeypatch.setattr(type(made.rows), "rows", _with(type(made.rows).rows, name, label))
    with pytest.raises(GuaranteeError, match=f"'{name}': 1 ranges end"):
        _ = made.table


def _with(rows, name, label):
    def wrong(self, output):
        table, witness = rows(self, output)
        listed = [f"'{label}' AS {own}" if own == name else own for own in table.columns]
        return table.selectExpr(*listed), witness

    return wrong
