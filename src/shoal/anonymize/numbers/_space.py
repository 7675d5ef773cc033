"""Cells as points, so that distances between them are what microaggregation loses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.typing import Codes, Floats

MOST_SIDES = 32
"""Values, or nodes of a level, that get a side of space each."""


def make_space(cells: FrequencyTable, codings: Sequence[Coding], weights: Floats) -> Floats:
    """A point for each cell, shape (n_cells, n_sides); every column spreads as its weight says.

    Numbers, dates and ranks are one side; values of other columns, and a missing value, have a side
    each, so that two different ones are equally far apart, and level by level where the column has
    a hierarchy: values under one node are nearer.  The sum of squares around the mean of each
    column, over all rows, is its weight times the rows.

    Examples
    --------
    >>> from shoal.schema import Schema
    >>> from shoal.tables import open_table
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> cells = open_table({"age": [30, 40]}).compress(schema).cells
    >>> make_space(cells, cells.codings, np.ones(1)).ravel().tolist()
    [-1.0, 1.0]
    """
    sides: list[Floats] = []
    for column, (coding, weight) in enumerate(zip(codings, weights, strict=True)):
        own = [part[cells.keys[:, column]] for part in _sides(coding)]
        if own:
            sides.append(_scaled(np.concatenate(own, axis=1), cells, float(weight)))
    if not sides:
        return np.zeros((cells.n_groups, 1))
    return np.ascontiguousarray(np.concatenate(sides, axis=1))


def _sides(coding: Coding) -> Iterator[Floats]:
    """Places of the codes: arrays of shape (n_codes, sides)."""
    known = ~np.isnan(coding.numbers)
    if coding.missing >= 0:
        known[coding.missing] = False
        yield np.eye(1, coding.n_codes, coding.missing).T  # equally far from all values
    if coding.kind != "categorical" and known.any():
        numbers = coding.numbers
        with np.errstate(over="ignore", invalid="ignore"):
            width = numbers[known].max() - numbers[known].min()
        if not np.isfinite(width):  # numbers that are too far apart are placed by their order
            numbers, width = np.arange(coding.n_codes, dtype=np.float64), float(coding.n_codes)
        position = np.where(known, (numbers - numbers[known].min()) / (width or 1.0), 0.0)
        yield position[:, None]
    else:
        yield from _levels(coding)


def _levels(coding: Coding) -> Iterator[Floats]:
    codes = np.arange(coding.n_codes, dtype=np.int32)
    tree = coding.hierarchy
    levels: list[Codes] = [codes]
    if tree is not None:
        levels += [tree.levels[:, level] for level in range(1, tree.n_levels - 1)]
    has_levels = False
    for nodes in levels:
        _, number = np.unique(nodes, return_inverse=True)
        if number.max(initial=0) < MOST_SIDES:
            has_levels = True
            yield np.eye(int(number.max(initial=0)) + 1)[number.ravel()]
    if not has_levels:  # so many values that only their order is kept
        yield (codes / max(1, len(codes) - 1))[:, None]


def _scaled(points: Floats, cells: FrequencyTable, weight: float) -> Floats:
    rows = cells.sizes.astype(np.float64)
    total = max(rows.sum(), 1.0)
    centred = points - (rows @ points) / total
    spread = float((rows @ centred**2).sum()) / total
    return np.asarray(centred * np.sqrt(weight / spread) if spread > 0 else centred * 0.0)
