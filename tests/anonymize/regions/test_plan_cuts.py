import numpy as np

from shoal.anonymize.cuts._first_cuts import domain_columns
from shoal.anonymize.regions._plan_cuts import SLACK, plan_cuts
from shoal.schema import Schema
from shoal.tables import open_table
from shoal.tables.engines.regions._cuts import Cut, assign, regions_of

TREE = {"tree": {"North": ["Kiel", "Rostock"], "South": ["Ulm", "Passau", "Lindau"]}}
SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "city": {"role": "quasi-identifier", "hierarchy": TREE},
    }
)
ORDERED = [True, False]


def cells_of(rng, n):
    cities = ["Kiel", "Rostock", "Ulm", "Passau", "Lindau"]
    ages = rng.integers(20, 90, n).tolist()
    table = {"age": ages, "city": rng.choice(cities, n).tolist()}
    return open_table(table).compress(SCHEMA).cells


def test_regions_have_about_the_wanted_size_and_cover_all():
    cells = cells_of(np.random.default_rng(0), 4000)
    sample = np.repeat(cells.keys, cells.sizes, axis=0)
    cut = plan_cuts(domain_columns(cells.codings, [1, 1], ORDERED), sample, 200)
    sizes = np.bincount(assign(cut, sample))
    assert list(regions_of(cut)) == list(range(len(sizes)))
    assert sizes.max() <= SLACK * 200
    assert len(sizes) >= 20


def test_equal_rows_are_never_cut_apart():
    cells = cells_of(np.random.default_rng(0), 10)
    same = np.repeat(cells.keys[:1], 500, axis=0)
    assert plan_cuts(domain_columns(cells.codings, [1, 1], ORDERED), same, 10) == 0


def test_a_column_that_weighs_more_is_cut_first():
    cells = cells_of(np.random.default_rng(1), 2000)
    sample = np.repeat(cells.keys, cells.sizes, axis=0)
    for weights, first in (([5, 1], 0), ([1, 5], 1)):
        cut = plan_cuts(domain_columns(cells.codings, weights, ORDERED), sample, 1000)
        assert isinstance(cut, Cut)
        assert cut.column == first


def test_nodes_are_cut_between_their_children():
    cells = cells_of(np.random.default_rng(2), 1000)
    city = domain_columns(cells.codings, [1, 1], ORDERED)[1]
    tree = cells.codings[1].hierarchy
    (start,) = city.starts(np.arange(5, dtype=np.int32))
    assert start in tree.start[np.flatnonzero(tree.parent == tree.root)]
