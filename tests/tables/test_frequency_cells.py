from collections import Counter

import numpy as np
import pytest

from shoal.errors import TableError
from shoal.schema import Column, Schema
from shoal.schema._coding import make_coding
from shoal.tables import open_table
from shoal.tables._frequency import assemble
from tests.extras import need


def coded(name, n_codes):
    return make_coding(name, Column("quasi-identifier", "numeric"), list(range(n_codes)))


@pytest.mark.parametrize("n_codes", [3, 40, 2_000_000_000])
@pytest.mark.parametrize("listed", [True, False])
def test_cells_and_histograms_are_those_of_plain_counting(n_codes, listed):
    chance = np.random.default_rng(n_codes % 97)
    room = min(n_codes, 30)
    codings = [coded(name, room) for name in "abc"]
    if n_codes > room:  # so many that the codes of a row do not fit into one word
        codings = [_Wide(n_codes) for _ in codings]
    keys = chance.integers(0, room, (60, 3)).astype(np.int32)
    keys = np.vstack([keys, keys[:25]])
    sensitive, codes = coded("s", 4), chance.integers(0, 4, len(keys)).astype(np.int32)
    counts = chance.integers(1, 5, len(keys)) if listed else None

    cells, cell_of = assemble(codings, keys, {"s": (sensitive, codes)}, counts)

    each = np.ones(len(keys), np.int64) if counts is None else counts
    sizes, seen = Counter(), Counter()
    for key, code, n in zip(keys.tolist(), codes.tolist(), each.tolist(), strict=True):
        sizes[tuple(key)] += n
        seen[tuple(key), code] += n
    found = [tuple(key) for key in cells.keys.tolist()]
    assert found == sorted(sizes, key=lambda key: key[::-1])
    assert cells.sizes.tolist() == [sizes[key] for key in found]
    assert [found[cell] for cell in cell_of.tolist()] == [tuple(key) for key in keys.tolist()]
    histogram = cells.histograms["s"]
    entries = zip(histogram.group_of_entry.tolist(), histogram.codes.tolist(), strict=True)
    names = [(found[cell], code) for cell, code in entries]
    assert names == sorted(seen, key=lambda entry: (entry[0][::-1], entry[1]))
    assert histogram.counts.tolist() == [seen[name] for name in names]
    assert histogram.start[-1] == len(names)


class _Wide:
    """A coding of which only the number of codes is asked for."""

    name = "wide"

    def __init__(self, n_codes):
        self.n_codes = n_codes


@pytest.mark.parametrize("counts", [None, np.empty(0, np.int64)])
def test_a_table_without_rows_has_no_cells(counts):
    nothing = np.empty(0, np.int32)
    cells, cell_of = assemble(
        [coded("a", 2)], nothing.reshape(0, 1), {"s": (coded("s", 2), nothing)}, counts
    )
    assert cells.n_groups == len(cell_of) == len(cells.histograms["s"].codes) == 0


@pytest.mark.parametrize("role", ["quasi-identifier", "sensitive"])
def test_texts_that_libraries_differ_in_are_refused(role):
    need("pandas")  # makes a table of columns
    # arrays of texts would take "a" and "a\0" for one value
    other = "sensitive" if role == "quasi-identifier" else "quasi-identifier"
    table = {"town": ["a", "a\0", "b"] * 4, "ill": ["x", "y"] * 6}
    schema = Schema({"town": {"role": role}, "ill": {"role": other}})
    with pytest.raises(TableError, match=r"'town' holds texts with the character U\+0000"):
        open_table(table).compress(schema)
