"""Tables like those that a quality has to hold on and that nobody here has.

Four kinds, drawn from a fixed seed: donors (eight columns, every row different, amounts with long
tails), accidents (eight categories of very uneven size), a census sample (18 columns, most
combinations rare), and census questions (18 columns that not everybody is asked, where answers
follow from one another).  Hierarchies are of the usual kind: bands of numbers, digits left off,
regions.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shoal.schema import Schema

Values = NDArray[Any]


class StandIn(NamedTuple):
    """A table and what its columns are."""

    table: pd.DataFrame
    schema: Schema


def donors(n_rows: int = 63_441, seed: int = 0) -> StandIn:
    """Donors of a charity: no two rows are equal."""
    draw = np.random.default_rng(seed)
    n = n_rows + n_rows // 2  # some are drawn twice, and left out
    state = _uneven(draw, 51, 1.1, n)
    area = state * 18 + np.minimum(17, draw.geometric(0.25, n))
    post = area * 100 + np.minimum(99, draw.geometric(0.07, n))
    gifts = 1 + np.minimum(draw.negative_binomial(1.2, 0.11, n), 80)
    usual = np.round(np.exp(draw.normal(2.4, 0.6, n)))
    smallest = np.clip(np.round(usual * draw.uniform(0.2, 1.0, n)), 0, 500).astype(int)
    total = np.clip(np.round(usual * gifts * draw.uniform(0.7, 1.3, n)), 5, 5_000).astype(int)
    age = np.clip(np.round(draw.normal(61, 16, n)), 1, 98).astype(int)
    income = np.clip(np.round(draw.normal(4, 1.9, n) + (usual > 15)), 0, 7).astype(int)
    table = pd.DataFrame({
        "zip": np.char.zfill(post.astype(str), 6),
        "age": age,
        "gender": np.array(["F", "M", "U"])[_uneven(draw, 3, 0.8, n)],
        "income": np.char.add("i", income.astype(str)),
        "state": np.char.add("s", np.char.zfill(state.astype(str), 2)),
        "total": total,
        "gifts": gifts,
        "smallest": smallest,
    })  # fmt: skip
    table = table.drop_duplicates(ignore_index=True).head(n_rows)
    assert len(table) == n_rows, "too many rows are equal"
    return StandIn(table, Schema({
        "zip": _column({"prefix": [2, 3, 4]}),
        "age": _column({"intervals": [5, 10, 20]}, "numeric"),
        "gender": _column(None),
        "income": _column({"tree": {"low": ["i0", "i1", "i2"], "middle": ["i3", "i4", "i5"],
                                    "high": ["i6", "i7"]}}),
        "state": _column(_regions("s", 51, (13,))),
        "total": _column({"intervals": [10, 100, 1000]}, "numeric"),
        "gifts": _column({"intervals": [2, 10, 40]}, "numeric"),
        "smallest": _column({"intervals": [5, 25]}, "numeric"),
    }))  # fmt: skip


def accidents(n_rows: int = 100_937, seed: int = 0) -> StandIn:
    """People in road accidents."""
    draw = np.random.default_rng(seed)
    age = np.where(draw.random(n_rows) < 0.5, draw.normal(24, 8, n_rows),
                   draw.normal(50, 20, n_rows))  # fmt: skip
    person = _uneven(draw, 10, 1.6, n_rows)
    harm = np.where(draw.random(n_rows) < 0.5, _uneven(draw, 8, 1.3, n_rows), person % 8)
    columns = {
        "age": np.clip(np.round(age), 0, 99).astype(int),
        "race": _names("r", _uneven(draw, 20, 1.9, n_rows)),
        "month": _names("m", draw.integers(0, 12, n_rows) * (draw.random(n_rows) < 0.9)),
        "day": _names("d", draw.integers(0, 31, n_rows) * (draw.random(n_rows) < 0.9)),
        "sex": _names("x", (draw.random(n_rows) < 0.31).astype(int)),
        "origin": _names("o", _uneven(draw, 9, 2.2, n_rows)),
        "person": _names("p", person),
        "harm": _names("h", harm),
    }
    return StandIn(pd.DataFrame(columns), Schema({
        "age": _column({"intervals": [5, 10, 20, 40]}, "numeric"),
        "race": _column(_regions("r", 20, (5,))),
        "month": _column(_regions("m", 12, (3, 6))),
        "day": _column(_regions("d", 31, (7, 14))),
        "sex": _column(None),
        "origin": _column(_regions("o", 9, (3,))),
        "person": _column(_regions("p", 10, (3,))),
        "harm": _column(_regions("h", 8, (3,))),
    }))  # fmt: skip


def census_sample(n_rows: int = 208_892, seed: int = 0) -> StandIn:
    """People of a census: 18 columns that hang together, most combinations rare."""
    draw = np.random.default_rng(seed)
    kind = _uneven(draw, 12, 0.9, n_rows)  # a life that explains part of every answer
    age = np.clip(np.round(draw.normal(12 + 6 * kind, 7, n_rows)), 0, 93).astype(int)
    columns: dict[str, Values] = {"age": age}
    shapes: dict[str, Any] = {"age": _column({"intervals": [5, 10, 20, 40]}, "numeric")}
    sizes = (2, 5, 9, 16, 3, 7, 24, 4, 2, 12, 6, 3, 40, 5, 8, 2, 10)
    for number, size in enumerate(sizes):
        usual = draw.integers(0, size, 12)[kind]
        rare = _uneven(draw, size, 1.5, n_rows)
        name = f"a{number:02}"
        columns[name] = _names("v", np.where(draw.random(n_rows) < 0.86, usual, rare))
        shapes[name] = _column(_regions("v", size, (3,) if size < 12 else (4, 12)))
    return StandIn(pd.DataFrame(columns), Schema(shapes))


def census_questions(n_rows: int = 208_892, seed: int = 0) -> StandIn:
    """People of a census whose answers follow from few; 00 stands where a question is not put.

    Regions that a few cuts make are nearly constant in most columns, so Mondrian begins well.
    """
    draw = np.random.default_rng(seed)
    age = np.clip(np.round(draw.gamma(2.6, 14, n_rows)), 0, 93).astype(int)
    works = (draw.random(n_rows) < 0.75) & (age >= 16) & (age < 66)
    columns: dict[str, Values] = {"age": age}
    shapes: dict[str, Any] = {"age": _column({"intervals": [5, 10, 20, 40]}, "numeric")}
    asked = {"all": np.ones(n_rows, np.bool_), "grown": age >= 16, "works": works}
    before = {whom: np.zeros(n_rows, np.int64) for whom in asked}  # their answer before this one
    sizes = (2, 5, 9, 16, 3, 7, 24, 4, 2, 12, 6, 3, 40, 5, 8, 2, 10)
    for number, size in enumerate(sizes):
        whom = ("all", "works", "grown", "works")[number % 4]
        usual = draw.integers(0, size, 1 + max(sizes))[before[whom]]
        rare = _uneven(draw, size, 1.0, n_rows)
        follows = draw.random(n_rows) < (0.9 if number > 3 else 0.0)
        before[whom] = np.where(asked[whom], 1 + np.where(follows, usual, rare), 0)
        columns[f"q{number:02}"] = _names("v", before[whom])
        shapes[f"q{number:02}"] = _column(_regions("v", size + 1, (3,) if size < 12 else (4, 12)))
    return StandIn(pd.DataFrame(columns), Schema(shapes))


STAND_INS: dict[str, Callable[..., StandIn]] = {
    "donors": donors,
    "accidents": accidents,
    "census sample": census_sample,
    "census questions": census_questions,
}


def _uneven(draw: np.random.Generator, n: int, steepness: float, n_rows: int) -> Values:
    """Numbers below `n`, each rarer than the one before."""
    share = 1 / np.arange(1, n + 1) ** steepness
    return draw.choice(n, n_rows, p=share / share.sum())


def _names(letter: str, numbers: Values) -> Values:
    return np.char.add(letter, np.char.zfill(numbers.astype(str), 2))


def _regions(letter: str, n: int, widths: tuple[int, ...]) -> dict[str, Any] | None:
    """Values in runs of each width, runs in wider runs; nothing between where all are few."""
    if n <= max(3, widths[0]):
        return None
    nodes: list[Any] = [(f"{letter}{value:02}", None) for value in range(n)]
    before = 1
    for width in widths:
        step = width // before
        nodes = [
            (f"{letter}{width}-{i:02}", nodes[i : i + step]) for i in range(0, len(nodes), step)
        ]
        before = width
    return {"tree": _tree(nodes)}


def _tree(nodes: list[Any]) -> Any:
    if nodes[0][1] is None:
        return [name for name, _ in nodes]
    return {name: _tree(below) for name, below in nodes}


def _column(hierarchy: dict[str, Any] | None, kind: str | None = None) -> dict[str, Any]:
    column: dict[str, Any] = {"role": "quasi-identifier"}
    if hierarchy is not None:
        column["hierarchy"] = hierarchy
    return column | ({"kind": kind} if kind else {})
