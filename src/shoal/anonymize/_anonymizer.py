"""What every anonymizer shares: compress, solve, apply."""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import replace
from importlib import import_module
from typing import Any, ClassVar, Literal, Self

import numpy as np

from shoal._atomic import atomic_path
from shoal._checks import Estimator, require_fitted
from shoal.anonymize._recoding import Recoding, Unseen, load_recoding, refuse_means
from shoal.anonymize._release import Release
from shoal.anonymize._subjects import warn_of_repeats
from shoal.anonymize.apart._components import note_unnamed, search_apart
from shoal.errors import InfeasibleError, ParameterError, SchemaError, TableError
from shoal.privacy import PrivacyModel
from shoal.privacy._promise import bind_promise
from shoal.privacy.models._k_anonymity import as_privacy_model
from shoal.schema import Schema
from shoal.tables import FrequencyTable, RowOptions, open_table
from shoal.tables._frequency import CodingOptions
from shoal.tables._open import require_filled
from shoal.tables._range_columns import refuse_means_of_one, refuse_taken_names
from shoal.tables._recoded import Recoded
from shoal.tables.forms._forms import Form
from shoal.typing import Native, PathText, Progress

ROWS_WORTH_A_LOOK = 500_000
"""Rows from which on a table may be too large for one search; smaller ones never are."""


def no_progress(done: int, total: int, what: str, /) -> None:
    """Report nothing: the default of `progress`."""


class Anonymizer(Estimator):
    """Base of the estimators that turn a table into a release.

    A subclass stores its parameters, checks them in :meth:`_check_params`, and finds a recoding of
    the cells in :meth:`_solve`.  Reading, re-checking and writing are the same for all.

    Examples
    --------
    >>> from shoal.anonymize._registry import make_method
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> method = make_method("mondrian", schema, 2)
    >>> isinstance(method, Anonymizer), method.name
    (True, 'mondrian')
    >>> method.fit_transform({"age": [31, 34, 52, 58]})["age"].tolist()
    ['[30-34]', '[30-34]', '[50-59]', '[50-59]']
    """

    #: Name on the command line; None where it cannot be asked for there.
    name: ClassVar[str | None] = None
    #: What sets the method apart, in a few words for lists of methods.
    summary: ClassVar[str] = ""
    #: How the method works, as a sentence for reports.
    explanation: ClassVar[str] = ""
    #: How numbers and dates are written where the user does not say.
    form: ClassVar[Form] = "labels"

    schema: Schema
    privacy: PrivacyModel | int | None

    #: Build hierarchies from the values for quasi-identifiers that have none.
    _builds_hierarchies = False
    #: Whether conditions on some of the columns are counted on those, in the middle of the search.
    _counts_projections = False
    #: What a search noted of itself, for :meth:`_notes`.
    _said: tuple[str, ...] = ()
    #: What a search tells of raw values: for the screen of who holds them, and in no file.
    aside_: str = ""

    @abstractmethod
    def _solve(self, cells: FrequencyTable, privacy: PrivacyModel, progress: Progress) -> Recoding:
        """Find a recoding; `privacy` is bound to the schema's sensitive columns."""

    def _check_params(self) -> None:
        """Raise on parameters outside their range; called once, before anything is read."""

    @property
    def looks_at_target(self) -> bool:
        """Whether the target's values steer the search, with these parameters."""
        return False

    def _notes(self) -> tuple[str, ...]:
        """What the user should know about this fit; goes into the manifest."""
        return self._said

    def note_target(self) -> tuple[str, ...]:
        """What a search tells that looked at a target which is sensitive."""
        target = self.schema.target
        if target is None or self.schema[target].role != "sensitive" or not self.looks_at_target:
            return ()
        return (
            f"the search looked at the sensitive column {target!r}: who knows the method can learn "
            "more about it than the groups say (see minimality in the guarantees). metric='ncp' "
            "and gain=0 do not look; a tree always does.",
        )

    def fit(
        self,
        table: Native,
        y: Any = None,
        *,
        output: RowOptions | None = None,
        missing_to_root: bool = False,
        encoding: str | None = None,
        regions: int | Literal["auto"] | None = None,
        progress: Progress = no_progress,
    ) -> Self:
        """Find a recoding of `table` and make the release.

        Parameters
        ----------
        table : table or path
            A pandas, Polars or PyArrow table, a DuckDB relation, a Spark DataFrame, or a path to
            a CSV or Parquet file or a folder of them.
        y : ignored
            The target is a column of the table, named in the schema.
        output : RowOptions, optional
            How rows are given out.
        missing_to_root : bool
            Put values that a hierarchy lacks straight under its root instead of raising.
        encoding : str, optional
            Encoding of CSV files.
        regions : int or "auto", optional
            Cut the table into about so many regions and solve each by itself, where its rows are:
            for tables that do not fit into memory.  Those are cut without being asked, too.
        progress : callable
            Called as ``progress(done, total, what)``.
        """
        privacy = self._bind()
        self._check_params()
        output = output or RowOptions()
        if output.ranges:
            refuse_taken_names(self.schema, output.ranges)
            refuse_means_of_one(privacy.minimum_size)
        if output.form == "means":  # which excludes ranges
            refuse_means(privacy)
        started = time.perf_counter()
        options = CodingOptions(
            missing_to_root=missing_to_root, build_hierarchies=self._builds_hierarchies
        )
        progress(0, 0, "counting")
        engine = open_table(table, encoding=encoding, schema=self.schema)
        require_filled(engine, "release")
        if regions is not None or engine.n_rows > ROWS_WORTH_A_LOOK:
            made = _regions().release_by_regions(
                self, engine, privacy, options, output, regions, progress
            )
            if made is not None:
                self.release_ = made
                return self
        compressed = engine.compress(self.schema, options)
        counted = time.perf_counter()
        cells = privacy.prepare(compressed.cells)
        require_rows(cells, privacy)
        of_groups = tuple(privacy.rungs(cells.n_rows)) == (privacy,)  # each judged by itself
        if of_groups and self.schema.subject is None and not privacy.asks_of_some_columns:
            self.recoding_ = self._solve(cells, privacy, progress)
            recoded = self.recoding_.recode(cells)
            said = warn_of_repeats(engine, self.schema) if self.schema.identifiers else ()
        else:
            # it searches with methods, and is seldom needed
            from shoal.anonymize._search_in_steps import search_in_steps  # noqa: PLC0415

            recoded, said = search_in_steps(self, engine, compressed, cells, privacy, progress)
        solved = time.perf_counter()
        notes = self.note_target() + self._notes()
        if privacy.asks_of_some_columns:
            notes += note_unnamed(privacy, recoded.cells.names)
        parameters = {
            name: value
            for name, value in self.get_params(deep=False).items()
            if name not in ("schema", "privacy")
            and isinstance(value, str | int | float | bool | type(None) | dict | list | tuple)
        }
        self.release_ = Release(
            method=type(self).__name__,
            parameters=parameters,
            schema=self.schema,
            privacy=privacy,
            recoding=self.recoding_,
            recoded=recoded,
            compressed=compressed,
            output=output,
            notes=(*notes, *said),
            seconds={"compress": counted - started, "solve": solved - counted},
        )
        return self

    def recode_cells(self, cells: FrequencyTable) -> Recoded:
        """What the method would make of cells that were counted already; nothing is kept."""
        privacy = self._bind()
        self._check_params()
        return self.search_cells(privacy.prepare(cells), privacy).recode(cells)

    def search_cells(self, cells: FrequencyTable, privacy: PrivacyModel) -> Recoding:
        """A recoding of cells with a promise that is bound; whether it is kept is not asked."""
        if privacy.asks_of_some_columns and not self._counts_projections:
            apart = search_apart(self._solve, cells, privacy, no_progress)
            if apart is not None:
                return apart[0]
            privacy = privacy.rungs(cells.n_rows)[-1]
        return self._solve(cells, privacy, no_progress)

    def _bind(self) -> PrivacyModel:
        """What a release promises: what is asked for, and what the schema requires."""
        if not isinstance(self.schema, Schema):
            raise ParameterError(
                "schema must be a Schema. `Schema.from_toml(path)` reads one, and "
                "`suggest_schema(table).schema` suggests one."
            )
        if self.schema.requirements or getattr(self.privacy, "asks_of_some_columns", False):
            return bind_promise(self.privacy, self.schema)
        return as_privacy_model(self.privacy).bind(self.schema.sensitive)

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the parameters.  What was fitted knows people, and stays in the house.

        A recoding holds every value of the table, those of suppressed people included; save it on
        purpose with :meth:`save_private`.
        """
        return {name: vars(self)[name] for name in self.get_params(deep=False)}

    def save_private(self, path: PathText) -> None:
        """Save the fitted recoding into a file that only its owner can read, to stay in the house.

        Examples
        --------
        >>> import tempfile
        >>> from shoal.anonymize import Mondrian
        >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
        >>> path = tempfile.mkdtemp() + "/recoding.json"
        >>> Mondrian(schema, 2).fit({"age": [31, 34, 52, 58]}).save_private(path)
        >>> again = Mondrian(schema, 2).load_private(path)
        >>> again.transform({"age": [33]})["age"].tolist()
        ['[30-34]']
        """
        require_fitted(self, "recoding_")
        with atomic_path(path, private=True) as draft:
            self.recoding_.save(draft)

    def load_private(self, path: PathText) -> Self:
        """Take over a recoding that was saved, so that :meth:`transform` works without a fit."""
        self.recoding_ = load_recoding(path)
        return self

    def fit_transform(self, table: Native, y: Any = None, **options: Any) -> Native:
        """Fit and give out the released rows, in the order of `table`: they stay in the house."""
        release = self.fit(table, y, **options).release_
        return replace(release, output=in_order(release.output)).table

    def transform(self, table: Native, *, unseen: Unseen = "root") -> Native:
        """Recode new rows with the fitted recoding.

        Values that the fit never saw are released as `*` (``unseen="root"``), their rows left out
        ("suppress"), or refused ("error").

        Notes
        -----
        The privacy model was asked of the fitted rows, not of these: new rows may be alone in
        their group.  Use this to treat test rows like training rows, not to publish new people.
        """
        require_fitted(self, "recoding_")
        return apply_recoding(self.recoding_, table, self.schema, unseen=unseen)


def _regions() -> Any:
    """What solves tables by regions: methods are solved there, and it is seldom needed."""
    return import_module("shoal.anonymize.regions._release_by_regions")


def apply_recoding(
    recoding: Recoding,
    table: Native,
    schema: Schema,
    *,
    unseen: Unseen = "root",
    output: RowOptions | None = None,
) -> Native:
    """Recode rows with a recoding fitted or loaded before."""
    compressed = open_table(table, schema=schema).compress(
        schema, CodingOptions(use_hierarchies=False)
    )
    recoded = recoding.recode(compressed.cells, unseen)
    return compressed.release(recoded, output or RowOptions(keep_order=True))


def in_order(output: RowOptions) -> RowOptions:
    """The same options with the rows in the order of the input, unless a seed is given."""
    return output if output.shuffle is not None else replace(output, keep_order=True)


def require_rows(cells: FrequencyTable, privacy: PrivacyModel) -> None:
    """Raise when the table is too small for the model, however it is coarsened."""
    if cells.n_rows == 0:
        raise SchemaError("the table has no rows, so there is nothing to release.")
    if cells.n_rows < privacy.minimum_size:
        raise InfeasibleError(
            f"k={privacy.minimum_size} with {cells.n_rows} rows",
            required=privacy.minimum_size,
            achieved=cells.n_rows,
            hint="Lower k or add rows.",
        )
    for coding in cells.codings:
        # a range up to infinity has no width, so that nothing can be said of what it loses
        measured = coding.hierarchy is None and coding.kind == "numeric"
        if measured and np.isinf(coding.numbers).any():
            raise TableError(
                f"column {coding.name!r} holds infinite numbers, which are at no distance from "
                "others. Write them as missing, or give the column a hierarchy."
            )


def ceilings_per_cell(cells: FrequencyTable) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Each cell as coarse as the schema's limits allow: codes of nodes."""
    columns = []
    for column, coding in enumerate(cells.codings):
        if coding.hierarchy is None:
            raise SchemaError(
                f"column {coding.name!r} has no hierarchy. Give it one, for example "
                'hierarchy = "auto".'
            )
        columns.append(coding.ceiling[cells.keys[:, column]])
    return np.column_stack(columns).astype(np.int32)
