"""Hierarchies for columns that the schema gives none: public lines, or grown from the data.

Here rather than with one method, since every method that generalizes to nodes needs them: the
greedy ones, the lattice, and local recoding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from shoal.anonymize.cuts._cut_column import classes_by_code, rows_by_code
from shoal.anonymize.cuts._growth_kernels import best_split, middle_split
from shoal.errors import HierarchyError
from shoal.schema import Hierarchy
from shoal.schema._band_labels import range_label
from shoal.schema._builders import Intervals, round_widths
from shoal.schema._coding import Coding
from shoal.schema._days import PERIODS, Dates
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.tables import FrequencyTable
from shoal.typing import Floats

Split = Callable[[int, int], int]  # codes low..high: first code of the right part, or -1


def grow_hierarchies(
    cells: FrequencyTable, target: str | None, least: int, *, exact: bool = False
) -> FrequencyTable:
    """Give every column without a hierarchy one of its own.

    Numeric and date columns get bands between public lines.  If `exact`, and always in ordinal
    columns, values are split in two again and again: at the point of best information gain for
    the target, or into halves without one, as long as both parts keep `least` rows; such labels
    end at values of people.  Other columns go straight to the root.
    """
    if all(coding.hierarchy is not None for coding in cells.codings):
        return cells
    codings = []
    for column, coding in enumerate(cells.codings):
        if coding.hierarchy is None:
            if not exact and coding.kind in ("numeric", "date"):
                tree = _public(coding)
            elif coding.is_ordered:
                tree = _grow(coding, _splitter(cells, column, target, least))
            else:
                tree = _flat(coding)
            ceiling = np.full(tree.n_leaves, tree.root, np.int32)
            coding = replace(coding, hierarchy=tree, ceiling=ceiling)
        codings.append(coding)
    return replace(cells, codings=tuple(codings))


def with_root_apart(coding: Coding) -> Coding:
    """The coding, with the tree that names its root otherwise if a value is written like roots.

    All that grow a tree for the column give the root this name, also where rows lack the value.
    """
    if coding.hierarchy is not None or coding.is_ordered or ROOT_LABEL not in coding.texts:
        return coding
    tree = _flat(coding)
    return replace(coding, hierarchy=tree, ceiling=np.full(tree.n_leaves, tree.root, np.int32))


def _public(coding: Coding) -> Hierarchy:
    """Bands of round numbers or periods: their spacing, if the schema is silent, follows the span.

    Of the rows only the order of magnitude between the least and the largest number counts.
    """
    values = [value for value in coding.texts if value is not None]
    numbers = coding.numbers[: len(values)]
    if not len(values) or not np.isfinite(numbers).all():
        return _flat(coding)
    if coding.kind == "date":
        start = PERIODS.index(str(coding.lines or "month"))
        tree = Dates(PERIODS[start:]).build(values, column=coding.name)
    else:
        widths = round_widths(numbers) if coding.lines is None else _widths(coding, numbers)
        if not widths:
            return _flat(coding)
        tree = Intervals(widths).build(values, column=coding.name)
    return tree.with_missing() if coding.missing >= 0 else tree


def _widths(coding: Coding, numbers: Floats) -> tuple[float, ...]:
    """The spacing that the schema gives, and its doubles."""
    assert coding.lines is not None
    first, span = float(coding.lines), float(numbers[-1] - numbers[0])
    n_levels = 1 + max(0, int(np.ceil(np.log2(max(span / first, 1.0)))))
    return tuple(first * 2**level for level in range(n_levels))


def _flat(coding: Coding) -> Hierarchy:
    values = [str(value) for value in coding.texts if value is not None]
    if not values:
        raise HierarchyError(
            f"column {coding.name!r} has no value in any row, so that there is nothing to coarsen. "
            "Leave it out, or call it insensitive."
        )
    tree = Hierarchy.flat(values)
    return tree.with_missing() if coding.missing >= 0 else tree


def _splitter(cells: FrequencyTable, column: int, target: str | None, least: int) -> Split:
    codes, n_codes = cells.keys[:, column], cells.codings[column].n_codes
    if target is None:
        rows = rows_by_code(codes, cells.sizes, n_codes)
        return lambda low, high: middle_split(rows, low, high, least)
    classes = classes_by_code(codes, cells.histograms[target].dense(), n_codes)
    return lambda low, high: best_split(classes, low, high, least)[1]


def _grow(coding: Coding, split: Split) -> Hierarchy:
    """Split the codes as long as `split` can; a part that stays whole is a node over its values."""
    n_values = coding.n_codes - (coding.missing >= 0)
    texts = coding.texts
    parents: dict[str, str] = {}
    todo = [(0, n_values - 1, "*")]
    while todo:
        low, high, name = todo.pop()
        right = split(low, high) if high > low else -1
        if right < 0:
            parents |= {str(texts[code]): name for code in range(low, high + 1)}
            continue
        for first, last in ((low, right - 1), (right, high)):
            label = range_label(texts[first], texts[last])
            parents[label] = name
            if first < last:
                todo.append((first, last, label))
    tree = Hierarchy.from_parents(parents, column=coding.name)
    # leaves in the order of the codes, so that a leaf's number is its code
    order = {str(value): code for code, value in enumerate(texts[:n_values])}
    tree = tree.sorted_by([order[str(label)] for label in tree.labels[: tree.n_leaves]])
    return tree.with_missing() if coding.missing >= 0 else tree
