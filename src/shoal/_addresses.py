"""Addresses of tables in databases, taken apart without loading anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from shoal.errors import ParameterError

IN_PASSWORDS = (
    "In the name of a user and in a password, @ is written %40, : %3A, / %2F, # %23, ? %3F, "
    "% %25, [ %5B."
)
_ADDRESS = re.compile(r"[a-z][a-z0-9+]+://")


@dataclass(frozen=True)
class Address:
    """Where a table is.

    Parameters
    ----------
    kind : str
        "postgresql", "sqlite" or "duckdb".
    place : str
        The server's address without the table, or the path of the file.
    table : str or None
        The table, with its schema where it has one.
    """

    kind: str
    place: str
    table: str | None

    @property
    def name(self) -> str:
        """What the database is called; a server's address may hold a password, so never that."""
        if self.kind == "postgresql":
            return f"database {urlsplit(self.place).path.lstrip('/') or 'postgres'!r}"
        return repr(Path(self.place).name)


def read_address(text: str, table: str | None = None) -> Address:
    """The parts of an address.

    Examples
    --------
    >>> read_address("sqlite:///house.db?table=people")
    Address(kind='sqlite', place='house.db', table='people')
    >>> read_address("postgresql://ann@localhost/house", "ward.people").table
    'ward.people'
    """
    try:
        parts = urlsplit(text)
    except ValueError:
        raise ParameterError(f"the address cannot be taken apart. {IN_PASSWORDS}") from None
    kind = {"postgres": "postgresql"}.get(parts.scheme, parts.scheme)
    if kind not in ("postgresql", "sqlite", "duckdb"):
        raise ParameterError(
            f"addresses that begin with {parts.scheme}:// are not known. Shoal reads "
            "postgresql://, sqlite:/// and duckdb:///. Save what lies elsewhere as a file first, "
            "and give its path."
        )
    query = dict(parse_qsl(parts.query))
    # what follows such a sign in a password is no name, and never shown
    odd = parts.path + "".join(name for name, _ in parse_qsl(parts.query, keep_blank_values=True))
    if kind == "postgresql" and (parts.fragment or "@" in odd):
        raise ParameterError(f"the address cannot be taken apart. {IN_PASSWORDS}")
    named = query.pop("table", None)
    if table is not None and named is not None and table != named:
        raise ParameterError("the address names one table and --table another. Leave one out.")
    if kind != "postgresql":
        return Address(kind, unquote(parts.path.removeprefix("/")), table or named)
    more = f"?{urlencode(query)}" if query else ""
    location = f"postgresql://{parts.netloc}{parts.path}{more}"
    return Address(kind, location, table or named)


def is_address(source: object) -> bool:
    """Whether a text is the address of a table in a database.

    Examples
    --------
    >>> is_address("postgresql://localhost/house?table=people"), is_address("people.csv")
    (True, False)
    """
    return bool(_ADDRESS.match(getattr(source, "address", "") or str(source)))


def path_of(source: str | PathLike[str]) -> Path:
    """A path; `~` at its beginning is the home folder, which shells leave to us in quotes.

    Examples
    --------
    >>> path_of("~/people.csv") == Path.home() / "people.csv", path_of("~people.csv").name
    (True, '~people.csv')
    """
    path = Path(source)
    return path.expanduser() if path.parts[:1] == ("~",) else path


def address_of(source: object) -> str:
    """The text that a source was named by."""
    return getattr(source, "address", "") or str(source)
