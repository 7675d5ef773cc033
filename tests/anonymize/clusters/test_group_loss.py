import numpy as np
import pytest

from shoal.anonymize.clusters import _group_loss
from shoal.anonymize.clusters._group_loss import make_columns, pair_loss
from shoal.schema import Schema
from shoal.tables import open_table
from tests.anonymize import group_cases
from tests.reference import groups as twin


@pytest.mark.parametrize("limit", [1024, 0], ids=["table", "computed"])
@pytest.mark.parametrize("ranges", [True, False])
def test_loss_is_that_of_the_label_that_covers_both_codes(monkeypatch, limit, ranges):
    monkeypatch.setattr(_group_loss, "_TABLE_LIMIT", limit)
    cells = group_cases.cells(0)
    columns, is_range, weights = group_cases.columns_of(cells, ranges)
    assert is_range.tolist() == [ranges, False, ranges]
    for column, coding in enumerate(cells.codings):
        for low in range(coding.n_codes):
            for high in range(low, coding.n_codes):
                loss = twin.label_loss_of([low, high], coding, is_range[column])
                expected = pytest.approx(weights[column] * loss)
                assert pair_loss(columns, column, low, high) == expected


def test_what_ranges_lose_between_lines_is_computed_once(monkeypatch):
    schema = Schema({"x": {"role": "quasi-identifier", "kind": "numeric"}})
    cells = open_table({"x": [1, 3, 11, 58]}).compress(schema).cells
    first = make_columns(cells.codings, np.array([True]), np.ones(1), exact=False)
    monkeypatch.setattr(_group_loss, "public_range_labels", None)
    again = make_columns(cells.codings, np.array([True]), np.full(1, 2.0), exact=False)
    assert again.table.tolist() == (2 * first.table).tolist()
    assert pair_loss(make_columns(cells.codings, np.array([True]), np.ones(1)), 0, 0, 3) == 1


def test_numbers_without_a_hierarchy_cost_what_they_span():
    schema = Schema({"x": {"role": "quasi-identifier", "kind": "numeric"}})
    cells = open_table({"x": [1, 3, 11]}).compress(schema).cells
    columns = make_columns(cells.codings, np.array([True]), np.ones(1))
    assert pair_loss(columns, 0, 0, 1) == pytest.approx(0.2)
    assert pair_loss(columns, 0, 0, 2) == pytest.approx(1.0)
