"""What runs in Spark's workers: the rows of a region in, the same rows with labels out."""
# ruff: noqa: PLC0415  PyArrow is an extra; workers have it

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.errors import GuaranteeError, InfeasibleError, ShoalError
from shoal.tables._engine import STAR
from shoal.tables.engines.regions._region_rows import Solve, SolvedRows
from shoal.typing import Codes

FIGURES = "shoal_figures"
"""Column of what a region says of itself, in one row that has nothing else."""

HIDDEN = "shoal_hidden"
"""Column that says which rows are not released."""


def region_worker(
    solve: Solve,
    columns: Sequence[str],
    quasi: Sequence[str],
    counted: Sequence[str],
    passed: Sequence[str],
) -> Callable[[Any], Any]:
    """A function from the coded rows of a region to its labelled rows, both Arrow tables."""
    at = {name: f"k{i}" for i, name in enumerate(columns)}

    def work(table: Any) -> Any:
        os.environ.setdefault("SHOAL_THREADS", "1")  # a core has a worker of its own
        codes = {name: table.column(at[name]).to_numpy().astype(np.int32) for name in columns}
        keys = np.column_stack([codes[name] for name in quasi])
        try:
            solved = solve(keys, {name: codes[name] for name in counted})
        except InfeasibleError as error:
            said = {"refused": error.model, "required": error.required,
                    "achieved": error.achieved, "hint": error.hint}  # fmt: skip
            return _last_row(said, len(quasi), table.select(passed).schema)
        except ShoalError as error:
            said = {"refused": str(error), "required": None}
            return _last_row(said, len(quasi), table.select(passed).schema)
        return _labelled(solved, table.select(passed))

    return work


def exchange_codes(coarse: Sequence[Codes]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function that exchanges codes of the first columns of Arrow batches for coarse ones."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            columns = list(batch.columns)
            for i, codes in enumerate(coarse):
                columns[i] = pa.array(codes[columns[i].to_numpy()], pa.int32())
            yield pa.RecordBatch.from_arrays(columns, batch.schema.names)

    return work


def raise_refusals(figures: Sequence[Mapping[str, Any]]) -> None:
    """Raise what a worker could not solve."""
    for said in figures:
        if "refused" not in said:
            continue
        if said["required"] is None:
            raise GuaranteeError(said["refused"])
        raise InfeasibleError(
            said["refused"], required=said["required"], achieved=said["achieved"], hint=said["hint"]
        )


def _labelled(solved: SolvedRows, passed: Any) -> Any:
    """Rows with their labels, and behind them the one with figures."""
    import pyarrow as pa

    hidden = solved.labels[:, 0] < 0
    columns: dict[str, Any] = {}
    for i, texts in enumerate(solved.texts):
        known = pa.array([*texts, STAR], pa.string())
        columns[f"l{i}"] = known.take(pa.array(np.where(hidden, len(texts), solved.labels[:, i])))
    for name in passed.column_names:
        columns[name] = passed.column(name)
    columns[HIDDEN] = pa.array(hidden, pa.bool_())
    columns[FIGURES] = pa.nulls(len(hidden), pa.string())
    return pa.concat_tables(
        [pa.table(columns), _last_row(solved.figures, len(solved.texts), passed.schema)]
    )


def _last_row(said: Mapping[str, Any], n_labels: int, passed: Any) -> Any:
    """One row that has nothing but what a region says of itself."""
    import pyarrow as pa

    columns = {f"l{i}": pa.nulls(1, pa.string()) for i in range(n_labels)}
    columns |= {field.name: pa.nulls(1, field.type) for field in passed}
    columns[HIDDEN] = pa.nulls(1, pa.bool_())
    columns[FIGURES] = pa.array([json.dumps(said)], pa.string())
    return pa.table(columns)
