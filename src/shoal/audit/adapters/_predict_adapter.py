"""Any function of a table, by trying what its private columns can be."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from shoal.audit._feature_map import input_columns, split_pipeline
from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import Domain, TrainingTable
from shoal.audit.adapters._adapter import Adapter, AdapterOptions
from shoal.errors import SchemaError, TableError
from shoal.frames._frame import Frame
from shoal.privacy.spans._spans import Bins, Spans
from shoal.schema._text import number
from shoal.tables._frequency import group_keys
from shoal.typing import Flags

BLOCK = 100_000  # rows for one call of predict

Combinations = list[tuple[Any, ...]]


class PredictAdapter(Adapter):
    """A function of a table, or the predict of a model that no other adapter reads."""

    name = "functions, and whatever else can predict"
    knows_its_table = False

    def recognizes(self, model: Any) -> bool:
        """Whether this can be asked for outputs."""
        return callable(model) or hasattr(model, "predict")

    def read(self, model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
        """Spans by the outputs that combinations of private values give."""
        kind, ask = _question(model, table)
        used = [name for name in table.private if name in ask.frame.names]
        tried, method = _combine(table, used, options.max_points, options.random_state)
        public = [name for name in ask.frame.names if name not in used]
        group, first = _public_groups(table, public)
        own = _ask_rows(ask, table.n_rows)
        reach = _ask_domain(ask, table, used, tried, first, np.column_stack([group, own]))
        bins = Bins.count(tuple(f"output {number}" for number in range(len(ask.outputs))), own)
        spans, span_of_row = Spans.from_reach(reach[group], table.columns)

        def explain(span: int) -> tuple[str, ...]:
            return tuple(bins.names[output] for output in spans.bins_of(span).tolist())

        unread = (f"the {kind} was asked, not read: what it keeps of its training is not known",)
        return ModelSpans(kind, spans, span_of_row, bins, explain, method, unread=unread)


class _Question:
    """A function, and the numbers of the outputs it gave so far."""

    def __init__(self, predict: Callable[[Any], Any], frame: Frame, as_array: bool) -> None:
        self.predict, self.frame, self.as_array = predict, frame, as_array
        self.outputs: dict[str, int] = {}

    def __call__(self, rows: NDArray[np.intp], changed: dict[str, Any]) -> NDArray[np.int64]:
        frame = self.frame.take(rows)
        frame = frame.with_arrays(changed) if changed else frame
        asked: Any = frame.native
        if self.as_array:
            asked = np.column_stack([frame.numbers(name) for name in frame.names])
        try:
            given = np.asarray(self.predict(asked))
        except NotFittedError:
            raise TableError(
                "the model is not fitted yet, so it tells nothing. Call fit."
            ) from None
        except Exception as error:  # its text may hold somebody's data
            raise SchemaError(
                f"the predict function fails on points of the domain ({type(error).__name__}). "
                "Declare domains with values it knows."
            ) from None
        if len(given) != len(rows):
            raise SchemaError("the predict function does not give one output per row.")
        number_of = self.outputs.setdefault
        return np.array([number_of(repr(one), len(self.outputs)) for one in given.tolist()])


def _question(model: Any, table: TrainingTable) -> tuple[str, _Question]:
    """What the model is, and how to ask it."""
    if not hasattr(model, "predict"):
        return "function", _Question(model, table.frame.select(table.attributes), False)
    kind = type(split_pipeline(model)[1]).__name__
    frame = table.frame.select(input_columns(model, table))
    return kind, _Question(model.predict, frame, not hasattr(model, "feature_names_in_"))


def _ask_rows(ask: _Question, n_rows: int) -> NDArray[np.int64]:
    """Output of every row as it is."""
    blocks = range(0, n_rows, BLOCK)
    return np.concatenate([ask(np.arange(b, min(b + BLOCK, n_rows)), {}) for b in blocks])


def _ask_domain(
    ask: _Question,
    table: TrainingTable,
    used: list[str],
    tried: Combinations,
    first: NDArray[np.intp],
    seen: NDArray[np.int64],
) -> Flags:
    """Which outputs each group of equal public values can get; those in `seen` for certain."""
    pairs = [seen]
    step = max(1, BLOCK // max(1, len(tried)))
    for start in range(0, len(first) if used else 0, step):
        groups = np.arange(start, min(start + step, len(first)))
        changed = {
            name: np.array([point[column] for point in tried] * len(groups), _dtype(table, name))
            for column, name in enumerate(used)
        }
        given = ask(np.repeat(first[groups], len(tried)), changed)
        both = np.column_stack([np.repeat(groups, len(tried)), given])
        pairs.append(np.unique(both, axis=0))
    reach = np.zeros((len(first), len(ask.outputs)), np.bool_)
    group, output = np.concatenate(pairs).T
    reach[group, output] = True
    return reach


def _public_groups(
    table: TrainingTable, public: list[str]
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Number the rows by their public values, and the first row of each number."""
    coded = [table.frame.factorize(name)[0] for name in public]
    group = np.zeros(table.n_rows, np.int64)
    if coded:
        group = group_keys(np.column_stack(coded) + 1)[0]
    first = np.zeros(int(group.max()) + 1, np.intp)
    first[group[::-1]] = np.arange(table.n_rows)[::-1]
    return group, first


def _dtype(table: TrainingTable, name: str) -> Any:
    return np.float64 if table.frame.types[name] == "number" else object


def _combine(
    table: TrainingTable, used: list[str], most: int, seed: int
) -> tuple[Combinations, str]:
    """Combinations of private values, and how they were chosen."""
    domains = [table.domains[name] for name in used]
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
        # the ends are always among those drawn: extreme values have outputs of their own
        points: list[Any] = [low, high, *rng.uniform(low, high, max(0, size - 2)).tolist()]
        return [points[index] for index in rng.permutation(size)]
    values = [*domain.values, *([None] * domain.has_missing)]
    return [values[index] for index in rng.integers(0, len(values), size)]
