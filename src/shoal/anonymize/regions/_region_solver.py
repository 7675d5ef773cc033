"""One region solved: the same search as for a whole table, on the cells of its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.anonymize._anonymizer import Anonymizer, no_progress
from shoal.anonymize._recoding import Recoding
from shoal.anonymize.regions._figures import region_figures
from shoal.anonymize.regions._within_whole import WithinWhole
from shoal.errors import GuaranteeError
from shoal.judge._labels import LabelReader
from shoal.judge._proofs import unproven_pairs
from shoal.judge._text_table import TextColumn
from shoal.privacy import PrivacyModel
from shoal.privacy._model import All
from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._frequency import assemble
from shoal.tables._recoded import SUPPRESSED, Recoded
from shoal.tables.engines.regions._region_rows import SolvedRows
from shoal.typing import Codes, Counts


@dataclass(frozen=True, eq=False)
class RegionSolver:
    """What a worker needs to solve any region; it is sent there once.

    Nothing in it depends on the region or on the worker, and no search of ours draws at random, so
    whoever solves a region again gets the same labels.

    Parameters
    ----------
    estimator : Anonymizer
        The method, with its parameters; not fitted.
    privacy : PrivacyModel
        Bound to the schema; parts that compare groups with the whole table hold its figures.
    codings, counted : Coding of each quasi-identifier, and of each counted column by name
        The same for all regions.
    value_counts : tuple of ndarray
        Rows of the whole table with each code, for every quasi-identifier.
    recoding : Recoding, optional
        The recoding of the whole table; without it every region is searched.
    """

    estimator: Anonymizer
    privacy: PrivacyModel
    codings: tuple[Coding, ...] = field(repr=False)
    counted: Mapping[str, Coding] = field(repr=False)
    value_counts: tuple[Counts, ...] = field(repr=False)
    recoding: Recoding | None = field(default=None, repr=False)

    @property
    def groups_stand_alone(self) -> bool:
        """Whether the groups of one region keep the promise, and not only those of all."""
        return self.recoding is None

    def __call__(self, keys: Codes, counted: Mapping[str, Codes]) -> SolvedRows:
        """Labels of the rows of a region."""
        entries = {name: (self.counted[name], codes) for name, codes in counted.items()}
        # most rows of large tables differ: with counts given, they are sorted instead of hashed
        ones = np.ones(len(keys), np.int64)
        cells, cell_of = assemble(self.codings, keys, entries, ones)
        recoding = self.recoding
        if recoding is None:
            estimator = self._with_its_time(len(keys))
            recoding = estimator._solve(cells, self.privacy, no_progress)
        recoded = recoding.recode(cells)
        if self.groups_stand_alone:
            _require_promise(recoded, self.privacy)
        written = [_used(recoded, column) for column in range(keys.shape[1])]
        _require_cover(recoded, written, self.estimator.schema)
        figures = region_figures(recoded, self.value_counts)
        labels = np.column_stack([column.codes for column in written])
        texts = tuple(column.texts for column in written)
        return SolvedRows(recoded.group_of[cell_of], labels, texts, figures)

    def _with_its_time(self, n_rows: int) -> Anonymizer:
        """The method, with the region's share of the time limit: its share of the rows."""
        limit = getattr(self.estimator, "time_limit", None)
        if limit is None:
            return self.estimator
        own: Any = copy(self.estimator)
        own.time_limit = limit * n_rows / max(1, int(self.value_counts[0].sum()))
        return own


def with_whole(privacy: PrivacyModel, whole: FrequencyTable) -> PrivacyModel:
    """The model for groups of a region: parts that compare them with the whole get its figures."""
    models = privacy.models if isinstance(privacy, All) else (privacy,)
    settled = [
        model if model.judges_groups_alone else WithinWhole(model, whole) for model in models
    ]
    return settled[0] if len(settled) == 1 else All(tuple(settled))


def _used(recoded: Recoded, column: int) -> TextColumn:
    """The label of each group in a column; texts that no group has are left out."""
    codes, texts = recoded.codes[:, column], recoded.labels[column].texts
    is_used = np.zeros(len(texts), np.bool_)
    is_used[codes] = True
    number = np.cumsum(is_used, dtype=np.int32) - 1
    return TextColumn(number[codes], tuple(texts[code] for code in np.flatnonzero(is_used)))


def _require_promise(recoded: Recoded, privacy: PrivacyModel) -> None:
    """Raise unless every group of a region keeps the promise: in the output it can be told apart.

    Two regions may release groups alike.  The judge of the output sees one group then, and a reader
    sees from the order of rows that they were two.
    """
    if not privacy.holds(recoded.groups).all():
        raise GuaranteeError(
            f"groups of a region break the promise: {privacy.describe()}. Nothing is released; "
            "please report this defect."
        )


def _require_cover(recoded: Recoded, written: Sequence[TextColumn], schema: Schema) -> None:
    """Raise unless every label is true of every value behind it, as the judge reads labels."""
    kept = recoded.group_of != SUPPRESSED
    group_of = recoded.group_of[kept]
    for column, groups in enumerate(written):
        coding = recoded.labels[column].coding
        reader = reader_of(coding, schema)
        codes = recoded.cells.keys[kept, column]
        is_met = np.zeros(coding.n_codes, np.bool_)
        is_met[codes] = True
        number = np.cumsum(is_met, dtype=np.int32) - 1
        texts = tuple(coding.texts[code] for code in np.flatnonzero(is_met).tolist())
        own = TextColumn(number[codes], texts)
        rows = TextColumn(groups.codes[group_of], groups.texts)
        for label, value in unproven_pairs(reader, rows, own, own.codes):
            if not reader.covers(groups.texts[label], own.texts[value]):
                raise GuaranteeError(
                    f"column {coding.name!r}: rows of a region have labels that do not cover the "
                    "value behind them. Nothing is released; please report this defect."
                )


def reader_of(coding: Coding, schema: Schema) -> LabelReader:
    """How the judge reads the labels of a column."""
    tree = coding.hierarchy
    return LabelReader(
        coding.kind,
        schema[coding.name].order or (),
        () if tree is None else tree.labels,
        () if tree is None else tree.parent.tolist(),
    )
