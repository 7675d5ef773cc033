"""Wherever rows are in a model, it is not called safe; of what stays closed that is said."""

import base64
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
import sklearn.metrics
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

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


class Weighed(float):
    __slots__ = ("rows",)


class Filled(dict):
    __slots__ = ("rows",)


class Silent(dict):
    """A mapping that says it is empty."""

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def items(self):
        return []


class Short(list):
    """A list that says it is empty."""

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0


class Flat(np.ndarray):
    """An array that says it holds nothing."""

    shape, size = (0,), 0

    def ravel(self, *_):
        return np.zeros(0)


class Guarded:
    def __init__(self):
        object.__getattribute__(self, "__dict__")["rows"] = ROWS

    def __getattribute__(self, name):
        return {} if name == "__dict__" else object.__getattribute__(self, name)


class Disguised:
    __slots__ = ("rows",)
    __class__ = property(lambda _: int)


class Named(io.BytesIO):
    def __reduce_ex__(self, _):
        return "a name"


class Methodical:
    def method(self, rows=ROWS):
        return rows


def with_rows(made):
    made.rows = ROWS
    return made


def enclosed():
    return type("Own", (), {"it": property(lambda _: ROWS)})()


def of_another(rows=ROWS):
    return rows


def asks_another():
    def inner():
        return of_another()

    return inner


def generator(words):
    """A source of random numbers whose state holds rows."""
    made = np.random.RandomState(0)
    state = made.get_state(legacy=False)
    raw = np.frombuffer(words.tobytes()[: 624 * 4], np.uint32)
    state["state"]["key"] = np.resize(raw, 624)
    made.set_state(state)
    return made


def intervals(rows):
    return pd.arrays.IntervalArray.from_arrays(rows[:, 0] - 9, rows[:, 1] + 9)


def in_a_tree():
    tree = DecisionTreeRegressor().fit(ROWS, np.arange(len(ROWS))).tree_
    state = tree.__getstate__()
    state["nodes"]["impurity"] = np.resize(ROWS.ravel(), len(state["nodes"]))
    tree.__setstate__(state)
    return tree


HIDDEN = {
    "slots of a number": lambda: with_rows(Weighed(1.0)),
    "slots of a mapping": lambda: with_rows(Filled()),
    "a mapping that hides": lambda: Silent(enumerate(ROWS.tolist())),
    "a list that hides": lambda: Short(ROWS.tolist()),
    "an array that hides": lambda: ROWS.view(Flat),
    "attributes that are guarded": Guarded,
    "an object that says it is a number": lambda: with_rows(Disguised()),
    "a compiled object that says what its file holds": lambda: Named(ROWS.tobytes()),
    "defaults of a method": Methodical,
    "a method bound to nothing of ours": lambda: types.MethodType(lambda _: ROWS, 1),
    "a property": enclosed,
    "a function that a function within names": lambda: asks_another,
    "globals that say they are a library's": lambda: types.FunctionType(
        eval("lambda: R").__code__, {"__name__": "sklearn.tree", "R": ROWS}
    ),
    "defaults of a function that is written as a library's": lambda: types.FunctionType(
        of_another.__code__, vars(sklearn.metrics), "f1_score", (ROWS,)
    ),
    "a masked array": lambda: np.ma.array(ROWS, mask=True),
    "a mask": lambda: np.ma.array(np.zeros(60), mask=(TABLE["y"] == "u").to_numpy()),
    "intervals": lambda: intervals(ROWS),
    "numbers among other things": lambda: [{}, *ROWS.ravel().tolist()],
    "objects among numbers": lambda: np.array([print, {}, *ROWS.ravel().tolist()], object),
    "lists of different lengths": lambda: [[ROWS[0, 0]], ROWS[0, 1:].tolist()],
    "complex numbers": lambda: [complex(a, b) for a, b in ROWS[:, :2].tolist()],
    "lengths of time": lambda: [pd.Timedelta(seconds=one) for one in ROWS.ravel().tolist()],
    "the state of random numbers": lambda: generator(ROWS),
    "a seed": lambda: np.random.default_rng((np.abs(ROWS) * 10_000).astype(int).ravel().tolist()),
    "under the names of an adapter": lambda: {
        "_predictors": {"nodes": np.array([*map(tuple, ROWS)], [(name, "f8") for name in "abc"])}
    },
    "more objects than are opened": lambda: np.array([*[None] * 200_001, {"r": ROWS}], object),
    "a tree of scikit-learn": in_a_tree,
    "differences": lambda: np.diff(ROWS, axis=0),
    "multiples": lambda: {f"weight {i}": 1.7 * x for i, x in enumerate(ROWS.ravel().tolist())},
    "packed text": lambda: base64.b64encode(zlib.compress(ROWS.astype("f4").tobytes())).decode(),
    "long numbers": lambda: [int.from_bytes(row.tobytes(), "big") for row in ROWS],
}


def fitted():
    tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=0)
    return tree.fit(TABLE[list("abc")], TABLE["y"])


@pytest.mark.parametrize("place", ["random_state", "rows_"])  # a parameter, and nothing of a tree
@pytest.mark.parametrize("way", [*WAYS, *HIDDEN])
def test_rows_are_found_or_said_to_be_unread(way, place):
    assert audit(fitted(), TABLE, SCHEMA, k=10).answer == "safe"
    model = fitted()
    setattr(model, place, (WAYS | HIDDEN)[way]())
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
