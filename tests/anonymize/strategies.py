"""Small random tables for partitioning: an ordered column, one with a tree, one with neither."""

import duckdb
import numpy as np
from hypothesis import strategies as st

from shoal.schema import Schema
from shoal.tables._frequency import CodingOptions, assemble, code_values
from tests.reference import mondrian as twin

TREE = {"north": ["a", "b", "c"], "south": {"coast": ["d", "e"], "hills": ["f"]}, "g": []}
SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "place": {"role": "quasi-identifier", "hierarchy": {"tree": TREE}},
        "shape": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive", "target": True},
    }
)
PERSON = st.tuples(
    st.sampled_from([20, 21, 23, 30, 40, 60, None]),
    st.sampled_from("abcdefg"),
    st.sampled_from("uvw"),
    st.sampled_from(["yes", "no"]),
)
PEOPLE = st.lists(PERSON, min_size=4, max_size=25)


_CONNECTION = duckdb.connect()
_NAMES = ("age", "place", "shape", "ill")


def frame(people):
    """The people as a table that needs no dataframe library."""
    rows = ", ".join(
        "(" + ", ".join("NULL" if x is None else repr(x) for x in person) + ")" for person in people
    )
    return _CONNECTION.sql(f"SELECT * FROM (VALUES {rows}) AS people({', '.join(_NAMES)})")


def compress(people, schema=SCHEMA):
    """Their cells, without an engine."""
    coded = {}
    for name, values in zip(_NAMES, zip(*people, strict=True), strict=True):
        known = sorted({value for value in values if value is not None})
        options = {"has_missing": None in values, "options": CodingOptions()}
        coding, _ = code_values(name, schema[name], known, **options)
        codes = [coding.code_of[None if v is None else str(v)] for v in values]
        coded[name] = coding, np.array(codes, np.int32)
    keys = np.column_stack([coded[name][1] for name in _NAMES[:3]])
    codings = [coded[name][0] for name in _NAMES[:3]]
    return assemble(codings, keys, {"ill": coded["ill"]})[0]


def twin_columns(cells, wanted=None):
    columns = []
    for coding in cells.codings:
        tree = coding.hierarchy
        columns.append(
            twin.Column(
                coding.n_codes,
                None if tree is None or coding.is_ordered else tree.parent.tolist(),
                coding.numbers.tolist() if coding.kind == "numeric" and tree is None else None,
                coding.missing,
                np.flatnonzero((wanted or {}).get(coding.name, [])),
            )
        )
    return columns


def twin_cells(cells):
    """Cells as (key, rows by class)."""
    dense = cells.histograms["ill"].dense()
    listed = zip(cells.keys.tolist(), dense.tolist(), strict=True)
    return [(tuple(key), tuple(row)) for key, row in listed]
