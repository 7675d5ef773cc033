import numpy as np
import pytest

from shoal.report.release.facts._marginals import (
    RawValues,
    compare_marginals,
    label_counts,
    meaning,
    moved_between,
)
from shoal.schema import Column, Schema
from shoal.schema._builders import Tree
from shoal.schema._coding import make_coding
from shoal.tables import open_table
from tests.extras import need

TREE = Tree({"A": ["a", "b"], "C": ["c"]})
AGES = make_coding("age", Column("quasi-identifier", "numeric"), [20, 25, 30, 40], has_missing=True)
LETTERS = make_coding("x", Column("quasi-identifier", hierarchy=TREE), ["a", "b", "c"])
ORDER = ("low-level", "mid", "top")
DEGREES = make_coding("d", Column("quasi-identifier", "ordinal", order=ORDER), ORDER)


@pytest.mark.parametrize(
    ("coding", "label", "values"),
    [
        (AGES, "25", ["25"]),
        (AGES, "[20-30]", ["20", "25", "30"]),
        (AGES, "[20-30)", ["20", "25"]),
        (AGES, ">=30", ["30", "40"]),
        (AGES, "<25", ["20"]),
        (AGES, "*", ["20", "25", "30", "40", None]),
        (AGES, None, [None]),
        (LETTERS, "A", ["a", "b"]),
        (LETTERS, "{a, C}", ["a", "c"]),
        (LETTERS, "unknown", []),
        (DEGREES, "[low-level-mid]", ["low-level", "mid"]),
    ],
)
def test_a_label_means_the_values_it_stands_for(coding, label, values):
    means = meaning(label, coding)
    assert [text for text, flag in zip(coding.texts, means, strict=True) if flag] == values


def counted(rows, hierarchy=None):
    pa = need("pyarrow")
    column = Column("quasi-identifier", hierarchy=hierarchy)
    schema = Schema({"x": column, "ill": {"role": "sensitive"}})
    table = pa.table({"x": [row[0] for row in rows], "ill": [row[1] for row in rows]})
    return open_table(table).compress(schema).cells


def test_rows_of_a_label_are_spread_evenly_over_what_it_means():
    raw = counted([("a", "y")] * 3 + [("b", "y"), ("c", "n")], TREE)
    released = counted([("A", "y")] * 4 + [("strange", "n")])
    [found] = compare_marginals(RawValues.of(raw), released)
    assert found.before.tolist() == [3, 1, 1]
    assert found.after.tolist() == [2, 2, 0]
    assert found.unplaced == 1
    # 0.6, 0.2, 0.2 against 0.5, 0.5, 0
    assert found.moved == pytest.approx(0.3)
    assert dict(label_counts(released, 0)) == {"A": 4, "strange": 1}


def test_a_column_that_kept_its_shares_did_not_move():
    raw = counted([("a", "y"), ("a", "n"), ("b", "y"), ("b", "n")], TREE)
    half = counted([("a", "y"), ("a", "n")], TREE)
    ill = counted([("a", "y"), ("a", "y")], TREE)
    assert moved_between(*map(_ill, (raw, half))) == 0
    assert moved_between(*map(_ill, (raw, ill))) == pytest.approx(0.5)


def test_a_release_of_nothing_moved_wholly():
    raw = counted([("a", "y")], TREE)
    released = counted([("strange", "y")])
    [found] = compare_marginals(RawValues.of(raw), released)
    assert found.moved == 1.0
    assert np.all(found.after == 0)


def _ill(groups):
    return RawValues.of(groups).sensitive["ill"]
