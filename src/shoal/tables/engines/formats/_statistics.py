"""Files of SPSS, Stata and SAS, with the labels of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import MissingExtraError, TableError
from shoal.tables._engine import Engine, OpenOptions
from shoal.tables.engines.formats._file_format import FileFormat
from shoal.tables.engines.formats._value_columns import stage_columns, whole_numbers

_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}


def _read(paths: Sequence[Path], options: OpenOptions) -> Engine:
    read = [_read_file(path, options) for path in paths]
    tables = [columns for columns, _ in read]
    names = tuple(tables[0])
    if any(tuple(table) != names for table in tables):
        raise TableError("the files differ in their columns. Give all of them the same.")
    columns = [[value for table in tables for value in table[name]] for name in names]
    return stage_columns(names, columns, options, read[0][1])


def _read_file(path: Path, options: OpenOptions) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """The columns, and the labels of those that have one."""
    try:
        import pyreadstat  # noqa: PLC0415  an extra
    except ImportError:
        raise MissingExtraError("pyreadstat", "files", "reading SPSS, Stata and SAS files") from (
            None
        )
    suffix = path.suffix.lower()
    read = getattr(pyreadstat, _READERS[suffix])
    given: dict[str, Any] = {} if options.encoding is None else {"encoding": options.encoding}
    try:
        columns, facts = read(str(path), output_format="dict", **given)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError, ValueError):
        raise TableError(
            f"{path.name!r} cannot be read: it is damaged, cut short, of another format than its "
            "name says, or of another encoding (--encoding)."
        ) from None
    labels: Mapping[str, Mapping[Any, str]] = facts.variable_value_labels or {}
    told = facts.column_names_to_labels.items()
    titles = {str(name): str(label) for name, label in told if label}
    return {
        str(name): _labelled(whole_numbers(list(column)), labels.get(name, {}))
        for name, column in columns.items()
    }, titles


def _labelled(column: list[Any], labels: Mapping[Any, str]) -> list[Any]:
    """Values by their labels where all have one; where some have, numbers say more."""
    if not labels:
        return column
    known = [value for value in column if value is not None and value == value and value != ""]
    if not known or not all(value in labels for value in known):
        return column
    return [labels.get(value) if value is not None and value == value else None for value in column]


SPSS = FileFormat("SPSS", (".sav", ".zsav", ".por"), _read)
STATA = FileFormat("Stata", (".dta",), _read)
SAS = FileFormat("SAS", (".xpt", ".sas7bdat"), _read)
