"""What a worker of a cluster does for the judge: counts groups, and asks the promise of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.judge._count import group_rows, histogram
from shoal.judge._text_table import TextColumn, find_pyarrow, of_arrow
from shoal.judge._values import canonical
from shoal.privacy import PrivacyModel, check
from shoal.privacy._model import Level
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram


@dataclass(frozen=True, eq=False)
class GroupJudge:
    """What a worker needs to judge some of the groups.

    Parameters
    ----------
    privacy : PrivacyModel
        The promise about groups, with the figures of the whole.
    quasi : tuple of str
        Names of the quasi-identifiers.
    codes : mapping of str to mapping
        For each counted column, the code of each text in canonical form.
    codings : mapping of str to Coding
        What these codes stand for, in the whole output.
    values : mapping of str to sequence
        For each counted column, its values as they are written, with the code of each.
    """

    privacy: PrivacyModel
    quasi: tuple[str, ...]
    codes: Mapping[str, Mapping[str | None, int]] = field(repr=False)
    codings: Mapping[str, Coding] = field(repr=False)
    values: Mapping[str, Sequence[tuple[Any, int]]] = field(default_factory=dict, repr=False)

    def judge(self, groups: FrequencyTable) -> dict[str, Any]:
        """Figures of some groups, and what they reach."""
        return figures_of(groups, check(self.privacy, groups))

    @property
    def marks(self) -> list[tuple[str, int]]:
        """Every code of every counted column, in the order of what :meth:`of_counts` takes."""
        return [(name, code) for name in self.codes for code in range(self.codings[name].n_codes)]

    def of_counts(self, table: Any) -> FrequencyTable:
        """Groups that Spark has counted, each in a row: its rows, and those with every mark."""
        rows, *marked = (column.to_numpy().astype(np.int64) for column in table.columns)
        histograms = {}
        for name in self.codes:
            own = [column for column, (of, _) in zip(marked, self.marks, strict=True) if of == name]
            counts = np.column_stack(own)
            group, code = np.nonzero(counts)
            start = np.searchsorted(group, np.arange(len(rows) + 1)).astype(np.int64)
            codes = code.astype(np.int32)
            histograms[name] = Histogram(self.codings[name], start, codes, counts[group, code])
        return FrequencyTable((), np.empty((len(rows), 0), np.int32), rows, histograms)

    def count_rows(self, table: Any) -> Any:
        """Groups of some rows, as an Arrow table: labels, rows, and codes with their counts."""
        pyarrow = find_pyarrow()
        texts = of_arrow(table.select([*self._aliases()])).columns
        group_of, first = self._group(texts, table.num_rows)
        sizes = np.bincount(group_of, minlength=len(first)).astype(np.int64)
        labels = table.select([f"q{i}" for i in range(len(self.quasi))]).take(first)
        columns = dict(zip(labels.column_names, labels.columns, strict=True))
        columns["shoal_rows"] = pyarrow.array(sizes)
        for i, name in enumerate(self.codes):
            column = texts[f"s{i}"]
            number = [self.codes[name][canonical(text)] for text in column.texts]
            codes = np.array(number, np.int64)[column.codes]
            counted = histogram(self.codings[name], codes, group_of, len(first))
            start = pyarrow.array(counted.start.astype(np.int32))
            for letter, entries in (("h", counted.codes), ("m", counted.counts.astype(np.int32))):
                columns[f"{letter}{i}"] = pyarrow.ListArray.from_arrays(start, entries)
        return pyarrow.table(columns)

    def count(self, table: Any) -> FrequencyTable:
        """The groups in an Arrow table that :meth:`count_rows` made of several parts."""
        rows = np.asarray(table.column("shoal_rows"), np.int64)
        labels = [f"q{i}" for i in range(len(self.quasi))]
        group_of, first = self._group(of_arrow(table.select(labels)).columns, len(rows))
        sizes = np.bincount(group_of, weights=rows, minlength=len(first)).astype(np.int64)
        histograms = {}
        for i, name in enumerate(self.codes):
            listed = table.column(f"h{i}").combine_chunks()
            counts = table.column(f"m{i}").combine_chunks().flatten().to_numpy().astype(np.int64)
            group = np.repeat(group_of, listed.value_lengths().to_numpy())
            codes = listed.flatten().to_numpy().astype(np.int64)
            histograms[name] = histogram(self.codings[name], codes, group, len(first), counts)
        return FrequencyTable((), np.empty((len(first), 0), np.int32), sizes, histograms)

    def _group(
        self, texts: Mapping[str, TextColumn], n_rows: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return group_rows([texts[f"q{i}"].codes for i in range(len(self.quasi))], n_rows)

    def _aliases(self) -> Iterable[str]:
        yield from (f"q{i}" for i in range(len(self.quasi)))
        yield from (f"s{i}" for i in range(len(self.codes)))


def figures_of(groups: FrequencyTable, levels: Sequence[Level]) -> dict[str, Any]:
    sizes, counts = np.unique(groups.sizes, return_counts=True)
    tops = {}
    for name, counted in groups.histograms.items():
        top = np.zeros(groups.n_groups, np.int64)
        np.maximum.at(top, counted.group_of_entry, counted.counts)
        certain = int(groups.sizes[top == groups.sizes].sum())
        tops[name] = (int(top.sum()), certain, float((top / groups.sizes).max(initial=0.0)))
    return {
        "sizes": [[int(size), int(n)] for size, n in zip(sizes, counts, strict=True)],
        "tops": tops,
        "levels": [[level.reached, level.failing_groups, level.failing_rows] for level in levels],
    }
