import numpy as np
import pytest

from shoal.anonymize.clusters import _group_loss
from shoal.anonymize.clusters._group_loss import make_columns, pair_loss
from shoal.metrics._measure import label_loss
from shoal.schema import Schema
from shoal.tables import open_table
from shoal.tables._recoded import public_range_labels
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


@pytest.mark.parametrize("limit", [1024, 0], ids=["table", "computed"])
def test_ranges_of_many_values_cost_all_of_the_bands_that_they_are_released_with(
    monkeypatch, limit
):
    monkeypatch.setattr(_group_loss, "_TABLE_LIMIT", limit)
    monkeypatch.setattr(_group_loss, "LINES_LIMIT", 1)
    own = {"role": "quasi-identifier"}
    schema = Schema(
        {
            "weight": own | {"kind": "numeric", "hierarchy": {"intervals": [5, 20]}},
            "born": own | {"kind": "date", "hierarchy": {"dates": ["month", "year"]}},
            "fine": own | {"kind": "numeric"},  # no bands: as wide as it is
        }
    )
    draw = np.random.default_rng(0)
    weight = [*draw.integers(40, 90, 60).tolist(), None, None]
    born = [f"19{y}-{m:02}-{d:02}" for y, m, d in draw.integers((70, 1, 1), (74, 13, 28), (62, 3))]
    fine = draw.integers(0, 500, 62).tolist()
    rows = {"weight": weight, "born": born, "fine": fine}
    codings = open_table(rows).compress(schema).cells.codings
    weights = np.array([1.0, 2.0, 1.0])
    columns = make_columns(codings, np.ones(3, np.bool_), weights, exact=False, by_band=True)
    for column, coding in enumerate(codings[:2]):
        low, high = (ends.astype(np.int32) for ends in np.triu_indices(coding.n_codes))
        labels, label = public_range_labels(coding, low, high, all_is_star=True)
        for first, last, loss in zip(low, high, label_loss(labels)[label], strict=True):
            expected = pytest.approx(weights[column] * loss)
            assert pair_loss(columns, column, int(first), int(last)) == expected
    assert pair_loss(columns, 2, 0, 1) == np.diff(codings[2].numbers[:2]) / np.ptp(fine)
