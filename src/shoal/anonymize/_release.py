"""What may leave the house, and how it was made."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from shoal._addresses import address_of, is_address, path_of
from shoal._atomic import atomic_paths, refuse_existing
from shoal._notebook import Plot, html_note, html_table, percent, plot_bars
from shoal.anonymize._explain import Explanation, cell_of_row, explain_cell
from shoal.anonymize._recheck import recheck
from shoal.anonymize._recoding import Recoding
from shoal.anonymize._release_files import (
    FileKind,
    digest,
    file_beside,
    publish_files,
    release_files,
    require_file,
)
from shoal.anonymize._subjects import (
    count_exactly,
    count_raw,
    in_rows,
    of_people,
    without_values,
    worst_levels,
)
from shoal.anonymize.bounds._loss_bound import WORK, LossBound, bound_loss
from shoal.errors import ParameterError
from shoal.judge._judge import judge_companions, told_by
from shoal.judge._read_others import read_rows
from shoal.judge._text_table import TextTable
from shoal.metrics import measure, risk
from shoal.metrics._column_risk import ColumnRisk, column_risks
from shoal.metrics._measure import Metrics
from shoal.metrics._risk import Risk
from shoal.metrics._told_figures import line_losses, tells_of_few, told_figures
from shoal.privacy import PrivacyModel, check
from shoal.privacy._model import Level
from shoal.schema import Schema
from shoal.schema._schema import published_schema
from shoal.tables import FrequencyTable, RowOptions
from shoal.tables._dialect import TextDialect
from shoal.tables._engine import STAR, Compressed
from shoal.tables._keyed import fingerprint
from shoal.tables._recoded import Recoded
from shoal.tables.engines._database_store import DatabaseStore, open_store
from shoal.typing import Native, PathText

MADE_WITH = ("shoal", "numpy", "duckdb", "narwhals")
"""Packages whose versions the manifest tells."""

_ORDER_NOTES = {
    "input": ("Rows stand in the order of the input: whoever knows it knows who is who.",),
    "seed": ("The order of the rows comes from a seed: whoever knows the seed can undo it.",),
}


_FORM_NOTES = {
    "midpoints": ("Numbers and dates are middles of labels: nobody need have them.",),
    "draws": ("Numbers and dates are drawn within labels: no row has its own.",),
    "means": (
        "Numbers and dates are rounded means of their group: whoever knows all others of a group "
        "can compute the last one's, to within the step times the rows of the group.",
    ),
}


@dataclass(frozen=True, eq=False)
class Release:
    """A recoded table with everything a recipient or an auditor asks about it.

    Parameters
    ----------
    method : str
        Name of the method.
    parameters : mapping
        Its parameters, as plain values.
    schema : Schema
        What the columns are.
    privacy : PrivacyModel
        What the release promises.
    recoding : Recoding
        How raw values became released ones; applicable to new rows.
    recoded : Recoded
        Cells and groups.
    compressed : Compressed
        The table, still where it was.
    output : RowOptions
        How rows are written.
    notes : tuple of str
        What the user should know: approximations, columns that could not be used.
    seconds : mapping
        Time taken by each phase.

    Notes
    -----
    **Guarantee.**  :attr:`table` and :meth:`write` hand out nothing before the output itself was
    counted again (see :func:`shoal.anonymize.recheck`); a release that fails raises
    :class:`~shoal.errors.GuaranteeError`.

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> release = Mondrian(schema, 2).fit({"age": [31, 34, 52, 58]}).release_
    >>> release
    Release(Mondrian, 4 rows in 2 groups, 0 suppressed)
    >>> release.reached[0].description, release.reached[0].reached
    ('every group has at least 2 rows', 2.0)
    """

    method: str
    parameters: Mapping[str, Any]
    schema: Schema
    privacy: PrivacyModel
    recoding: Recoding
    recoded: Recoded
    compressed: Compressed
    output: RowOptions = field(default_factory=RowOptions)
    notes: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.output.form == "draws":
            object.__setattr__(self, "output", self.output.settled())

    @cached_property
    def table(self) -> Native:
        """The released rows, in the library the table came from; re-checked."""
        if self.output.ranges and self.output.keep_suppressed:
            self._refuse_ranges_of_stars()
        given = self.compressed.rows(self.recoded, self.output)
        recheck(given.table, self.schema, self.privacy, self.output, self.recoded, given.witness)
        return given.table

    @cached_property
    def reached(self) -> tuple[Level, ...]:
        """What the released groups reach with each privacy model."""
        people = self.compressed.people
        if people is not None:
            return worst_levels(self.recoded, people, self.privacy)
        return check(self.privacy, self.privacy.prepare(self.recoded.groups))

    @cached_property
    def counted(self) -> FrequencyTable:
        """The released groups; sizes are distinct people where the schema has a subject."""
        people = self.compressed.people
        return self.recoded.groups if people is None else next(count_exactly(self.recoded, people))

    @cached_property
    def metrics(self) -> Metrics:
        """What was lost."""
        return measure(self.recoded, target=self.schema.target)

    @cached_property
    def loss_bound(self) -> LossBound:
        """The loss, and a lower bound on the loss of any release with groups of this size."""
        is_range = getattr(self.recoding, "is_range", None)
        # a bound takes about as long as the search did
        work = int(WORK * {"long": 5, True: 1}.get(self.parameters.get("refine", False), 0.2))
        return bound_loss(
            self.recoded if self.compressed.people is None else in_rows(self.recoded),
            self.privacy.minimum_size,
            is_range,
            exact=getattr(self.recoding, "exact", True),
            work=work,
        )

    @cached_property
    def metrics_before(self) -> Metrics:
        """The same measures of the raw table."""
        return measure(self.recoded.cells, target=self.schema.target)

    @cached_property
    def risk(self) -> Risk:
        """What an attacker can still do."""
        return risk(self.counted, sensitive=self.schema.sensitive)

    @cached_property
    def risk_before(self) -> Risk:
        """What an attacker could do with the raw table."""
        people, cells = self.compressed.people, self.recoded.cells
        raw = cells if people is None else count_raw(cells, people)
        return risk(raw, sensitive=self.schema.sensitive)

    @cached_property
    def column_risks(self) -> tuple[ColumnRisk, ...]:
        """Risk from an attacker who knows only the columns that the promise names."""
        return column_risks(self.recoded.groups, self.privacy)

    @property
    def n_suppressed(self) -> int:
        """Rows left out."""
        return int(self.recoded.cells.row_counts.sum()) - self.recoded.n_released_rows

    def to_dict(self) -> dict[str, Any]:
        """The manifest: how the release was made and what it reaches.  Holds no row."""
        used = [np.unique(codes) for codes in self.recoded.codes.T]
        told = {
            labels.coding.name: {labels.texts[code] for code in codes}
            for labels, codes in zip(self.recoded.labels, used, strict=True)
        }
        for name, counts in self.recoded.groups.histograms.items():
            told[name] = {counts.coding.texts[code] for code in np.unique(counts.codes)}
        return self._manifest() | {"schema": published_schema(self.schema, told).to_dict()}

    def _manifest(self) -> dict[str, Any]:
        """The manifest without the schema; it tells no more than the cells do."""
        people = self.compressed.people
        n_rows, released = int(self.recoded.cells.row_counts.sum()), self.recoded.n_released_rows
        guarantee = self.privacy.describe()
        reached = [part.to_dict() for part in self.reached]
        if people is not None:
            guarantee = of_people(guarantee, people.unit)
            reached = without_values(reached)
        of_few = tells_of_few(n_rows - released, self.privacy.minimum_size)
        recoded, lost = self.recoded, (self.metrics_before, self.metrics)
        if people is not None:  # the house counts home rows, which tell where people have most
            recoded = in_rows(recoded)
            lost = (measure(recoded.cells), measure(recoded))
        figures = told_figures(
            lost,
            (self.risk_before, self.risk),
            line_losses(recoded, are_told=self.output.form != "means"),
            by_people=people is not None,
            of_few=of_few,
        )
        if self.privacy.asks_of_some_columns:
            figures["risk"]["by_columns"] = [one.to_dict() for one in self.column_risks]
        return {
            "shoal": "release",
            "version": 1,
            "method": self.method,
            "parameters": dict(self.parameters),
            "privacy": self.privacy.to_dict(),
            "guarantee": guarantee,
            "reached": reached,
            "rows": n_rows,
            "released_rows": released,
            "suppressed_rows": n_rows - released,
            "groups": self.recoded.groups.n_groups,
            "counts": "rows" if people is None else people.unit,
            **figures,
            "loss_bound": self.loss_bound.told(of_few=of_few),
            "schema": None,  # whoever knows what cells say fills it in
            "order": self.output.order,
            "form": self.output.form,
            "ranges": list(self.output.ranges),
            "keep_suppressed": self.output.keep_suppressed,
            "key": None if self.output.key is None else fingerprint(self.output.key),
            "notes": [
                *self.notes,
                *_ORDER_NOTES.get(self.output.order, ()),
                *_FORM_NOTES.get(self.output.form, ()),
            ],
            "seconds": {name: round(taken, 4) for name, taken in self.seconds.items()},
            "versions": {
                "python": platform.python_version(),
                **dict(zip(MADE_WITH, map(version, MADE_WITH), strict=True)),
            },
        }

    def write(
        self, path: PathText, *, force: bool = False, publish: PathText | None = None
    ) -> dict[str, Path]:
        """Write the table with its manifest, its schema and its recoding, all or nothing.

        Parameters
        ----------
        path : path
            The table's file (.csv, .parquet, .xlsx, ...), or the address of a table in a
            database (`postgresql://...?table=NAME`).  Beside it go `NAME.manifest.json` and
            `NAME.schema.toml`, which may be published with it, and the folder `NAME.private` with
            the recoding, which may not.
        force : bool
            Replace existing files.
        publish : path, optional
            A folder that gets copies of the files that may be published, and of no others.

        Returns
        -------
        dict
            Paths of "table", "manifest", "schema" and "recoding", and of what else stays in the
            house.
        """
        if self.output.ranges and self.output.keep_suppressed:
            self._refuse_ranges_of_stars()
        path = path if is_address(path) else path_of(path)
        if publish is not None:
            require_file(path)
        house: dict[FileKind, dict[str, Any]] = {}  # what stays in it besides the recoding
        promise = self.privacy.to_dict(private=True)
        if promise != self.privacy.to_dict():
            house["promise"] = promise
        if self.output.form == "draws":
            house["seed"] = {"shoal": "draws", "seed": str(self.output.draw_seed)}
        further: list[FileKind] = [*house]
        if self.schema.listing:
            further.append("full schema")
        paths = release_files(path) | {kind: file_beside(path, kind) for kind in further}
        others: list[FileKind] = ["former recoding", "promise", "seed", "full schema"]
        outdated = [file_beside(path, kind) for kind in others if kind not in further]
        private = {"recoding", "full schema", *house}
        refuse_existing(paths.values(), force=force)
        store = open_store(address_of(path), force=force) if is_address(path) else None
        files = {kind: p for kind, p in paths.items() if store is None or kind != "table"}
        with (
            store or nullcontext(),
            ThreadPoolExecutor(1) as pool,
            atomic_paths(files, "the release", private=private, outdated=outdated) as drafts,
        ):
            manifest = pool.submit(self._manifest)  # measured while the engine writes
            target = drafts["table"] if store is None else store.draft
            witness = self.compressed.write(self.recoded, self.output, target)
            written = target if store is None else _read_stored_rows(store)
            groups = recheck(written, self.schema, self.privacy, self.output, self.recoded, witness)
            self.recoding.save(drafts["recoding"])
            for kind, content in house.items():
                drafts[kind].write_text(json.dumps(content) + "\n", "utf-8")
            made, told = manifest.result(), told_by(groups)
            seal_files(drafts, paths, self.schema, made, told, witness.written)
            if store is not None:
                store.keep()
        if publish is not None:
            publish_files(paths["table"], publish, force=force)
        return paths

    def explain(self, row: int, k: int | Sequence[int] = ()) -> Explanation:
        """Explain why a raw row was released as it was.  For the house: it reads the original.

        Parameters
        ----------
        row : int
            Number of the row, from 0.
        k : int or sequence of int
            Other sizes of groups to try, with the same method.
        """
        cell = cell_of_row(self.compressed, row)
        others = {other: self._tried(other) for other in ([k] if isinstance(k, int) else k)}
        return explain_cell(self.recoded, cell, row, others, self.privacy)

    def _tried(self, k: int) -> Recoded:
        kind = getattr(import_module("shoal.anonymize"), self.method)
        return kind(self.schema, k, **self.parameters).recode_cells(self.recoded.cells)

    def plot(self) -> Plot:
        """Draw how much of each column's detail is lost; needs matplotlib."""
        lost = self.metrics.ncp
        return plot_bars("Detail lost", [*lost], [100 * share for share in lost.values()], "%")

    def _repr_html_(self) -> str:
        promise = html_table(
            "Promise",
            ["condition", "asked", "reached"],
            [[part.description, part.required, part.reached] for part in self.reached],
        )
        after, risks = self.metrics, self.risk
        facts: list[list[Any]] = [
            ["rows released", self.recoded.n_released_rows],
            ["rows left out", self.n_suppressed],
            ["groups", self.recoded.groups.n_groups],
            ["highest chance to find a person", percent(risks.prosecutor.highest)],
            ["detail lost", percent(after.gcp)],
            *([f"detail lost in {name}", percent(share)] for name, share in after.ncp.items()),
        ]
        notes = "".join(map(html_note, self.notes))
        return promise + html_table(self.method, ["measure", "value"], facts) + notes

    def _refuse_ranges_of_stars(self) -> None:
        """Kept rows look like a group of stars: ranges of the group would tell them apart."""
        if not self.n_suppressed:
            return
        starred = np.ones(len(self.recoded.codes), np.bool_)
        for column, labels in enumerate(self.recoded.labels):
            stars = np.array([text == STAR for text in labels.texts], np.bool_)
            starred &= stars[self.recoded.codes[:, column]]
        if starred.any():
            raise ParameterError(
                "suppressed rows that are kept look like a group of the release that is starred, "
                "and ranges would tell them apart. Leave out suppressed rows, or the ranges."
            )

    def __reduce__(self) -> str:
        raise TypeError(
            "a release is not pickled: it holds the rows that it was made of, and they would leave "
            "the house with it. Write it with write(), and read it with read_release()."
        )

    def __repr__(self) -> str:
        return (
            f"Release({self.method}, {self.recoded.n_released_rows} rows in "
            f"{self.recoded.groups.n_groups} groups, "
            f"{self.n_suppressed} suppressed)"
        )


def _read_stored_rows(store: DatabaseStore) -> TextTable:
    """Rows in a database as the judge reads them, before anybody else can."""
    store.fill()
    with closing(store.reader()) if store.own_reader else nullcontext(store.reader()) as reader:
        return read_rows(reader, store.query)


def seal_files(
    drafts: Mapping[str, Path],
    paths: Mapping[str, Path],
    schema: Schema,
    manifest: Mapping[str, Any],
    told: Mapping[str, set[str]],
    text: TextDialect | None,
    public: Schema | None = None,
) -> None:
    """Write schema and manifest beside a judged table, and have them judged too.

    Parameters
    ----------
    drafts, paths : mapping of str to path
        Where files are written, and what they will be called, by kind.
    schema : Schema
        With everything that the house knows.
    manifest : mapping
        How the release was made; its schema and the digests of the files are added.
    told : mapping of str to set of str
        What the released cells say, by column: nothing else may be listed in public.
    text : TextDialect or None
        How the table was written, if it is text.
    public : Schema, optional
        What is published of the schema; all that `told` allows unless given.
    """
    public = published_schema(schema, told) if public is None else public
    said = {"schema": public.to_toml(folder=paths["table"].parent)}
    if "full schema" in drafts:
        said["full schema"] = schema.to_toml(folder=paths["full schema"].parent)
    for kind, content in said.items():
        drafts[kind].write_text(content, "utf-8", newline="\n")
    kinds = [kind for kind in ("table", "schema") if kind in drafts]
    files = {paths[kind].name: digest(drafts[kind]) for kind in kinds}
    written = text and {
        "encoding": text.encoding, "delimiter": text.delimiter, "decimal": text.decimal
    }  # fmt: skip
    sealed = {**manifest, "written": written, "schema": public.to_dict(), "files": files}
    drafts["manifest"].write_text(json.dumps(sealed, indent=2) + "\n", "utf-8")
    judge_companions(drafts["manifest"], drafts["schema"], schema, told)
