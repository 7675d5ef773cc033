"""A release of a table that was solved region by region."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from shoal._addresses import is_address
from shoal._atomic import atomic_paths, refuse_existing
from shoal.anonymize._recheck import recheck
from shoal.anonymize._release import _ORDER_NOTES, MADE_WITH, seal_files
from shoal.anonymize._release_files import (
    file_beside,
    publish_files,
    release_files,
)
from shoal.anonymize.bounds._loss_bound import LossBound
from shoal.anonymize.regions._cell_budget import Coarsening
from shoal.anonymize.regions._figures import (
    GroupFigures,
    Totals,
    group_figures,
    metrics_of,
    risk_of,
)
from shoal.anonymize.regions._region_solver import with_whole
from shoal.errors import ParameterError
from shoal.judge._judge import told_by
from shoal.judge._labels import LabelReader
from shoal.judge._values import canonical
from shoal.judge.cluster._judge_cluster import judge_cluster
from shoal.metrics._measure import Metrics
from shoal.metrics._risk import Risk
from shoal.metrics._told_figures import tells_of_few, told_figures
from shoal.privacy import PrivacyModel, check
from shoal.privacy._model import Level
from shoal.schema import Schema
from shoal.schema._coding import Coding
from shoal.schema._schema import published_schema
from shoal.tables import FrequencyTable, RowOptions
from shoal.tables._engine import Witness
from shoal.tables._recoded import Labels, Recoded
from shoal.tables.engines.regions._region_rows import RegionRows
from shoal.typing import Counts, Native, PathText


@dataclass(frozen=True, eq=False)
class RegionalRelease:
    """The release of a table whose regions were solved one by one.

    It reads like a :class:`~shoal.anonymize.Release`.  What it lacks is what would need all cells
    in one place: a recoding for new rows, and a bound on the least possible loss.

    Parameters
    ----------
    method, parameters, schema, privacy, output, notes, seconds
        As for a release.
    rows : RegionRows
        The table, where it is, with the labels of its rows.
    asked : PrivacyModel
        What was asked of every group: `privacy`, or the condition on groups that implies it.
    totals : Totals
        Sums over all regions.
    n_regions : int
        How many there are.
    codings : tuple of Coding
        How labels of the quasi-identifiers are read.
    coarsened : Coarsening or None
        How columns were coarsened before rows were counted; None where regions were searched.

    Notes
    -----
    **Guarantee.**  That of a release.  On one machine the judge reads the written bytes and
    compares every cell with its source.  On a cluster the workers compare every label with the
    values behind it, and the groups of the written files are counted and judged there.
    """

    method: str
    parameters: Mapping[str, Any]
    schema: Schema
    privacy: PrivacyModel
    asked: PrivacyModel
    rows: RegionRows = field(repr=False)
    totals: Totals = field(repr=False)
    n_regions: int
    codings: tuple[Coding, ...] = field(repr=False)
    coarsened: Coarsening | None = None
    output: RowOptions = field(default_factory=RowOptions)
    notes: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def table(self) -> Native:
        """The released rows as a DuckDB relation or a Spark DataFrame; re-checked."""
        table, witness = self.rows.rows(self.output)
        self._judge(table, witness)
        return table

    @property
    def groups(self) -> GroupFigures:
        """The released groups, as the judge counted them."""
        if "_groups" not in vars(self):
            _ = self.table
        counted: GroupFigures = vars(self)["_groups"]
        return counted

    @property
    def reached(self) -> tuple[Level, ...]:
        """What the released groups reach with each privacy model."""
        return self.groups.levels

    @property
    def value_counts(self) -> tuple[Counts, ...]:
        """Rows with each value of each quasi-identifier."""
        return tuple(self.rows.columns[name].counts for name in self.schema.quasi_identifiers)

    @cached_property
    def metrics(self) -> Metrics:
        """What was lost."""
        return self._measure(self.groups, is_raw=False)

    @cached_property
    def metrics_before(self) -> Metrics:
        """The same measures of the raw table."""
        return self._measure(self.totals.cells, is_raw=True)

    @cached_property
    def risk(self) -> Risk:
        """What an attacker can still do."""
        return risk_of(self.groups, self.schema.sensitive)

    @cached_property
    def risk_before(self) -> Risk:
        """What an attacker could do with the raw table."""
        return risk_of(self.totals.cells, self.schema.sensitive)

    @property
    def loss_bound(self) -> LossBound:
        """The loss; there is no lower bound, since no place holds all cells."""
        return LossBound(self.metrics.loss, 0.0)

    @property
    def n_suppressed(self) -> int:
        """Rows left out."""
        return self.totals.n_suppressed

    @property
    def n_released(self) -> int:
        """Rows released."""
        return self.totals.n_rows - self.totals.n_suppressed

    def _measure(self, groups: GroupFigures, *, is_raw: bool) -> Metrics:
        names = self.schema.quasi_identifiers
        target = self.schema.target
        return metrics_of(names, self.totals, groups, self.value_counts, target, is_raw=is_raw)

    def to_dict(self) -> dict[str, Any]:
        """The manifest: how the release was made and what it reaches.  Holds no row."""
        return {
            "shoal": "release",
            "version": 1,
            "method": self.method,
            "parameters": dict(self.parameters),
            "regions": self.n_regions,
            "coarsened": None if self.coarsened is None else self.coarsened.to_dict(),
            "privacy": self.privacy.to_dict(),
            "guarantee": self.privacy.describe(),
            "reached": [part.to_dict() for part in self.reached],
            "rows": self.totals.n_rows,
            "released_rows": self.n_released,
            "suppressed_rows": self.n_suppressed,
            "groups": self.metrics.n_groups,
            "counts": "rows",
            **told_figures(
                (self.metrics_before, self.metrics),
                (self.risk_before, self.risk),
                self.totals.lines,
                of_few=tells_of_few(self.n_suppressed, self.privacy.minimum_size),
            ),
            "loss_bound": self.loss_bound.told(),
            "schema": published_schema(self.schema, {}).to_dict(),  # of cells nothing is known here
            "order": self.output.order,
            "form": self.output.form,
            "ranges": [],
            "keep_suppressed": self.output.keep_suppressed,
            "key": None,
            "notes": [*self.notes, *_ORDER_NOTES.get(self.output.order, ())],
            "seconds": {name: round(taken, 4) for name, taken in self.seconds.items()},
            "versions": {
                "python": platform.python_version(),
                **dict(zip(MADE_WITH, map(version, MADE_WITH), strict=True)),
            },
        }

    def write(
        self, path: PathText, *, force: bool = False, publish: PathText | None = None
    ) -> dict[str, Path]:
        """Write the table with its manifest and its schema, all or nothing.

        Parameters
        ----------
        path : path
            The table's file; a folder of Parquet files where the table is in Spark.
        force : bool
            Replace existing files.
        publish : path, optional
            A folder that gets copies of the files that may be published.

        Returns
        -------
        dict
            Paths of "table", "manifest" and "schema".
        """
        if is_address(path):
            raise ParameterError(
                "a release by regions is written to files. Give a path, and load it from there."
            )
        paths = release_files(path)
        outdated = [file_beside(path, "former recoding"), paths.pop("recoding")]
        outdated += [file_beside(path, kind) for kind in ("promise", "seed")]
        if self.schema.listing:
            paths["full schema"] = file_beside(path, "full schema")
        else:
            outdated.append(file_beside(path, "full schema"))
        refuse_existing(paths.values(), force=force)
        private = ("full schema",)
        with atomic_paths(paths, "the release", private=private, outdated=outdated) as drafts:
            witness = self.rows.write(self.output, drafts["table"])
            told = self._judge(self.rows.reopen(drafts["table"]), witness)
            text = None if witness is None else witness.written
            seal_files(drafts, paths, self.schema, self.to_dict(), told, text)
        if publish is not None:
            publish_files(paths["table"], publish, force=force)
        return paths

    def _judge(self, table: Native, witness: Witness | None) -> dict[str, set[str]]:
        """The verdict; what cells say, as far as it was read here and not by workers."""
        told: dict[str, set[str]] = {}
        if witness is None:
            counted = self._judge_there(table)
        else:
            charged = self._charged()
            groups = recheck(table, self.schema, self.privacy, self.output, charged, witness)
            counted = group_figures(groups, check(self.privacy, groups))
            told = told_by(groups)
        vars(self)["_groups"] = counted
        return told

    def _judge_there(self, table: Native) -> GroupFigures:
        """The verdict on rows of a cluster, by its workers."""
        keeps_all = self.output.keep_suppressed or not self.n_suppressed
        expected = {
            name: {
                canonical(text): int(n)
                for text, n in zip(column.coding.texts, column.counts, strict=True)
                if n
            }
            for name, column in self.rows.columns.items()
        }
        readers = {
            coding.name: LabelReader(
                coding.kind,
                labels=() if (tree := coding.hierarchy) is None else tree.labels,
                parents=() if tree is None else tree.parent.tolist(),
                on_lines=self._ends_on_lines,
                step=self.schema[coding.name].lines,
            )
            for coding in self.codings
        }
        held = {name: (own.coding.texts, own.counts) for name, own in self.rows.columns.items()}
        verdict = judge_cluster(
            table,
            self.schema,
            self.totals.n_rows if keeps_all else self.n_released,
            partial(with_whole, self.asked),
            expected if keeps_all else None,  # with rows left out it is not known beforehand
            self.totals.n_groups,
            self.rows.given(),
            {name: (reader, *held[name]) for name, reader in readers.items()},
        )
        return GroupFigures(*verdict)

    @property
    def _ends_on_lines(self) -> bool:
        """Whether ranges are said to end on public lines; nodes are none."""
        return self.parameters.get("ranges") == "lines"

    def _charged(self) -> Recoded:
        """What the judge gets: the number of rows expected, and how to read labels."""
        codings = self.codings
        none = np.zeros((1, len(codings)), np.int32)
        zero = np.zeros(1, np.int32)
        cells = FrequencyTable(codings, none, np.array([self.n_released], np.int64))
        ends = np.zeros((1, 2)) if self._ends_on_lines else None
        labels = tuple(
            Labels(coding, (coding.texts[0],), zero, zero, ends=ends) for coding in codings
        )
        return Recoded(cells, labels, none, np.zeros(1, np.int64))

    def __reduce__(self) -> str:
        raise TypeError(
            "a release is not pickled: it holds the rows that it was made of, and they would leave "
            "the house with it. Write it with write(), and read it with read_release()."
        )

    def __repr__(self) -> str:
        return (
            f"RegionalRelease({self.method}, {self.n_released} rows in {self.n_regions} regions, "
            f"{self.n_suppressed} suppressed)"
        )
