import duckdb
import numpy as np

from shoal.tables.engines.regions._cuts import Cut, assign, cut_sql, regions_of, renumber


def random_cut(rng, depth, numbers):
    if depth == 0 or rng.random() < 0.2:
        return next(numbers)
    starts = np.unique(rng.integers(1, 10, rng.integers(1, 4))).tolist()
    parts = tuple(random_cut(rng, depth - 1, numbers) for _ in range(len(starts) + 1))
    return Cut(int(rng.integers(0, 3)), tuple(starts), parts)


def walk(cut, key):
    """The slow twin: one combination down the tree."""
    while not isinstance(cut, int):
        part = sum(key[cut.column] >= start for start in cut.starts)
        cut = cut.parts[part]
    return cut


def test_every_combination_has_one_region_by_arrays_and_by_sql():
    rng = np.random.default_rng(0)
    for _ in range(20):
        cut = random_cut(rng, 4, iter(range(10_000)))
        keys = rng.integers(0, 11, (200, 3)).astype(np.int32)
        expected = [walk(cut, key) for key in keys.tolist()]
        assert assign(cut, keys).tolist() == expected
        rows = ", ".join(map(str, map(tuple, keys.tolist())))
        sql = f"SELECT {cut_sql(cut, ['a', 'b', 'c'])} FROM (VALUES {rows}) AS t(a, b, c)"
        assert [row[0] for row in duckdb.sql(sql).fetchall()] == expected


def test_regions_are_numbered_in_order_and_joined_by_other_numbers():
    cut = Cut(0, (3,), (0, Cut(1, (1, 5), (1, 2, 3))))
    assert list(regions_of(cut)) == [0, 1, 2, 3]
    joined = renumber(cut, [0, 1, 1, 1])
    assert joined == Cut(0, (3,), (0, 1))
    assert renumber(cut, [0, 0, 0, 0]) == 0
