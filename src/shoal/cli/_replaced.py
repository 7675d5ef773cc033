"""Whether a result would take the place of what it is made of, where one is in a database."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from shoal._addresses import Address, address_of, is_address, read_address
from shoal.errors import ParameterError, ShoalError

_HERE = ("", "localhost", "127.0.0.1", "::1")
"""Hosts that are this machine, as is a socket, whose name is a path."""


def refuse_source(outputs: Sequence[Path], inputs: Sequence[Path], *, database: bool) -> None:
    """Raise when a result would replace what it is made of; one of them is an address.

    Commands that write into a `database` say so; of others an address to write to is refused.
    """
    for path in outputs:
        if is_address(path) and not database:
            raise ParameterError(
                "--out is the address of a database, and this command writes files. Name a file: "
                "`shoal anonymize` alone writes into databases."
            )
        if any(replaces(path, source) for source in inputs):
            name = f"table {read_address(address_of(path)).table!r}" if is_address(path) else None
            raise ParameterError(
                f"{name or path.name} is what this is made of, and would be lost. Choose another "
                "name."
            )


def replaces(target: Path, source: Path) -> bool:
    """Whether writing `target` would take `source` away, as far as their names tell.

    Examples
    --------
    >>> replaces("sqlite:///house.db?table=People", "sqlite:///house.db?table=people")
    True
    >>> replaces("sqlite:///house.db?table=released", "sqlite:///house.db?table=people")
    False
    >>> replaces("house.db", "sqlite:///house.db?table=people")  # the whole file is written anew
    True
    """
    if _place(target) != _place(source):
        return False
    return not is_address(target) or _table(target) == _table(source)


def _place(source: Path) -> object:
    """The file, or the database on its server whoever connects to it."""
    if not is_address(source):
        return Path(source).resolve()
    address = read_address(address_of(source))
    if address.kind != "postgresql":
        return Path(address.place).resolve()
    parts = urlsplit(address.place)
    asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    host = asked.get("host", parts.hostname or "")
    written = parts.netloc.rpartition("@")[2].rpartition("]")[2].partition(":")[2]
    port = asked.get(
        "port", written.lstrip("0") or "5432"
    )  # as it is: it may be none, or one of several
    base = parts.path.lstrip("/") or asked.get("dbname", "")
    return ("localhost" if host in _HERE or host.startswith("/") else host, port, base)


def _table(source: Path) -> str | None:
    """The table that a source names, as its database compares names; else the only one there."""
    asked = getattr(getattr(source, "options", None), "table", None)
    address = read_address(address_of(source), asked) if is_address(source) else None
    asked = asked if address is None else address.table
    asked = _only_table(source, address) if asked is None else asked
    if asked is None:
        return None
    if address is not None and address.kind == "postgresql":
        return asked.removeprefix("public.")
    return asked.casefold().removeprefix("main.")


def _only_table(source: Path, address: Address | None) -> str | None:
    from shoal.tables.engines.formats._databases import (
        connect_postgresql,
        list_postgresql,
        list_tables,
    )

    try:
        if address is None or address.kind != "postgresql":
            names = list_tables(Path(source if address is None else address.place))
        else:
            with closing(connect_postgresql(address)) as server, closing(server.cursor()) as cursor:
                names = list_postgresql(cursor)
    except ShoalError:  # whoever reads the table says what is wrong with it
        return None
    return names[0] if len(names) == 1 else None
