import numpy as np

from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.schema import Schema
from shoal.tables import open_table
from tests.anonymize.people import relation


def cells_of(target):
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "town": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "target": target},
        }
    )
    rows = [(str(age), "xyz"[age % 3], "yn"[age > 6]) for age in range(1, 9) for _ in range(2)]
    people = relation(rows, ("age", "town", "ill"))
    people = people.project("CAST(age AS INTEGER) AS age, town, ill")
    return open_table(people).compress(schema).cells


def children(tree):
    return {str(tree.labels[node]) for node in tree.children(tree.root)}


def test_halves_without_a_target_and_the_best_gain_with_one():
    age, town = (c.hierarchy for c in grow_hierarchies(cells_of(False), None, 2).codings)
    assert children(age) == {"[1-4]", "[5-8]"}
    assert children(town) == {"x", "y", "z"}
    age, _ = (c.hierarchy for c in grow_hierarchies(cells_of(True), "ill", 2).codings)
    assert children(age) == {"[1-6]", "[7-8]"}


def test_no_part_is_smaller_than_asked():
    cells = grow_hierarchies(cells_of(False), None, 5)
    tree = cells.codings[0].hierarchy
    rows = np.bincount(cells.keys[:, 0], weights=cells.sizes)
    for node in range(tree.n_leaves, tree.n_nodes):
        assert rows[tree.start[node] : tree.stop[node]].sum() >= 5
    assert [str(label) for label in tree.labels[: tree.n_leaves]] == list("12345678")


def test_a_table_whose_columns_all_have_one_is_left_alone():
    cells = grow_hierarchies(cells_of(False), None, 2)
    assert grow_hierarchies(cells, None, 2) is cells
