"""From a table to its release in one call."""

from __future__ import annotations

from functools import reduce
from operator import and_
from os import PathLike
from typing import Any, Literal

from shoal._checks import check_integer
from shoal._notebook import NotebookProgress, notebook_progress
from shoal.anonymize._anonymizer import no_progress
from shoal.anonymize._choose import Choice, Purpose
from shoal.anonymize._registry import make_method
from shoal.anonymize._release import Release
from shoal.anonymize.trials._choose_on_table import choose_on_table, note_choice
from shoal.errors import ParameterError
from shoal.privacy import PrivacyModel
from shoal.privacy._promise import bind_promise
from shoal.privacy.models._k_anonymity import as_privacy_model
from shoal.schema import Schema
from shoal.tables import RowOptions, open_table
from shoal.typing import Native, PathText, Progress


def release(
    table: Native,
    schema: Schema | PathText,
    k: int | None = None,
    *,
    privacy: PrivacyModel | None = None,
    method: str = "auto",
    purpose: Purpose = "general",
    output: RowOptions | None = None,
    encoding: str | None = None,
    regions: int | Literal["auto"] | None = None,
    progress: Progress | None = None,
    **parameters: Any,
) -> Release:
    """Make a release of a table: what ``shoal anonymize`` does, in one call.

    It is not called `anonymize`, because :mod:`shoal.anonymize` is the package of the methods, and
    one name that is a function or a package, depending on what was imported first, misleads.

    Parameters
    ----------
    table : table or path
        Whatever :func:`shoal.open_table` takes.
    schema : Schema or path
        What the columns are; a path is read as a schema file.
    k : int, optional
        Smallest group of people that look alike.
    privacy : PrivacyModel, optional
        A further condition, or all of them when `k` is not given.
    method : str
        A name from `shoal anonymize --help`, or "auto" for the one that fits.
    purpose : {"general", "classification", "queries"}
        What recipients do with the release; "auto" chooses by it.
    output : RowOptions, optional
        How rows are given out.
    encoding : str, optional
        Encoding of CSV files.
    regions : int or "auto", optional
        Solve about so many regions of the table by themselves, for tables larger than memory.
    progress : callable
        Called as ``progress(done, total, what)``; a notebook shows a bar unless one is given.
    **parameters
        Parameters of the method.

    Examples
    --------
    >>> import shoal
    >>> from shoal.datasets import census
    >>> people = census(300)
    >>> made = shoal.release(people.path(), people.schema, k=10, method="top-down")
    >>> made.reached[0].holds
    True
    """
    if isinstance(schema, str | PathLike):
        schema = Schema.from_toml(schema)
    elif not isinstance(schema, Schema):
        raise ParameterError(
            f"schema must be a Schema or the path of a schema file, got {type(schema).__name__}. "
            "`Schema({...})` makes one of a dict, and `suggest_schema(table).schema` suggests one."
        )
    if k is not None and not isinstance(k, PrivacyModel):
        check_integer("k", k, 1)
    asked = [as_privacy_model(part) for part in (k, privacy) if part is not None]
    if not asked and not schema.requirements:
        raise ParameterError("nothing is asked for. Give k=10, or a model as privacy.")
    model = reduce(and_, asked) if asked else bind_promise(None, schema)
    choice = Choice(method, "")
    if method == "auto":
        table = open_table(table, encoding=encoding, schema=schema)
        given = [name for name, value in parameters.items() if value is not None]
        choice = choose_on_table(table, schema, purpose, given, model)
    estimator = make_method(choice.method, schema, model, parameters)
    shown = progress or notebook_progress() or no_progress
    try:
        fitted = estimator.fit(
            table, output=output, encoding=encoding, regions=regions, progress=shown
        )
        return note_choice(fitted.release_, choice)
    finally:
        if isinstance(shown, NotebookProgress):
            shown.close()
