"""What a project asks for, as `project.toml` says it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from shoal._atomic import write_text
from shoal._plain import table_toml
from shoal.errors import SchemaError
from shoal.studio.project._reading import FIELDS

_PARTS: dict[str, tuple[str, ...]] = {
    "table": ("table", *FIELDS),
    "columns": ("accepted",),
    "promise": ("recipient", "k", "conditions"),
    "release": ("method", "suppress", "pinned", "key"),
}
"""Which settings stand under which header, in the order of the file."""


@dataclass(frozen=True)
class Settings:
    """Table, promise and method of a project.

    Parameters
    ----------
    table : str
        The raw table, relative to the project's folder where that is possible.
    encoding, delimiter, decimal, thousands, dates, header, sheet, database_table : str
        How the table is read; empty for what is to be found in the file.
    missing : tuple of str
        Words that stand for nothing.
    skip_bad_rows : bool
        Whether lines that are no rows are left out.
    accepted : tuple of str
        Columns whose role somebody looked at and accepted.
    recipient : str
        "public", "contract" or "room": who will get the release.
    k : int
        Smallest group of people that look alike.
    conditions : tuple of str
        Further conditions, in the words of the command line: ``distinct:3@illness``.
    method : str
        A method of the registry; empty until one is chosen.
    suppress : float
        Share of rows that may be left out.
    pinned : tuple of str
        Candidates that are kept in sight: ``local:10``.
    key : str
        File of the key for pseudonyms and shifted dates; never its passphrase.
    """

    table: str = ""
    encoding: str = ""
    delimiter: str = ""
    decimal: str = ""
    thousands: str = ""
    dates: str = ""
    header: str = ""
    missing: tuple[str, ...] = ()
    skip_bad_rows: bool = False
    sheet: str = ""
    database_table: str = ""
    accepted: tuple[str, ...] = ()
    recipient: str = ""
    k: int = 10
    conditions: tuple[str, ...] = ()
    method: str = ""
    suppress: float = 0.0
    pinned: tuple[str, ...] = ()
    key: str = ""


def read_settings(path: Path) -> Settings:
    """Read `project.toml`; what it leaves out keeps its default."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SchemaError(f"cannot read {path.name}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SchemaError(f"{path.name} is not valid TOML: {error}") from None
    given: dict[str, Any] = {}
    for part, names in _PARTS.items():
        table = data.get(part, {})
        given |= {name: table[name] for name in names if isinstance(table, dict) and name in table}
    return Settings(**{name: _checked(path, name, value) for name, value in given.items()})


def write_settings(path: Path, settings: Settings) -> None:
    """Write `project.toml`, whole or not at all."""
    blocks = []
    for part, names in _PARTS.items():
        values = {name: getattr(settings, name) for name in names}
        blocks.append(table_toml((part,), {n: v for n, v in values.items() if _is_said(v)}))
    write_text(path, "\n".join(blocks))


def _is_said(value: Any) -> bool:
    return value is not False and value not in ("", ())


def _checked(path: Path, name: str, value: Any) -> Any:
    default = next(field.default for field in fields(Settings) if field.name == name)
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
    elif isinstance(default, float) and isinstance(value, int | float):
        return float(value)
    elif isinstance(value, type(default)) and isinstance(value, bool) == isinstance(default, bool):
        return value
    raise SchemaError(f"{path.name}: {name} has a value of the wrong type.")
