"""Tables for the anonymizers' tests: the worked example, and random ones."""

import duckdb

from shoal.schema import Schema

TREES = {
    "Relationship": {"e1": ["a1", "b1"], "f1": ["c1", "d1"]},
    "Race": {"e2": ["a2", "b2"], "f2": ["c2", "d2"]},
    "Workclass": {"a3": [], "b3": [], "g3": {"f3": ["c3", "d3"], "e3": []}},
}
PARENTS = [
    {"a1": "e1", "b1": "e1", "c1": "f1", "d1": "f1", "e1": "*", "f1": "*"},
    {"a2": "e2", "b2": "e2", "c2": "f2", "d2": "f2", "e2": "*", "f2": "*"},
    {"a3": "*", "b3": "*", "g3": "*", "f3": "g3", "e3": "g3", "c3": "f3", "d3": "f3"},
]
LEAVES = [["a1", "b1", "c1", "d1"], ["a2", "b2", "c2", "d2"], ["a3", "b3", "c3", "d3", "e3"]]
SCHEMA = Schema(
    {
        **{
            name: {"role": "quasi-identifier", "hierarchy": {"tree": tree}}
            for name, tree in TREES.items()
        },
        "Class": {"role": "sensitive", "target": True},
    }
)
WORKED = {  # vid: rows of class Y and N
    "c1b2a3": (0, 4),
    "c1b2c3": (0, 4),
    "c1b2d3": (0, 3),
    "c1c2a3": (2, 1),
    "c1c2b3": (2, 2),
    "d1c2b3": (4, 0),
    "d1c2e3": (2, 0),
    "d1d2b3": (2, 1),
    "d1d2e3": (2, 0),
}


def worked_rows():
    """The 29 rows of the paper's figure 1."""
    return [
        (vid[:2], vid[2:4], vid[4:], label)
        for vid, (yes, no) in WORKED.items()
        for label in "Y" * yes + "N" * no
    ]


def relation(rows, names=tuple(SCHEMA)):
    """Rows as a DuckDB relation, which needs no dataframe library."""
    connection = duckdb.connect()
    columns = ", ".join(f'"{name}" VARCHAR' for name in names)
    connection.execute(f"CREATE TABLE people ({columns})")
    connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * len(names))})", rows)
    return connection.sql("FROM people")


def as_columns(rows, names=tuple(SCHEMA)):
    """Rows as plain columns, which are counted in a tenth of a relation's time.

    Every engine counts the same cells (tests/contracts/test_engines.py): methods need not try them.
    """
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def random_rows(rng, n_rows=30):
    """Rows over the leaves of the worked example's hierarchies, with a class."""
    return [
        (*(leaves[rng.integers(len(leaves))] for leaves in LEAVES), "YN"[rng.integers(2)])
        for _ in range(n_rows)
    ]
