"""Local recoding loses no more than Mondrian's own release of the same table, whatever is asked."""

import numpy as np
import pytest

from shoal.anonymize import LocalRecoding, Mondrian
from shoal.anonymize.clusters import _local_recoding, _local_solver
from shoal.metrics._measure import column_losses
from shoal.privacy import DistinctDiversity, KAnonymity, TCloseness
from shoal.schema import Schema
from shoal.tables import open_table
from tests.engines import rows as rows_of

BY_LOSS = {"spread": 0.0, "priority": 0.0, "loss": 1.0}


def texts(codes):
    return [f"v{code:04}" for code in codes]


def tree(n, width):
    return {"tree": {f"t{i}": texts(range(i, min(n, i + width))) for i in range(0, n, width)}}


def column(kind, rng, n):
    """Values of a column of an odd shape, and what the schema says of it."""
    role = {"role": "quasi-identifier"}
    if kind == "constant":
        return ["a"] * n, role
    if kind == "without hierarchy":
        return texts(rng.integers(0, 30, n)), role
    if kind == "a value for each row":
        return texts(rng.permutation(n)), role | {"hierarchy": tree(n, 7)}
    if kind == "uneven tree":
        codes = np.minimum(rng.geometric(0.2, n), 39)
        return texts(codes), role | {"hierarchy": tree(40, 3), "weight": 3.0}
    if kind == "outliers":
        numbers = rng.exponential(10, n).astype(int)
        numbers[:3] = 10**6
        return numbers.tolist(), role | {"kind": "numeric"}
    if kind == "missing":
        numbers = rng.integers(0, 50, n).tolist()
        return [None if x < 8 else x for x in numbers], role | {"kind": "numeric"}
    numbers = rng.integers(0, 400, n)  # more than the search knows the lines of
    return numbers.tolist(), role | {"kind": "numeric"}


KINDS = ("without hierarchy", "many numbers", "uneven tree", "outliers", "missing",
         "a value for each row", "constant")  # fmt: skip


def odd_table(seed, n_columns, n_rows=120):
    rng = np.random.default_rng(seed)
    made = {
        f"c{number}": column(KINDS[(seed + number) % len(KINDS)], rng, n_rows)
        for number in range(n_columns)
    }
    sensitive = texts(np.minimum(rng.geometric(0.5, n_rows), 4))
    table = {name: values for name, (values, _) in made.items()} | {"s": sensitive}
    schema = {name: said for name, (_, said) in made.items()} | {"s": {"role": "sensitive"}}
    return table, Schema(schema)


def weighted_loss(recoded, schema):
    weights = np.array([schema[name].weight for name in recoded.cells.names])
    return float(column_losses(recoded) @ weights / weights.sum())


def regions_loss(cells, schema, model, ranges):
    found = [
        Mondrian(schema, model, ranges=ranges, **preferences).recode_cells(cells)
        for preferences in ({}, BY_LOSS)
    ]
    return min(weighted_loss(recoded, schema) for recoded in found)


def test_texts_without_a_hierarchy_have_exact_ranges_as_mondrian_has_them():
    table, schema = odd_table(0, 1)
    release = LocalRecoding(schema, KAnonymity(5), ranges="exact").fit(table)
    labels = {row[0] for row in rows_of(release.release_.table)}
    assert any(label.startswith("[v0") and " to v0" in label for label in labels)
    assert "*" not in labels


def in_letters(codes):
    return [f"v{code}" for code in codes]


NUMBERS, TEXTS = {"kind": "numeric"}, {}
TWO_HALVES = {"hierarchy": {"tree": {"a": in_letters([0, 1, 2]), "b": in_letters([3, 4, 5])}}}
SMALL_TABLES = {
    "a text that has the alphabet alone, and every budget": (
        3,
        [
            (in_letters([1, 2, 1, 1, 0, 4, 0, 2, 3, 3, 3, 0]), TEXTS),
            ([29, 15, 2, 21, 40, 30, 29, 46, 56, 16, 52, 54], NUMBERS),
        ],
    ),
    "a text with many values": (
        3,
        [
            ([0, 3, 3, 0, 3, 3, 3, 2, 0, 1, 0, 3], NUMBERS),
            (in_letters([2, 1, 8, 0, 2, 0, 3, 4, 2, 6, 5, 1]), TEXTS),
        ],
    ),
    "columns that are equally good to cut, in the order of the table": (
        2,
        [
            ([0, 3, 3, 0, 3, 1, 3, 2, 3, 3, 0, 0], NUMBERS),
            (in_letters([0, 5, 5, 0, 0, 3, 0, 2, 3, 5, 5, 3]), TWO_HALVES),
            (in_letters([2, 4, 4, 3, 0, 5, 4, 3, 2, 2, 5, 4]), TWO_HALVES),
            (in_letters([2, 3, 0, 0, 1, 5, 2, 3, 0, 5, 4, 2]), TWO_HALVES),
        ],
    ),
}


@pytest.mark.parametrize("refine", [True, "quick", False], ids=repr)
@pytest.mark.parametrize("case", SMALL_TABLES)
def test_regions_that_mondrian_itself_would_cut_are_among_the_first_groups(case, refine):
    k, columns = SMALL_TABLES[case]
    table = {f"c{number}": values for number, (values, _) in enumerate(columns)}
    role = {"role": "quasi-identifier"}
    schema = Schema({f"c{number}": role | said for number, (_, said) in enumerate(columns)})
    cells = open_table(table).compress(schema).cells
    own = LocalRecoding(schema, k, refine=refine).recode_cells(cells)
    assert weighted_loss(own, schema) <= regions_loss(cells, schema, k, "lines") + 1e-9


def test_a_text_without_a_hierarchy_is_cut_by_the_alphabet_in_blocks_too(monkeypatch):
    k, columns = SMALL_TABLES["a text with many values"]
    table = {f"c{number}": values for number, (values, _) in enumerate(columns)}
    role = {"role": "quasi-identifier"}
    schema = Schema({f"c{number}": role | said for number, (_, said) in enumerate(columns)})
    cells = open_table(table).compress(schema).cells
    monkeypatch.setattr(_local_recoding, "block_size", lambda problem: 6)
    monkeypatch.setattr(_local_solver, "refine_in_parts", lambda problem, found, *_, **given: found)
    monkeypatch.setattr(
        _local_recoding,
        "solve_blocks",
        lambda problem, blocks, **given: (np.zeros(len(problem.keys), np.int64), True),
    )
    loss = weighted_loss(LocalRecoding(schema, k).recode_cells(cells), schema)
    assert loss <= regions_loss(cells, schema, k, "lines") + 1e-9


def test_models_beyond_k():
    table, schema = odd_table(3, 4)
    cells = open_table(table).compress(schema).cells
    for model in (KAnonymity(3) & DistinctDiversity(2), KAnonymity(3) & TCloseness(0.4)):
        for refine in (True, "quick", False):
            own = LocalRecoding(schema, model, refine=refine).recode_cells(cells)
            assert weighted_loss(own, schema) <= regions_loss(cells, schema, model, "lines") + 1e-9


@pytest.mark.parametrize("exact", [True, False])
def test_a_table_cut_into_blocks_loses_no_more_than_regions_of_the_whole(monkeypatch, exact):
    table, schema = odd_table(1, 3)
    cells = open_table(table).compress(schema).cells
    ranges = "exact" if exact else "lines"
    monkeypatch.setattr(_local_recoding, "block_size", lambda problem: 40)

    def poor(problem, blocks, **given):  # every block is one group
        group_of = np.full(len(problem.keys), -1, np.int64)
        for number, block in enumerate(blocks):
            group_of[block] = number
        return group_of, True

    monkeypatch.setattr(_local_recoding, "solve_blocks", poor)
    loss = weighted_loss(LocalRecoding(schema, 4, ranges=ranges).recode_cells(cells), schema)
    assert loss <= regions_loss(cells, schema, 4, ranges) + 1e-9
    monkeypatch.setattr(_local_recoding, "no_worse_than_regions", lambda problem, blocks, g, **_: g)
    poorer = weighted_loss(LocalRecoding(schema, 4, ranges=ranges).recode_cells(cells), schema)
    assert poorer > loss


def test_groups_of_blocks_stay_where_they_lose_less(monkeypatch):
    table, schema = odd_table(1, 3)
    cells = open_table(table).compress(schema).cells
    whole = LocalRecoding(schema, 4, ranges="exact")._solve(cells, KAnonymity(4), lambda *_: None)
    monkeypatch.setattr(_local_recoding, "block_size", lambda problem: 40)
    monkeypatch.setattr(
        _local_recoding, "solve_blocks", lambda *_, **given: (whole.group_of.copy(), True)
    )
    again = LocalRecoding(schema, 4, ranges="exact")._solve(cells, KAnonymity(4), lambda *_: None)
    assert weighted_loss(again.recode(cells), schema) == pytest.approx(
        weighted_loss(whole.recode(cells), schema)
    )


CASES = [(seed, (2, 3, 5, 9)[seed % 4], (2, 5, 30)[seed % 3]) for seed in range(7)]


@pytest.mark.parametrize("refine", [True, "quick", "long", False], ids=repr)
@pytest.mark.parametrize(("seed", "n_columns", "k"), CASES)
def test_odd_tables(seed, n_columns, k, refine):
    table, schema = odd_table(seed, n_columns)
    cells = open_table(table).compress(schema).cells
    for ranges in ("lines", "exact"):
        own = LocalRecoding(schema, KAnonymity(k), refine=refine, ranges=ranges)
        loss = weighted_loss(own.recode_cells(cells), schema)
        assert loss <= regions_loss(cells, schema, KAnonymity(k), ranges) + 1e-9
