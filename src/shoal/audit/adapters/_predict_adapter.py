"""Any function of a person seen as spans, by trying what its private columns can be."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import Domain, TrainingTable
from shoal.errors import SchemaError
from shoal.frames._frame import Frame
from shoal.privacy.spans._spans import Bins, Spans
from shoal.schema._text import number
from shoal.tables._frequency import group_keys

BLOCK = 100_000  # rows for one call of predict


class _Asked:
    """A function, and the numbers of the outputs it gave so far."""

    def __init__(self, predict: Callable[[Any], Any], frame: Frame, as_array: bool) -> None:
        self.predict, self.frame, self.as_array = predict, frame, as_array
        self.outputs: dict[str, int] = {}

    def __call__(self, rows: NDArray[np.intp], changed: dict[str, Any]) -> NDArray[np.int64]:
        asked = self.frame.take(rows)
        asked = asked.with_arrays(changed) if changed else asked
        table: Any = asked.native
        if self.as_array:
            table = np.column_stack([asked.numbers(name) for name in asked.names])
        try:
            found = np.asarray(self.predict(table))
        except Exception as error:  # its text may hold somebody's data
            raise SchemaError(
                f"the predict function fails on points of the domain ({type(error).__name__}). "
                "Declare domains with values it knows."
            ) from None
        if len(found) != len(rows):
            raise SchemaError("the predict function does not give one output per row.")
        number_of = self.outputs.setdefault
        return np.array([number_of(repr(one), len(self.outputs)) for one in found.tolist()])


def read_predict(
    predict: Callable[[Any], Any],
    people: TrainingTable,
    *,
    columns: tuple[str, ...] | None = None,
    kind: str = "function",
    as_array: bool = False,
    max_points: int = 10_000,
    random_state: int = 0,
) -> ModelSpans:
    """Spans of a function, trying every combination of private values or a sample of them."""
    names = columns or people.attributes
    used = [name for name in people.private if name in names]
    tried, method = _combinations(people, used, max_points, random_state)
    group, first = _public_groups(people, [name for name in names if name not in used])
    ask = _Asked(predict, people.frame.select(names), as_array)
    blocks = range(0, people.n_rows, BLOCK)
    own = np.concatenate([ask(np.arange(at, min(at + BLOCK, people.n_rows)), {}) for at in blocks])
    found = [np.column_stack([group, own])]  # what is true is possible
    step = max(1, BLOCK // max(1, len(tried)))
    for at in range(0, len(first) if used else 0, step):
        block = np.arange(at, min(at + step, len(first)))
        changed = {
            name: np.array([point[place] for point in tried] * len(block), _dtype(people, name))
            for place, name in enumerate(used)
        }
        given = ask(np.repeat(first[block], len(tried)), changed)
        pairs = np.column_stack([np.repeat(block, len(tried)), given])
        found.append(np.unique(pairs, axis=0))
    reach = np.zeros((len(first), len(ask.outputs)), np.bool_)
    at_group, at_output = np.concatenate(found).T
    reach[at_group, at_output] = True
    bins = Bins.count(tuple(f"output {place}" for place in range(len(ask.outputs))), own)
    spans, span_of_row = Spans.from_reach(reach[group], people.columns)

    def explain(span: int) -> tuple[str, ...]:
        return tuple(bins.names[b] for b in spans.bins_of(span).tolist())

    return ModelSpans(kind, spans, span_of_row, bins, explain, method)


def _public_groups(
    people: TrainingTable, public: list[str]
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Number the rows by their public values, and the first row of each number."""
    coded = [people.frame.factorize(name)[0] for name in public]
    group = np.zeros(people.n_rows, np.int64)
    if coded:
        group = group_keys(np.column_stack(coded) + 1)[0]
    first = np.zeros(int(group.max()) + 1, np.intp)
    first[group[::-1]] = np.arange(people.n_rows)[::-1]
    return group, first


def _dtype(people: TrainingTable, name: str) -> Any:
    return np.float64 if people.frame.types[name] == "number" else object


def _combinations(
    people: TrainingTable, used: list[str], most: int, seed: int
) -> tuple[list[tuple[Any, ...]], str]:
    domains = [people.domains[name] for name in used]
    rng = np.random.default_rng(seed)
    sizes = [len(d.values) + d.has_missing for d in domains]
    if any(d.is_range for d in domains) or prod(sizes) > most:
        drawn = zip(*(_draw(d, most, rng) for d in domains), strict=True)
        method = f"sampled: {most} combinations of private values, drawn with seed {seed}"
        return [*drawn], f"{method}; a span may be larger than found, so breaches may be missed"
    every = [[*d.values, *([None] * d.has_missing)] for d in domains]
    return [*product(*every)], f"exhaustive: {prod(sizes)} combinations of private values"


def _draw(domain: Domain, size: int, rng: np.random.Generator) -> list[Any]:
    if domain.is_range:
        low, high = (number(value) for value in domain.values)
        found: list[Any] = [low, high, *rng.uniform(low, high, max(0, size - 2)).tolist()]
        return [found[place] for place in rng.permutation(size)]
    values = [*domain.values, *([None] * domain.has_missing)]
    return [values[place] for place in rng.integers(0, len(values), size)]
