"""Tables for the trees' tests: random small ones for brute force, mixed ones, the papers'."""

import datetime as dt

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


def people(n=400, seed=0):
    """Columns of every kind; the class follows age and job."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    job = rng.choice(["clerk", "smith", "baker", "judge"], n, p=[0.4, 0.3, 0.2, 0.1])
    size = rng.choice(["small", "middle", "large"], n)
    born = [dt.date(2026, 1, 1) - dt.timedelta(days=int(a) * 365) for a in age]
    debt = rng.normal(0, 1, n).round(2)
    y = np.where((age > 45) ^ (job == "judge") ^ (rng.random(n) < 0.1), "high", "low")
    return {"age": age, "job": job, "size": size, "born": born, "debt": debt}, y


SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "job": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"hands": ["smith", "baker"], "desk": ["clerk", "judge"]}},
        },
        "size": {
            "role": "quasi-identifier",
            "kind": "ordinal",
            "order": ["small", "middle", "large"],
        },
        "born": {"role": "quasi-identifier", "kind": "date"},
        "debt": {"role": "sensitive", "kind": "numeric"},
        "class": {"role": "sensitive", "target": True},
    }
)


ROLES = Schema(
    {
        "marital status": {"role": "quasi-identifier"},
        "sports car": {"role": "sensitive"},
        "risk": {"role": "sensitive", "target": True},
    }
)


def mortgage():
    """The six clients of [FSW06]: Lisa, John, Ben, Laura, Robert, Anna."""
    columns = {
        "marital status": ["Unmarried", "Married", "Married", "Married", "Unmarried", "Unmarried"],
        "sports car": ["Yes", "Yes", "No", "No", "Yes", "No"],
    }
    return columns, np.array(["good", "good", "bad", "bad", "bad", "bad"])


def clients():
    """Table 1 of [FWS08], Anthony to Fiona."""
    yes, no, young, old = "Yes", "No", "Young", "Old"
    columns = {
        "gender": ["Male"] * 6 + ["Female"] * 6,
        "married": [yes, yes, yes, yes, yes, no, no, no, no, yes, yes, yes],
        "age": [*[young] * 3, *[old] * 3, young, old, *[young] * 4],
        "sports car": [yes, no, yes, yes, yes, yes, no, yes, no, no, yes, yes],
    }
    return columns, np.array(["good"] * 4 + ["bad"] * 2 + ["good"] * 2 + ["bad"] * 4)
