import numpy as np
import pytest

from shoal.attacks import linkability_attack
from shoal.attacks.rows._linkability import _by_luck
from shoal.attacks.rows._match_kernels import Scales, find_nearest
from shoal.attacks.rows._row_tables import read_row_tables
from shoal.errors import ParameterError
from tests.attacks.rows.people import draw

HALVES = (["age", "town"], ["pay", "ill"])


def example_linkability():
    return (draw(80, 0), draw(80, 0), *HALVES), {"control": draw(80, 1)}


def slow_distance(tables, person, row, column):
    x, low, high = (
        tables.people.low[person, column],
        tables.released.low[row, column],
        tables.released.high[row, column],
    )
    if tables.covers.is_cover[column]:
        at = tables.covers.start[column] + int(low) * tables.covers.width[column] + int(x)
        return 0.0 if tables.covers.flags[at] else 1.0
    if np.isnan(x) or np.isnan(low):
        return float(np.isnan(x) != np.isnan(low))
    return min(1.0, max(low - x, x - high, 0.0) / tables.scale[column])


def test_the_nearest_rows_are_those_of_a_plain_sort():
    tables = read_row_tables(draw(70, 0), draw(30, 1), None, None)
    columns = np.array([0, 1, 2, 3])
    order = np.random.default_rng(0).permutation(70)
    scales = Scales(columns, tables.scale, tables.covers)
    rows, distance = find_nearest(tables.people, tables.released, scales, order, 3)
    for person in range(30):
        every = [sum(slow_distance(tables, person, row, c) for c in columns) for row in order]
        best = np.argsort(every, kind="stable")[:3]
        assert np.allclose(distance[person], np.array(every)[best])
        assert rows[person].tolist() == order[best].tolist()


def test_who_hides_among_equal_rows_is_linked_by_luck_alone():
    people = {"age": [30] * 200 + [50] * 200, "pay": [1] * 200 + [2] * 200}
    assert linkability_attack(people, people, ["age"], ["pay"]).risk == 0
    alone = {"age": list(range(50)), "pay": list(range(50))}
    assert linkability_attack(alone, alone, ["age"], ["pay"]).risk == 1


def test_luck_is_the_share_of_draws_with_a_row_in_common():
    rng = np.random.default_rng(0)
    hits = [
        len(set(rng.permutation(20)[:3]) & set(rng.permutation(20)[:3])) > 0 for _ in range(4000)
    ]
    assert _by_luck(20, 3) == pytest.approx(np.mean(hits), abs=0.03)
    assert _by_luck(4, 4) == 1


def test_both_parties_need_columns_of_their_own():
    with pytest.raises(ParameterError, match="different columns"):
        linkability_attack(draw(9, 0), draw(9, 0), ["age"], ["age"])
    with pytest.raises(ParameterError, match="no column 'shoe'"):
        linkability_attack(draw(9, 0), draw(9, 0), ["age"], ["shoe"])
