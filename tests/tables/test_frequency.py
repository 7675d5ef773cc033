from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.schema import Column
from shoal.schema._coding import make_coding
from shoal.tables import FrequencyTable
from shoal.tables._count_kernels import match_words, merge_entries
from shoal.tables._frequency import assemble, group_keys, pack_codes

small_keys = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=60
)


@settings(max_examples=60, deadline=None)
@given(rows=small_keys)
def test_equal_rows_get_equal_numbers_in_order_of_appearance(rows):
    group_of, n_groups = group_keys(np.array(rows, np.int32))
    order = list(dict.fromkeys(rows))
    assert n_groups == len(order)
    assert group_of.tolist() == [order.index(row) for row in rows]


def test_many_wide_columns_need_more_than_one_word_and_stay_apart():
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**20, (500, 9)).astype(np.int32)
    keys[250:] = keys[:250]
    words = pack_codes(keys)
    assert len(words) > 1
    group_of, n_groups = group_keys(keys)
    assert n_groups == len(np.unique(keys, axis=0))
    assert (group_of[:250] == group_of[250:]).all()


def test_a_large_table_grows_its_hash_table():
    keys = np.arange(50_000, dtype=np.int32)[:, None]
    group_of, n_groups = group_keys(np.vstack([keys, keys]))
    assert n_groups == 50_000
    assert (group_of[:50_000] == group_of[50_000:]).all()


@settings(max_examples=60, deadline=None)
@given(rows=small_keys)
def test_matching_finds_each_row_among_the_known_ones(rows):
    known = np.array(sorted(set(rows))[::2], np.int32).reshape(-1, 3)
    wanted = np.array(rows, np.int32)
    sizes = np.array([4, 3, 2])
    found = match_words(pack_codes(known, sizes), pack_codes(wanted, sizes))
    expected = [known.tolist().index(list(r)) if list(r) in known.tolist() else -1 for r in rows]
    assert found.tolist() == expected


@settings(max_examples=60, deadline=None)
@given(
    cells=st.lists(st.lists(st.integers(0, 4), max_size=6), min_size=1, max_size=8),
    data=st.data(),
)
def test_merged_histograms_add_up(cells, data):
    group_of = data.draw(st.lists(st.integers(-1, 2), min_size=len(cells), max_size=len(cells)))
    start, codes, counts = [0], [], []
    for values in cells:
        for code, count in sorted(Counter(values).items()):
            codes.append(code)
            counts.append(count)
        start.append(len(codes))
    new_start, new_codes, new_counts = merge_entries(
        np.array(start, np.int64),
        np.array(codes, np.int32),
        np.array(counts, np.int64),
        np.array(group_of, np.int64),
        3,
        5,
    )
    for group in range(3):
        joined = Counter(
            v for values, g in zip(cells, group_of, strict=True) if g == group for v in values
        )
        part = slice(new_start[group], new_start[group + 1])
        assert list(zip(new_codes[part], new_counts[part], strict=True)) == sorted(joined.items())


@pytest.fixture
def coding():
    return make_coding("c", Column("quasi-identifier"), ["a", "b", "c"])


def test_cells_do_not_depend_on_the_order_of_rows(coding):
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 3, (40, 2)).astype(np.int32)
    order = rng.permutation(40)
    value = rng.integers(0, 3, 40).astype(np.int32)
    first, cell_of = assemble([coding, coding], keys, {"v": (coding, value)})
    second, _ = assemble([coding, coding], keys[order], {"v": (coding, value[order])})
    assert np.array_equal(first.keys, second.keys)
    assert np.array_equal(first.sizes, second.sizes)
    assert np.array_equal(first.histograms["v"].dense(), second.histograms["v"].dense())
    assert np.array_equal(first.keys[cell_of], keys)


def test_merging_drops_what_is_marked_and_keeps_the_rows_otherwise(coding):
    table = FrequencyTable(
        (coding,), np.array([[0], [1], [2]], np.int32), np.array([5, 2, 1], np.int64)
    )
    merged = table.merge(np.array([0, -1, 0]), 1)
    assert (merged.n_rows, merged.n_groups) == (6, 1)
    coarser, group_of = table.regroup(np.array([[7], [7], [8]], np.int32))
    assert coarser.sizes.tolist() == [7, 1]
    assert group_of.tolist() == [0, 0, 1]
