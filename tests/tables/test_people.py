"""Counts of people, by brute force on small random tables."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from shoal.privacy import AlphaKAnonymity, DistinctDiversity, KAnonymity, TCloseness
from shoal.schema import Column
from shoal.schema._coding import make_coding
from shoal.tables._frequency import assemble
from shoal.tables._people import count_people

SEEDS = range(60)


def visits(seed):
    """Rows as (person, quasi-identifiers, sensitive value), and the same as codes."""
    rng = np.random.default_rng(seed)
    n_people = int(rng.integers(1, 9))
    n = int(rng.integers(n_people, 30))
    person = np.concatenate([np.arange(n_people), rng.integers(0, n_people, n - n_people)])
    keys = rng.integers(0, 3, (n, 2)).astype(np.int32)
    codes = rng.integers(0, 4, n).astype(np.int32)
    quasi = [make_coding(name, Column("quasi-identifier"), list("abc")) for name in ("x", "y")]
    ill = make_coding("s", Column("sensitive"), list("abcd"))
    counted = {"s": (ill, codes)}
    cells, cell_of = assemble(quasi, keys, counted)
    home, people = count_people(cells, cell_of, person, counted)
    rows = list(zip(person.tolist(), cell_of.tolist(), codes.tolist(), strict=True))
    return rng, rows, home, people


@pytest.mark.parametrize("seed", SEEDS)
def test_every_person_has_one_home_row_among_their_own(seed):
    _, rows, cells, people = visits(seed)
    homes = [rows[entry] for entry in np.flatnonzero(people.home)]
    assert sorted(person for person, _, _ in homes) == sorted({person for person, _, _ in rows})
    assert cells.sizes.tolist() == [
        sum(cell == home for _, home, _ in homes) for cell in range(cells.n_groups)
    ]
    assert cells.rows.sum() == len(rows)
    assert cells.n_rows == people.n_people == len(homes)
    dense = cells.histograms["s"].dense()
    assert dense.sum(axis=1).tolist() == cells.sizes.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_k_households_are_at_least_k_people_where_everybody_lives_in_one(seed):
    """Why the household alone keeps k for people with several rows."""
    rng, rows, cells, people = visits(seed)
    home_of = rng.integers(0, 4, people.n_people)
    counted = {"s": (cells.histograms["s"].coding, people.values["s"])}
    homes, families = count_people(
        cells, people.cell, home_of[people.person], counted, households=True
    )
    group_of = rng.integers(0, 2, cells.n_groups)
    joined = cells.merge(group_of, 2)
    by_household = next(families.count(joined, group_of, (), together=False)).sizes
    for group in range(2):
        inside = {person for person, cell, _ in rows if group_of[cell] == group}
        found = homes.merge(group_of, 2).sizes[group]
        assert found <= by_household[group] == len({home_of[one] for one in inside}) <= len(inside)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_group_of_cells_never_counts_more_than_its_people(seed):
    """The theorem of the guide: home rows add up, and are at most the people of any union."""
    rng, rows, cells, _ = visits(seed)
    for _ in range(20):
        n_groups = int(rng.integers(1, cells.n_groups + 1))
        group_of = rng.integers(-1, n_groups, cells.n_groups)
        joined = cells.merge(group_of, n_groups)
        for group in range(n_groups):
            inside = {person for person, cell, _ in rows if group_of[cell] == group}
            assert joined.sizes[group] <= len(inside)
            assert joined.rows[group] == sum(group_of[cell] == group for _, cell, _ in rows)
            different = {code for _, cell, code in rows if group_of[cell] == group}
            assert (joined.histograms["s"].dense()[group] > 0).sum() <= len(different)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("together", [False, True])
def test_the_exact_count_is_that_of_distinct_people(seed, together):
    rng, rows, cells, people = visits(seed)
    n_groups = int(rng.integers(1, 4))
    group_of = rng.integers(-1, n_groups, cells.n_groups)
    groups = cells.merge(group_of, n_groups)
    tables = list(people.count(groups, group_of, ["s"], together=together))
    inside = defaultdict(lambda: defaultdict(set))
    for person, cell, code in rows:
        inside[int(group_of[cell])][person].add(code)
    for group in range(n_groups):
        everybody = inside[group]
        assert {int(table.sizes[group]) for table in tables} == {len(everybody)}
        seen = np.max([table.histograms["s"].dense()[group] for table in tables], axis=0)
        wanted = Counter(code for codes in everybody.values() for code in codes)
        # whoever has a value counts for it when it is asked about: the worst share is exact
        assert seen.tolist() == [wanted[code] for code in range(4)]


def test_values_that_everybody_has_are_found_although_home_rows_do_not_show_them():
    """Ten people, each with an illness of their own at home, and all with the same besides."""
    person = np.concatenate([np.arange(10), np.arange(10), np.arange(10)])
    codes = np.concatenate([np.arange(10), np.arange(10), np.full(10, 10)]).astype(np.int32)
    ill = make_coding("s", Column("sensitive"), [f"{i:02}" for i in range(11)])
    place = make_coding("x", Column("quasi-identifier"), ["a"])
    counted = {"s": (ill, codes)}
    cells, cell_of = assemble([place], np.zeros((30, 1), np.int32), counted)
    home, people = count_people(cells, cell_of, person, counted)
    model = AlphaKAnonymity(0.5, 5, "s")
    assert model.holds(home).all()
    exact = list(people.count(home, np.zeros(1, np.int64), ["s"], together=False))
    assert not all(model.holds(table).all() for table in exact)
    assert not all(DistinctDiversity(2, "s").holds(table).all() for table in exact)
    assert all(KAnonymity(10).holds(table).all() for table in exact)
    whole = list(people.count(home, np.zeros(1, np.int64), ["s"], together=True))
    assert all(TCloseness(0.0, "s").holds(table).all() for table in whole)  # one group is the whole


def test_people_are_spread_when_their_released_rows_stand_in_several_groups():
    _, rows, cells, people = visits(3)
    one = np.zeros(cells.n_groups, np.int64)
    assert not people.is_spread(one)
    split = np.arange(cells.n_groups)
    groups_of = defaultdict(set)
    for person, cell, _ in rows:
        groups_of[person].add(cell)
    assert people.is_spread(split) == any(len(groups) > 1 for groups in groups_of.values())
    assert not people.is_spread(np.full(cells.n_groups, -1))
