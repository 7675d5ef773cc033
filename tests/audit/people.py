"""Random people for audits, the whole domain of a model, and what an audit has to agree with."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from shoal.schema import Schema
from tests.extras import need
from tests.reference.spans import groups_with_class

pd = need("pandas")

MORTGAGE = {
    "marital": ["Unmarried", "Married", "Married", "Married", "Unmarried", "Unmarried"],
    "car": ["Yes", "Yes", "No", "No", "Yes", "No"],
    "risk": ["good", "good", "bad", "bad", "bad", "bad"],
}


def roles(**of):
    """A schema from roles: p for public, s for sensitive; the last is the target."""
    names = list(of)
    return Schema(
        {
            name: {
                "role": "sensitive" if of[name][0] == "s" else "quasi-identifier",
                "kind": "numeric" if of[name].endswith("n") else "categorical",
                **({"target": True} if name == names[-1] else {}),
            }
            for name in names
        }
    )


def numeric(**roles):
    """A schema of numbers, from the role of each column."""
    return Schema({name: {"role": role, "kind": "numeric"} for name, role in roles.items()})


def random_points(seed, n=40):
    """Columns a, b and c of normal numbers."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))


@dataclass
class Case:
    """People, what is private about them, and points enough to try all that a model can do."""

    table: object
    schema: object
    domains: dict
    class_is_private: bool

    def expected(self, apply, class_is_told=True):
        """Rows of each span by the definition; `apply` gives an output for each row of a frame."""
        columns = [name for name in self.table if name != "y"]
        rows = self.table[columns].to_dict("records")
        points = {}
        for row in rows:
            for values in product(*self.domains.values()):
                point = row | dict(zip(self.domains, values, strict=True))
                points.setdefault(_key(point), point)
        asked = pd.DataFrame(list(points.values()))
        for name in columns:
            asked[name] = asked[name].astype(self.table[name].dtype)
        said = dict(zip(points, map(str, np.asarray(apply(asked)).tolist()), strict=True))
        told = class_is_told and not self.class_is_private
        classes = self.table["y"].tolist() if told else [None] * len(rows)
        return groups_with_class(lambda row: said[_key(row)], rows, self.domains, classes)

    def check(self, found, apply, n_classes=2):
        """Hold an audit against the definition: groups, single classes, breaches, safe k."""
        hidden = self.class_is_private and n_classes > 1
        expected = self.expected(apply, class_is_told=n_classes > 1)
        got = {}
        for row, span in enumerate(found.span_of_row.tolist()):
            got.setdefault(span, []).append(row)
        assert sorted(got.values()) == sorted(expected.values())
        sizes = []
        for (reached, _), rows in expected.items():
            single = len(reached) == 1 and not hidden
            assert found.spans.is_single[found.span_of_row[rows[0]]] == single
            sizes += [] if single else [len(rows)]
        assert found.safe_k == min(sizes, default=found.n_rows)
        small = sorted(size for size in sizes if size < found.k)
        assert sorted(breach.rows for breach in found.breaches) == small
        assert (found.answer == "unsafe") == bool(small)
        assert found.is_safe == (not small and not found.unread)


def _key(row):
    return tuple(None if value != value else value for value in row.values())


def random_people(seed, *, missing=False, whole=False):
    """Columns a to d, numbers and categories, one to three of them private, and a class.

    With `missing` the numbers have gaps; with `whole` all columns are numbers.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    table = pd.DataFrame(
        {
            "a": rng.integers(0, 4, n).astype(float),
            "b": rng.integers(0, 3, n).astype(float) if whole else rng.choice(list("xyz"), n),
            "c": rng.integers(-2, 3, n).astype(float),
            "d": rng.integers(0, 5, n).astype(float) if whole else rng.choice(list("uvw"), n),
        }
    )
    if missing:
        for name in "ac":
            table.loc[rng.random(n) < 0.2, name] = np.nan
    table["y"] = rng.integers(0, 2, n)
    table.loc[:1, "y"] = [0, 1]
    numbers = "abcd" if whole else "ac"
    hidden = set(rng.permutation(list("abcd"))[: rng.integers(1, 4)].tolist())
    kinds = {name: "n" if name in numbers else "" for name in "abcd"}
    schema = {name: ("s" if name in hidden else "p") + kinds[name] for name in "abcd"}
    class_is_private = bool(rng.integers(0, 2))
    schema["y"] = "s" if class_is_private else "p"
    domains = {}
    for name in sorted(hidden):
        values = sorted(table[name].dropna().unique().tolist())
        if name in numbers:  # thresholds lie at multiples of a half or beside: so do these points
            values = np.arange(min(values), max(values) + 0.1, 0.5).tolist()
        domains[name] = values + [np.nan] * bool(table[name].isna().any())
    return Case(table, roles(**schema), domains, class_is_private)
