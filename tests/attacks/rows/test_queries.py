import numpy as np
import pytest

from shoal.attacks.rows import _queries
from shoal.attacks.rows._queries import Queries, count_matches, join_queries
from shoal.attacks.rows._row_tables import read_row_tables
from shoal.attacks.rows._singling_out import _draw
from tests.attacks.rows.people import draw


def slow_matches(tables, cells, queries, is_released):
    counts = []
    for columns, lows, highs in zip(*queries, strict=True):
        fit = 0
        for row in range(len(cells.low)):
            fit += all(
                slow_fits(tables, cells.low[row, c], cells.high[row, c], c, low, high, is_released)
                for c, low, high in zip(columns, lows, highs, strict=True)
            )
        counts.append(fit)
    return counts


def slow_fits(tables, x, y, column, low, high, is_released):
    if not tables.covers.is_cover[column]:
        return np.isnan(x) if np.isnan(low) else (x >= low and y <= high)
    if is_released:
        return x == low
    width = tables.covers.width[column]
    return tables.covers.flags[tables.covers.start[column] + int(low) * width + int(x)]


@pytest.mark.parametrize("is_released", [True, False])
def test_rows_are_counted_as_a_plain_loop_counts_them(is_released):
    tables = read_row_tables(draw(60, 0), draw(50, 1), draw(40, 2), None)
    queries = _draw(tables, 2, 80, np.random.default_rng(0))
    cells = tables.released if is_released else tables.people
    counted = count_matches(cells, queries, tables.covers, is_released=is_released)
    assert counted.tolist() == slow_matches(tables, cells, queries, is_released)
    assert counted.max() > 2


def test_many_queries_are_counted_part_by_part(monkeypatch):
    tables = read_row_tables(draw(60, 0), draw(50, 1), None, None)
    queries = _draw(tables, 3, 50, np.random.default_rng(0))
    whole = count_matches(tables.people, queries, tables.covers, is_released=False)
    monkeypatch.setattr(_queries, "_MOST_BYTES", 200)
    parts = count_matches(tables.people, queries, tables.covers, is_released=False)
    assert parts.tolist() == whole.tolist()


def test_no_queries_have_no_matches():
    tables = read_row_tables(draw(9, 0), draw(9, 1), None, None)
    none = _draw(tables, 2, 0, np.random.default_rng(0))
    assert count_matches(tables.people, none, tables.covers, is_released=False).tolist() == []


def test_a_query_that_is_there_twice_is_kept_once():
    one = Queries(np.array([[0], [1], [0]]), np.array([[1.0], [np.nan], [1.0]]), np.ones((3, 1)))
    both = join_queries(one, one).different()
    assert both.columns.tolist() == [[0], [1]]
