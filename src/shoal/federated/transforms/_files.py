"""Encode, combine and decode files larger than memory, with where they came from."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from shoal._atomic import atomic_path
from shoal.errors import ParameterError, ProtocolError, SchemaError, TableError
from shoal.federated.transforms._aliases import AliasTable
from shoal.federated.transforms._key import TransformKey
from shoal.federated.transforms._sql import DUCKDB, decode_sql, encode_sql, literal, number
from shoal.federated.transforms._tables import is_refusal, require, require_any
from shoal.typing import PathText

META = "shoal.encoded"
# Other types are not guessed: 'no' is not false, and a date keeps the way it was written.
GUESS = "auto_type_candidates = ['BIGINT', 'DOUBLE', 'VARCHAR']"
SUFFIX = ".encoded.parquet"


def encode_file(source: PathText, folder: PathText, key: TransformKey, site: str) -> Path:
    """Encode a CSV or Parquet file into ``folder/site.encoded.parquet``.

    Parameters
    ----------
    source : path
        The site's table; it is streamed, never held in memory.
    folder : path
        Where all sites put their files.  One from another key is an error before anything is
        written.
    key : TransformKey
        The shared key.
    site : str
        Name of the site, kept in the file's metadata with the key's fingerprint.

    Returns
    -------
    Path
        The written file.
    """
    if not re.fullmatch(r"[A-Za-z0-9][\w-]*", site):
        raise ParameterError("site must be a plain name of letters, digits, '-' and '_'.")
    for other in sorted(Path(folder).glob(f"*{SUFFIX}")):
        found = read_provenance(other)
        key.check_peer(found["fingerprint"], f"file '{other.name}'")
    target = Path(folder) / f"{site}{SUFFIX}"
    meta = {"sites": [site], **key.to_dict()}
    with _connect() as connection:
        table = _scan(source, key)
        columns = _columns(connection, table, source)
        require(key, columns)
        query = f"SELECT {', '.join(encode_sql(key, columns, DUCKDB))} FROM {table}"
        try:
            _copy(connection, query, target, meta)
        except duckdb.Error as error:
            if is_refusal(error):
                _explain(connection, table, key, columns)
            raise TableError(_failure("encoded", source, error)) from None
    return target


def combine_files(
    sources: Sequence[PathText],
    target: PathText,
    *,
    sites: Sequence[str] | None = None,
    with_site: bool = False,
) -> Path:
    """Union of the sites' encoded files, for the miner.

    All fingerprints and columns are compared before anything is written.  `sites` says whose files
    are expected; `with_site` adds a column that tells the rows' origin, which is hidden otherwise.
    """
    if not sources:
        raise ProtocolError("no files to combine.")
    found = [(Path(source), read_provenance(source)) for source in sources]
    _check_same(found)
    present = [name for _, meta in found for name in meta["sites"]]
    _check_sites(present, sites)
    meta = {**found[0][1], "sites": sorted(present)}
    with _connect() as connection:
        shapes = {_shape(connection, path) for path, _ in found}
        if len(shapes) > 1:
            raise ProtocolError("the files differ in columns or types. Agree on them first.")
        parts = [
            f"SELECT *{_site_column(meta['sites'][0], with_site)} FROM {_parquet(path)}"
            for path, meta in found
        ]
        try:
            _copy(connection, " UNION ALL ".join(parts), Path(target), meta)
        except duckdb.Error as error:
            raise TableError(_failure("combined", target, error)) from None
    return Path(target)


def decode_file(source: PathText, target: PathText, key: TransformKey) -> Path:
    """Decode an encoded Parquet or CSV file to Parquet or CSV, as the target's suffix says."""
    path = Path(target)
    if path.suffix not in (".parquet", ".csv"):
        raise ParameterError("the target must end in .parquet or .csv.")
    meta = _metadata(source) if Path(source).suffix == ".parquet" else None
    if meta is not None and not key.reads(meta["fingerprint"]):
        key.check_peer(meta["fingerprint"], f"file '{Path(source).name}'")
    with _connect() as connection:
        table = _scan(source, key, encoded=True)
        columns = _columns(connection, table, source)
        require_any(key, columns)
        query = f"SELECT {', '.join(decode_sql(key, columns, DUCKDB))} FROM {table}"
        try:
            _copy(connection, query, path, None)
        except duckdb.Error as error:
            if is_refusal(error):
                raise SchemaError(
                    "the file holds values that were not published under this key. Decode it with "
                    "the key it was encoded with; nothing was written."
                ) from None
            raise TableError(_failure("decoded", source, error)) from None
    return path


def sample_file(source: PathText, key: TransformKey, n_rows: int = 20_000) -> Any:
    """Some rows of the key's columns, as a PyArrow table: enough to attack."""
    with _connect() as connection:
        table = _scan(source, key)
        require(key, _columns(connection, table, source))
        names = ", ".join(DUCKDB.name(name) for name in key.columns)
        sample = f"USING SAMPLE reservoir({n_rows} ROWS) REPEATABLE (0)"
        try:
            return connection.sql(f"SELECT {names} FROM {table} {sample}").to_arrow_table()
        except duckdb.Error as error:
            raise TableError(_failure("read", source, error)) from None


def read_rows(source: PathText) -> Any:
    """A CSV or Parquet file as a PyArrow table."""
    with _connect() as connection:
        table = _scan(source, None)
        try:
            return connection.sql(f"SELECT * FROM {table}").to_arrow_table()
        except duckdb.Error as error:
            raise TableError(_failure("read", source, error)) from None


def read_provenance(path: PathText) -> dict[str, Any]:
    """Sites, key version, fingerprint and column kinds of an encoded file."""
    meta = _metadata(path)
    if meta is None:
        raise ProtocolError(f"'{Path(path).name}' is not a file that Shoal encoded.")
    return meta


def _connect() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")  # it would write to stdout
    return connection


def _metadata(path: PathText) -> dict[str, Any] | None:
    with _connect() as connection:
        try:
            rows = connection.execute(
                "SELECT value FROM parquet_kv_metadata(?) WHERE key = ?", [str(path), META.encode()]
            ).fetchall()
            return dict(json.loads(rows[0][0])) if rows else None
        except (duckdb.Error, ValueError):
            raise TableError(f"'{Path(path).name}' is not a Parquet file, or is damaged.") from None


def _scan(path: PathText, key: TransformKey | None, *, encoded: bool = False) -> str:
    suffix = Path(path).suffix.lower()
    if not Path(path).is_file():
        raise TableError(f"'{Path(path).name}' is not a file.")
    if suffix == ".parquet":
        return _parquet(path)
    if suffix not in (".csv", ".tsv", ".txt", ".data"):
        raise TableError(f"'{Path(path).name}': only CSV and Parquet files can be read.")
    if key is None:
        return f"read_csv({literal(str(path))}, header = true, {GUESS})"
    # The key's columns are read as what they are: '01234' stays a text, 15 becomes a double.
    with _connect() as connection:
        present = _columns(
            connection, f"read_csv({literal(str(path))}, header = true, {GUESS})", path
        )
    kinds = {name: _csv_type(code, encoded) for name, code in key.columns.items()}
    given = ", ".join(f"{literal(n)}: '{k}'" for n, k in kinds.items() if n in present)
    types = f", types = {{{given}}}" if given else ""
    return f"read_csv({literal(str(path))}, header = true, {GUESS}{types})"


def _csv_type(code: Any, encoded: bool) -> str:
    if not isinstance(code, AliasTable):
        return "DOUBLE"
    first = code.categories[0] if code.categories and not encoded else ""
    return (
        "BOOLEAN" if isinstance(first, bool) else "BIGINT" if isinstance(first, int) else "VARCHAR"
    )


def _parquet(path: PathText) -> str:
    return f"read_parquet({literal(str(path))})"


def _columns(connection: Any, table: str, path: PathText) -> list[str]:
    try:
        return [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()]
    except duckdb.Error as error:
        raise TableError(_failure("read", path, error)) from None


def _shape(connection: Any, path: Path) -> tuple[Any, ...]:
    rows = connection.execute(f"DESCRIBE SELECT * FROM {_parquet(path)}").fetchall()
    return tuple((row[0], row[1]) for row in rows)


def _site_column(site: str, wanted: bool) -> str:
    return f", {literal(site)} AS site" if wanted else ""


def _copy(connection: Any, query: str, target: Path, meta: Mapping[str, Any] | None) -> None:
    options = "FORMAT parquet" if target.suffix == ".parquet" else "FORMAT csv, HEADER"
    if meta is not None:
        options += f', KV_METADATA {{"{META}": {literal(json.dumps(meta))}}}'
    with atomic_path(target, keep_suffix=False) as draft:
        connection.execute(f"COPY ({query}) TO {literal(str(draft))} ({options})")


def _check_same(found: Sequence[tuple[Path, Mapping[str, Any]]]) -> None:
    first_path, first = found[0]
    for path, meta in found[1:]:
        if meta["fingerprint"] != first["fingerprint"]:
            raise ProtocolError(
                f"'{first_path.name}' and '{path.name}' were encoded with different keys "
                f"({first['fingerprint'][:16]} and {meta['fingerprint'][:16]}). Encode both with "
                "one key; nothing was written."
            )


def _check_sites(present: Sequence[str], sites: Sequence[str] | None) -> None:
    if len(set(present)) < len(present):
        raise ProtocolError("two files come from the same site.")
    if sites is not None and sorted(sites) != sorted(present):
        absent = ", ".join(sorted(set(sites) - set(present))) or "none"
        extra = ", ".join(sorted(set(present) - set(sites))) or "none"
        raise ProtocolError(
            f"{len(sites)} sites were expected and {len(present)} files given; without a file: "
            f"{absent}; not expected: {extra}. Nothing was written."
        )


def _explain(connection: Any, table: str, key: TransformKey, columns: Sequence[str]) -> None:
    """Say which column stopped the encoding, and how many values: a second, slower look."""
    for name in (name for name in columns if name in key.columns):
        code, quoted = key.columns[name], DUCKDB.name(name)
        if isinstance(code, AliasTable):
            distinct = connection.execute(f"SELECT DISTINCT {quoted} FROM {table}").fetchall()
            code.check([row[0] for row in distinct], name)
            continue
        x = f"CAST({quoted} AS DOUBLE)"
        low, high = number(code.lower[0]), number(code.upper[-1])
        scale = number(10.0**code.decimals)
        outside, fine, total = connection.execute(
            f"SELECT count(*) FILTER (NOT isnan({x}) AND NOT ({x} >= {low} AND {x} <= {high})), "
            f"count(*) FILTER (round({x} * {scale}) / {scale} <> {x}), count(*) FROM {table}"
        ).fetchall()[0]
        if outside:
            raise SchemaError(
                f"column '{name}': {outside} of {total} values lie outside the agreed ranges. "
                "Agree on wider ranges with all sites; nothing was written."
            )
        if fine:
            raise SchemaError(
                f"column '{name}': {fine} of {total} values have more than {code.decimals} "
                "decimals. Round them, or agree on more decimals; nothing was written."
            )


def _failure(what: str, path: PathText, error: Exception) -> str:
    # DuckDB's own message may quote a cell: only its kind is passed on.
    return f"'{Path(path).name}' could not be {what} ({type(error).__name__}); nothing was written."
