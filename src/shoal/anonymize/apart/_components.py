"""Requirements for methods that form groups over all columns they are given.

Columns are tied together when one requirement names both.  Sets of columns that nothing ties
together are independent: rows that agree on the columns of a requirement agree on columns of one
such set, so a recoding of each set that keeps its own requirements keeps all of them, however the
recodings are joined.  Columns that no requirement names are released as they are.

A set that several requirements overlap in is searched with ever larger groups over its columns,
until each requirement holds; groups in which all of them hold at once always do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

import numpy as np

from shoal.anonymize._ladder import climb, keeps
from shoal.anonymize._recoding import CutRecoding, Recoding
from shoal.anonymize.apart._joined_recoding import JoinedRecoding
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.privacy import KAnonymity, PrivacyModel
from shoal.privacy._projection import project_columns, split_promise
from shoal.privacy.models._requirement import Requirement
from shoal.tables import FrequencyTable
from shoal.tables._recoded import Recoded
from shoal.typing import Progress

Solve = Callable[[FrequencyTable, PrivacyModel, Progress], Recoding]


@dataclass(frozen=True)
class Component:
    """Columns that share a requirement, by number, and the conditions on them."""

    columns: tuple[int, ...]
    asked: PrivacyModel | None


def find_components(privacy: PrivacyModel, names: Sequence[str]) -> list[Component]:
    """Sets of columns that nothing ties together; one set where all are tied."""
    whole, models = split_promise(privacy)
    everything = [Component(tuple(range(len(names))), privacy)]
    if whole is not None or not models:
        return everything
    asked = [one for model in models for one in model.projections(names)]
    root = list(range(len(names)))
    for columns, _ in asked:
        joined = {root[column] for column in columns}
        root = [min(joined) if own in joined else own for own in root]
    if len(set(root)) == 1:
        return everything
    components = []
    for own in sorted(set(root)):
        columns = tuple(column for column, other in enumerate(root) if other == own)
        inside = [
            _asked_of(names, columns, chosen, model)
            for chosen, model in asked
            if set(chosen) <= set(columns)
        ]
        components.append(Component(columns, reduce(and_, inside) if inside else None))
    return components


def note_unnamed(privacy: PrivacyModel, names: Sequence[str]) -> tuple[str, ...]:
    """A note on quasi-identifiers that nothing is asked of."""
    free = [
        names[column]
        for one in find_components(privacy, names)
        if one.asked is None
        for column in one.columns
    ]
    if not free:
        return ()
    return (
        f"no requirement names {', '.join(map(repr, free))}: nothing is promised of those who "
        "know such a column. Name it in one, or ask for a smallest group (k) besides",
    )


def _asked_of(
    names: Sequence[str], columns: tuple[int, ...], chosen: tuple[int, ...], model: PrivacyModel
) -> PrivacyModel:
    """A requirement as it is asked of a component alone."""
    return model if chosen == columns else Requirement(tuple(names[c] for c in chosen), model)


def search_apart(
    solve: Solve, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress
) -> tuple[JoinedRecoding, tuple[str, ...]] | None:
    """Recode every component alone; None where there is one only, or joining them breaks a promise.

    Joining breaks it where rows left out for one component are missing in another.
    """
    components = find_components(privacy, cells.names)
    if len(components) == 1:
        return None
    parts = [_solve(solve, cells, component, progress) for component in components]
    joined = JoinedRecoding(tuple(one.columns for one in components), tuple(parts))
    if not keeps(privacy, joined.recode(cells), None):
        return None
    shown = "; ".join(
        ", ".join(repr(cells.names[column]) for column in one.columns)
        for one in components
        if one.asked is not None
    )
    return joined, (f"columns that no requirement ties together were searched apart: {shown}",)


def _solve(
    solve: Solve, cells: FrequencyTable, component: Component, progress: Progress
) -> Recoding:
    asked = component.asked or KAnonymity(1)
    own, _ = project_columns(cells, component.columns)
    if component.asked is None:
        return _as_they_are(own)
    recodings: list[Recoding] = []

    def attempt(rung: PrivacyModel) -> tuple[Recoded, tuple[str, ...]]:
        recodings.append(solve(own, rung, progress))
        return recodings[-1].recode(own), ()

    climb(asked, asked.rungs(own.n_rows), attempt)
    return recodings[-1]  # what is fitted is of the last attempt


def _as_they_are(cells: FrequencyTable) -> CutRecoding:
    grown = grow_hierarchies(cells, None, 1)
    leaves = [np.arange(c.n_codes, dtype=np.int32) for c in grown.codings]
    return CutRecoding(grown.codings, tuple(leaves), np.empty((0, len(leaves)), np.int32))
