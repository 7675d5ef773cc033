import numpy as np

from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.schema import Schema
from shoal.tables import open_table
from tests.anonymize.people import as_columns


def cells_of(target):
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "town": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive", "target": target},
        }
    )
    rows = [(age, "xyz"[age % 3], "yn"[age > 6]) for age in range(1, 9) for _ in range(2)]
    people = as_columns(rows, ("age", "town", "ill"))
    return open_table(people).compress(schema).cells


def children(tree):
    return {str(tree.labels[node]) for node in tree.children(tree.root)}


def test_halves_without_a_target_and_the_best_gain_with_one():
    age, town = (
        c.hierarchy for c in grow_hierarchies(cells_of(False), None, 2, exact=True).codings
    )
    assert children(age) == {"[1-4]", "[5-8]"}
    assert children(town) == {"x", "y", "z"}
    age, _ = (c.hierarchy for c in grow_hierarchies(cells_of(True), "ill", 2, exact=True).codings)
    assert children(age) == {"[1-6]", "[7-8]"}


def test_no_part_is_smaller_than_asked():
    cells = grow_hierarchies(cells_of(False), None, 5, exact=True)
    tree = cells.codings[0].hierarchy
    rows = np.bincount(cells.keys[:, 0], weights=cells.sizes)
    for node in range(tree.n_leaves, tree.n_nodes):
        assert rows[tree.start[node] : tree.stop[node]].sum() >= 5
    assert [str(label) for label in tree.labels[: tree.n_leaves]] == list("12345678")


def test_a_table_whose_columns_all_have_one_is_left_alone():
    cells = grow_hierarchies(cells_of(False), None, 2, exact=True)
    assert grow_hierarchies(cells, None, 2, exact=True) is cells


def test_bands_between_public_lines_do_not_end_at_values_of_people():
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "dose": {"role": "quasi-identifier", "kind": "numeric", "lines": 7},
            "born": {"role": "quasi-identifier", "kind": "date", "lines": "year"},
        }
    )
    table = {
        "age": [17, 31, 44, 58, 91],
        "dose": [1, 8, 13, 20, 29],
        "born": ["1990-02-12", "1991-03-01", "1995-08-25", "2001-01-02", "2009-12-31"],
    }
    cells = grow_hierarchies(open_table(table).compress(schema).cells, None, 2)
    labels = [set(coding.hierarchy.labels[coding.n_codes : -1]) for coding in cells.codings]
    assert {"[15-19]", "[20-39]", "[80-119]"} <= labels[0]
    assert {"[0-6]", "[7-13]", "[14-27]"} <= labels[1]
    assert labels[2] == {"1990", "1991", "1995", "2001", "2009", "1990s", "2000s"}
