"""One column for the editor of hierarchies: its histogram, its values when revealed, its levels.

Without `reveal` nothing leaves that is of fewer than five rows: no value, no end of the range.
"""

from __future__ import annotations

from math import floor, log10
from typing import Any

import numpy as np

from shoal.errors import ShoalError
from shoal.schema import Column, Hierarchy
from shoal.schema._builders import Auto, Flat
from shoal.schema._text import number, text
from shoal.studio.work._bench import Args, Bench, read_schema
from shoal.studio.work._registered import task
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.typing import Counts, Floats, Progress

FEWEST = 5
"""Rows that a bar stands for at least, until the values are revealed."""
_BARS = 48
_MOST_VALUES = 100_000
_SHOWN = 1_000
_NODES = 40


@task("column")
def look_at_column(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Histogram, values, levels and coverage of one column."""
    progress(0, 0, "looking at the column")
    name, reveal = args["column"], bool(args.get("reveal"))
    engine = bench.relation(args)
    column = read_schema(args)[name]
    values, rows, missing = _values(engine, name)
    shown: dict[str, Any] = {
        "sort": engine.types[name],
        "distinct": len(values),
        "missing": missing,
        "capped": len(values) >= _MOST_VALUES,
        "histogram": None,
        "values": None,
    }
    if engine.types[name] == "number" and values:
        numbers = np.array([number(value) for value in values], np.float64)
        shown["histogram"] = _histogram(numbers, rows, reveal)
    if reveal:
        order = np.argsort(-rows, kind="stable")[:_SHOWN]
        shown["values"] = [[text(values[i]), int(rows[i])] for i in order.tolist()]
    return shown | {"suggested": _suggested(values), "tree": _tree(column, values, rows, reveal)}


def _values(engine: DuckEngine, name: str) -> tuple[list[Any], Counts, int]:
    value = engine.value_sql(name)
    counts = engine.query(
        f"SELECT {value} AS v, count(*) AS n FROM source GROUP BY 1 ORDER BY 1 LIMIT {_MOST_VALUES}"
    ).fetchall()
    missing = sum(n for v, n in counts if v is None)
    there = [(v, n) for v, n in counts if v is not None]
    return [v for v, _ in there], np.array([n for _, n in there], np.int64), int(missing)


def _histogram(numbers: Floats, rows: Counts, reveal: bool) -> dict[str, Any]:
    """Bars of a round width; the ends lie where at least five rows are beyond them."""
    up, down = np.cumsum(rows), np.cumsum(rows[::-1])
    fewest = 1 if reveal else FEWEST
    last = len(numbers) - 1
    low = float(numbers[min(int(np.searchsorted(up, fewest)), last)])
    high = float(numbers[::-1][min(int(np.searchsorted(down, fewest)), last)])
    low, high = min(low, high), max(low, high)
    whole = bool((numbers == np.floor(numbers)).all())
    step = _round_step((high - low) / _BARS, whole)
    first = floor(low / step)
    n_bars = max(1, floor(high / step) - first + 1)
    index = np.clip(np.floor(numbers / step) - first, 0, n_bars - 1).astype(np.int64)
    bars = np.bincount(index, weights=rows, minlength=n_bars).astype(np.int64)
    few = (bars > 0) & (bars < fewest)
    bars[few] = 0
    return {
        "start": first * step, "step": step, "bars": bars.tolist(),
        "few": np.flatnonzero(few).tolist(), "whole": whole,
    }  # fmt: skip


def _round_step(width: float, whole: bool) -> float:
    if width <= 0:
        return 1.0
    size = 10.0 ** floor(log10(width))
    step = next(size * by for by in (1, 2, 2.5, 5, 10) if size * by >= width)
    return float(max(1, round(step))) if whole else step


def _suggested(values: list[Any]) -> Any:
    """What the values alone suggest, as the schema writes it."""
    if not values:
        return "flat"
    recipe = Auto().recipe(values)
    return "flat" if isinstance(recipe, Flat) else recipe.to_toml()


def _tree(column: Column, values: list[Any], rows: Counts, reveal: bool) -> dict[str, Any]:
    """Levels of the hierarchy over the values, and whether it covers them."""
    recipe = column.hierarchy or Auto()
    try:
        tree = recipe if isinstance(recipe, Hierarchy) else recipe.build(values, column="")
    except ShoalError as error:
        return {"error": str(error), "covered": 0, "uncovered": len(values), "levels": []}
    counted = dict(zip(map(text, values), rows.tolist(), strict=True))
    leaves = {label: code for code, label in enumerate(tree.labels[: tree.n_leaves])}
    lost = [value for value in counted if value not in leaves]
    return {
        "error": "",
        "covered": len(counted) - len(lost),
        "uncovered": len(lost),
        "uncovered_rows": sum(counted[value] for value in lost),
        "uncovered_values": lost[:_SHOWN] if reveal else None,
        "levels": _levels(tree, counted, reveal),
    }


def _levels(tree: Hierarchy, counted: dict[Any, int], reveal: bool) -> list[dict[str, Any]]:
    weight = np.array([counted.get(label, 0) for label in tree.labels[: tree.n_leaves]])
    levels = []
    for level in range(1, tree.n_levels):
        nodes = tree.levels[:, level]
        rows = np.bincount(nodes, weights=weight, minlength=tree.n_nodes).astype(np.int64)
        used = np.flatnonzero(rows)
        inner = used[used >= tree.n_leaves]  # a leaf that a short branch repeats is a value
        ordered = inner[np.argsort(tree.start[inner])].tolist()
        seen = [node for node in ordered if reveal or rows[node] >= FEWEST]
        levels.append(
            {
                "groups": len(used),
                "smallest": int(rows[used].min()) if len(used) else 0,
                "nodes": [
                    {"label": tree.labels[node], "rows": int(rows[node])} for node in seen[:_NODES]
                ],
                "more": len(used) - len(seen[:_NODES]),
                "few": len(ordered) - len(seen),
            }
        )
    return [level for n, level in enumerate(levels) if level not in levels[n + 1 :][:1]]
