"""Random small tables with public and private columns, for brute force."""

import numpy as np
from hypothesis import strategies as st

from shoal.schema import Schema

TREE = {"ab": ["a", "b"], "cd": ["c", "d"]}


@st.composite
def tables(draw, *, missing=True, kinds=("flat", "tree", "number")):
    """Rows as lists, classes, and the schema; columns are named x0, x1, ..."""
    n_rows = draw(st.integers(6, 36))
    n_columns = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns, schema = [], {}
    for place in range(n_columns):
        kind = draw(st.sampled_from(kinds))
        public = draw(st.sampled_from([True, True, False]))
        described = {"role": "quasi-identifier" if public else "sensitive"}
        if kind == "number":
            described["kind"] = "numeric"
            values = rng.integers(0, 6, n_rows).astype(float).tolist()
        else:
            if kind == "tree":
                described["hierarchy"] = {"tree": TREE}
            values = rng.choice(list("abcd"), n_rows, p=[0.5, 0.2, 0.2, 0.1]).tolist()
        if missing and draw(st.integers(0, 3)) == 0:
            values = [None if rng.random() < 0.2 else value for value in values]
        columns.append(values)
        schema[f"x{place}"] = described
    # classes depend on the columns, so that there is something to learn
    score = sum(np.array([hash(str(v)) % 7 for v in column]) for column in columns)
    classes = (score + rng.integers(0, 4, n_rows) > np.median(score) + 1).astype(int)
    classes[:2] = [0, 1]
    public_class = draw(st.booleans())
    role = "quasi-identifier" if public_class else "sensitive"
    schema["class"] = {"role": role, "target": True}
    rows = [list(row) for row in zip(*columns, strict=True)]
    return rows, classes, Schema(schema)


def as_array(rows):
    table = np.empty((len(rows), len(rows[0])), object)
    for place, row in enumerate(rows):
        table[place] = row
    return table
