"""Whether parts fitted without a target equal those of the table, everybody counted once.

Means and quantiles that were taken with weights tell sums of these, and weights may be private.
Encoders and clusterings are fitted again where nothing else tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing  # documented, in spite of its name

from shoal.audit._foreign import is_of_library
from shoal.typing import Floats

WEIGHABLE = {
    "StandardScaler": ("mean_", "var_", "n_samples_seen_"),
    "KBinsDiscretizer": ("bin_edges_",),
}
"""Encoders that take weights of rows, and what they keep of them."""
CLOSE = 1e-9
MOST_WORK = 2e9
"""Distances up to which clusters are found again: rows times columns times clusters."""


def uneven_encoders(before: Any, rows: Any) -> tuple[str, ...]:
    """Encoders that say of these rows something else than when they are fitted to them again."""
    if before is None:
        return ()
    kinds = dict.fromkeys(type(step).__name__ for step in _uneven_steps(before, rows))
    return tuple(
        f"numbers of {kind}, to which people do not count alike: it was fitted with weights, or to "
        "another table"
        for kind in kinds
    )


def _uneven_steps(step: Any, rows: Any) -> Iterator[Any]:
    """Encoders at any depth that are not those of the rows that reach them."""
    kind = type(step).__name__
    if kind in WEIGHABLE and not _is_again(step, rows, WEIGHABLE[kind]):
        yield step
    for part, own in _parts(step, kind, rows):
        yield from _uneven_steps(part, own)


def _parts(step: Any, kind: str, rows: Any) -> Iterator[tuple[Any, Any]]:
    """Encoders within an encoder, each with the rows that it gets."""
    if kind == "Pipeline":
        for _, part in step.steps:
            if not isinstance(part, str | None):
                yield part, rows
                rows = part.transform(rows)
    elif kind == "FeatureUnion":
        yield from ((part, rows) for _, part in step.transformer_list)
    elif kind == "ColumnTransformer":
        for name, part, _ in step.transformers_:
            own = step._transformer_to_input_indices[name]
            yield part, _safe_indexing(rows, own, axis=1)


def _is_again(step: Any, rows: Any, names: tuple[str, ...]) -> bool:
    if not is_of_library(type(step), ("sklearn",)):
        return False
    try:
        again = clone(step).fit(rows)
    except (TypeError, ValueError):  # fitted to rows that it does not take
        return False
    return all(_is_same(getattr(again, name), getattr(step, name)) for name in names)


def _is_same(mine: Any, theirs: Any) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    if isinstance(mine, np.ndarray) and mine.dtype == object:
        return len(mine) == len(theirs) and all(map(_is_same, mine, theirs))
    mine, theirs = np.asarray(mine, np.float64), np.asarray(theirs, np.float64)
    if mine.shape != theirs.shape:
        return mine.ndim == 0 and bool((theirs == mine).all())  # counts by column
    return bool(np.allclose(mine, theirs, rtol=CLOSE, atol=CLOSE, equal_nan=True))


def finds_again(model: Any, matrix: Floats) -> bool:
    """Whether a clustering of a fixed seed finds the same centroids again."""
    seed, start = getattr(model, "random_state", None), getattr(model, "init", None)
    n_runs = getattr(model, "n_init", 1)
    work = matrix.size * len(model.cluster_centers_) * (n_runs if isinstance(n_runs, int) else 1)
    is_fixed = isinstance(seed, int | np.integer) and not callable(start)
    if not is_fixed or work > MOST_WORK or not is_of_library(type(model), ("sklearn",)):
        return False
    again = clone(model).fit(matrix)
    return _is_same(again.cluster_centers_, model.cluster_centers_)
