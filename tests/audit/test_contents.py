"""Wherever rows are in a model, it is not called safe; of what stays closed that is said."""

import collections
import ctypes
import enum
import functools
import io
import pathlib
import pickle
import types
import zlib
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import audit
from tests.audit.people import roles
from tests.extras import need

pd = need("pandas")
SCHEMA = roles(a="pn", b="pn", c="pn", y="s")
GENERATOR = np.random.default_rng(0)
TABLE = pd.DataFrame(GENERATOR.normal(size=(60, 3)).round(4), columns=list("abc")).assign(
    y=GENERATOR.choice(["u", "v"], 60)
)
ROWS = TABLE[list("abc")].to_numpy()
RISING = np.sort(ROWS, axis=1)[0]  # one row, as if it were a scale


class Slotted:
    __slots__ = ("rows",)


class Plain:
    """An object with attributes, or a class with them."""


def hung(kind, *given):
    """A value of a class of one's own, with the rows as an attribute."""
    own = type("Own", (kind,), {})(*given)
    own.rows = ROWS
    return own


def slotted():
    made = Slotted()
    made.rows = ROWS
    return made


def linked():
    last = None
    for row in ROWS.tolist():
        made = Plain()
        made.a, made.b, made.c, made.next = *row, last
        last = made
    return last


def function(**more):
    def own():
        return None

    vars(own).update(more)
    return own


def annotated():
    own = function()
    own.__annotations__ = {"rows": ROWS}
    return own


def series():
    made = pd.Series([1.0])
    made.attrs["rows"] = ROWS
    return made


def module():
    made = types.ModuleType("json")
    made.rows = ROWS
    return made


WAYS = {
    "slots": slotted,
    "an array's attribute": lambda: np.zeros(3).view(type("Own", (np.ndarray,), {"rows": ROWS})),
    "a dict's attribute": lambda: hung(dict),
    "a list's attribute": lambda: hung(list, [1]),
    "a text's attribute": lambda: hung(str, "x"),
    "a number's attribute": lambda: hung(float, 1.0),
    "a class": lambda: type("Own", (), {"rows": ROWS}),
    "the class of an object": lambda: type("Own", (), {"rows": ROWS})(),
    "members of an enumeration": lambda: enum.Enum(
        "E", {f"r{i}": tuple(ROWS[i]) for i in range(9)}
    ),
    "a module": module,
    "a function's attribute": lambda: function(rows=ROWS),
    "annotations": annotated,
    "constants of a function": lambda: eval(f"lambda: {tuple(map(tuple, ROWS.tolist()))}"),
    "arguments to come": lambda: functools.partial(print, ROWS),
    "attributes of a frame": series,
    "a deque": lambda: collections.deque(ROWS.tolist()),
    "keys": lambda: {tuple(row): 0 for row in ROWS.tolist()},
    "printed keys": lambda: {",".join(map(str, row)): 0 for row in ROWS.tolist()},
    "printed rows": lambda: [f"{a} {b} {c}" for a, b, c in ROWS.tolist()],
    "an iterator": lambda: map(float, ROWS[:, 0].tolist()),
    "fractions": lambda: [[Fraction(x) for x in row] for row in ROWS.tolist()],
    "decimals": lambda: [[Decimal(str(x)) for x in row] for row in ROWS.tolist()],
    "a large number": lambda: int.from_bytes(ROWS.tobytes(), "big"),
    "bytes of C": lambda: (ctypes.c_double * ROWS.size)(*ROWS.ravel()),
    "a file in memory": lambda: io.BytesIO(ROWS.tobytes()),
    "a path": lambda: pathlib.Path(TABLE.to_csv()),
    "packed": lambda: zlib.compress(pickle.dumps(ROWS)),
    "an error": lambda: ValueError(ROWS),
    "fields": lambda: np.array([*map(tuple, ROWS)], [("a", "f8"), ("b", "f8"), ("c", "f8")]),
    "a type's metadata": lambda: np.zeros(4, np.dtype("f8", metadata={"rows": ROWS})),
    "objects one behind another": linked,
    "one person's numbers by name": lambda: dict(zip("abc", ROWS[7].tolist(), strict=True)),
}


def fitted():
    tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    return tree.fit(TABLE[list("abc")], TABLE["y"])


@pytest.mark.parametrize("place", ["random_state", "rows_"])  # a parameter, and nothing of a tree
@pytest.mark.parametrize("way", WAYS)
def test_rows_are_found_or_said_to_be_unread(way, place):
    assert audit(fitted(), TABLE, SCHEMA, k=10).answer == "safe"
    model = fitted()
    setattr(model, place, WAYS[way]())
    assert audit(model, TABLE, SCHEMA, k=10).answer != "safe"


def test_what_is_hung_on_a_model_may_be_anything():
    model = fitted()
    vars(model).update(note_="trained in spring", threshold_=0.5)
    assert audit(model, TABLE, SCHEMA, k=10).answer == "safe"
    vars(model).update(steps_between_=np.diff(ROWS, axis=0))
    found = audit(model, TABLE, SCHEMA, k=10)
    assert found.answer == "cannot tell"
    assert any("steps_between_" in said for said in found.unread)


def test_a_rising_row_is_no_scale():
    table = TABLE.assign(**dict(zip("abc", np.sort(ROWS, axis=1).T, strict=True)))
    model = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    model.fit(table[list("abc")], table["y"])
    model.random_state = RISING.tolist()
    assert audit(model, table, SCHEMA, k=10).answer == "unsafe"


@pytest.mark.parametrize("model", [LogisticRegression(), fitted()])
def test_pipelines_of_pipelines_are_opened(model):
    inner = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), model))
    inner.fit(TABLE[list("abc")], TABLE["y"])
    inner.steps[1][1].steps[0][1].copy = {"rows": ROWS.tolist()}
    assert audit(inner, TABLE, SCHEMA, k=10).answer != "safe"
