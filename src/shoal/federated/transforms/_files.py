"""Encode, combine and decode files larger than memory, with where they came from."""

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal._atomic import atomic_path
from shoal._plain import from_json
from shoal.errors import ParameterError, ProtocolError, SchemaError, TableError
from shoal.federated.transforms._aliases import AliasTable
from shoal.federated.transforms._key import TransformKey
from shoal.federated.transforms._sql import number
from shoal.federated.transforms._tables import code_maps, leaving, require
from shoal.tables._open import open_relation
from shoal.tables.engines._duck_connection import (
    StoppedQueryError,
    is_nan_sql,
    name_sql,
    value_sql,
)
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._duck_staging import read_parquet_sql
from shoal.tables.engines.formats._parquet import PARQUET, read_metadata
from shoal.typing import PathText

META = "shoal.encoded"
SUFFIX = ".encoded.parquet"
SITE = re.compile(r"[A-Za-z0-9][\w-]{0,99}")


def encode_file(
    source: PathText,
    folder: PathText,
    key: TransformKey,
    site: str,
    *,
    clear: Sequence[str] = (),
    drop_others: bool = False,
    keep_order: bool = False,
) -> Path:
    """Encode a file into ``folder/site.encoded.parquet``.

    Parameters
    ----------
    source : path
        The site's table, in any format that :func:`shoal.tables.open_table` reads; what does not
        fit into memory is streamed.
    folder : path
        Where all sites put their files.  One from another key is an error before anything is
        written.
    key : TransformKey
        The shared key.
    site : str
        Name of the site, kept in the file's metadata with the key's fingerprint.
    clear : sequence of str, default=()
        Columns that the key does not name and that are written as they are, for everyone to read.
    drop_others : bool, default=False
        Leave out all other columns that the key does not name.  Without it they are an error: a
        name or a number that nobody thought of must not leave the site.
    keep_order : bool, default=False
        Leave rows in the order of the source, which tells who is who to those who know it; else a
        secret order is drawn and not kept.

    Returns
    -------
    Path
        The written file.
    """
    if not SITE.fullmatch(site):
        raise ParameterError("site must be a plain name of letters, digits, '-' and '_'.")
    for other in sorted(Path(folder).glob(f"*{SUFFIX}")):
        key.check_peer(read_provenance(other)["fingerprint"], f"file '{other.name}'")
    target = Path(folder) / f"{site}{SUFFIX}"
    engine = _open(source, key)
    names = leaving(engine.names, key, clear, drop_others=drop_others)
    meta = {"sites": [site], **key.to_dict(), "clear": [n for n in names if n not in key.columns]}
    query = _select_sql(engine, key, back=False)
    select = f"SELECT {', '.join(map(name_sql, names))} FROM ({query})"
    try:
        _copy(engine, select if keep_order else _shuffled(select), target, meta)
    except StoppedQueryError:
        _explain(engine, key)
        raise
    return target


def _shuffled(select: str) -> str:
    """The rows of a query in an order that a key decides which nobody keeps."""
    key = value_sql(secrets.token_hex(32))
    sort_key = f"sha256({key} || CAST(row_number() OVER () AS VARCHAR))"
    return f"SELECT encoded.* FROM ({select}) AS encoded ORDER BY {sort_key}"


def combine_files(
    sources: Sequence[PathText],
    target: PathText,
    *,
    sites: Sequence[str] | None = None,
    with_site: bool = False,
    keep_order: bool = False,
) -> Path:
    """Union of the sites' encoded files, for the miner.

    All fingerprints and columns are compared before anything is written.  `sites` says whose files
    are expected; `with_site` adds a column that tells the rows' origin, which is hidden otherwise:
    rows are in a secret order, since in that of the files the first ones are the first site's.
    `keep_order` leaves them so, for sites that keep order as well.
    """
    if not sources:
        raise ProtocolError("no files to combine.")
    paths = [Path(source) for source in sources]
    metas = [read_provenance(path) for path in paths]
    _check_same(paths, metas)
    present = [name for meta in metas for name in meta["sites"]]
    _check_sites(present, sites)
    engines = [open_relation(path) for path in paths]
    if len({tuple(engine.sql_types.items()) for engine in engines}) > 1:
        raise ProtocolError("the files differ in columns or types. Agree on them first.")
    parts = [
        f"SELECT *{_site_column(meta['sites'][0], with_site)} "
        f"FROM {read_parquet_sql([path])}"  # of this file alone, and without its folder's name
        for path, meta in zip(paths, metas, strict=True)
    ]
    combined = {**metas[0], "sites": sorted(present)}
    union = " UNION ALL ".join(parts)
    _copy(engines[0], union if keep_order else _shuffled(union), Path(target), combined)
    return Path(target)


def decode_file(source: PathText, target: PathText, key: TransformKey) -> Path:
    """Decode an encoded Parquet or CSV file to Parquet or CSV, as the target's suffix says."""
    path = Path(target)
    if path.suffix not in (".parquet", ".csv"):
        raise ParameterError("the target must end in .parquet or .csv.")
    meta = _metadata(source) if str(source).lower().endswith(PARQUET.suffixes) else None
    if meta is not None and not key.reads(meta["fingerprint"]):
        key.check_peer(meta["fingerprint"], f"file '{Path(source).name}'")
    engine = _open(source, key, encoded=True)
    try:
        _copy(engine, _select_sql(engine, key, back=True), path, None)
    except StoppedQueryError:
        raise SchemaError(
            "the file holds values that were not published under this key. Decode it with the key "
            "it was encoded with; nothing was written."
        ) from None
    return path


def sample_file(source: PathText, key: TransformKey, n_rows: int = 20_000) -> Any:
    """Some rows of the key's columns, as a PyArrow table: enough to attack."""
    engine = _open(source, key)
    require(key, engine.names)
    names = ", ".join(map(name_sql, key.columns))
    sample = f"USING SAMPLE reservoir({n_rows} ROWS) REPEATABLE (0)"
    return engine.arrow(f"SELECT {names} FROM source {sample}")


def read_rows(source: PathText) -> Any:
    """A file as a PyArrow table."""
    return open_relation(source, guess="numbers").arrow("SELECT * FROM source")


def read_provenance(path: PathText) -> dict[str, Any]:
    """Sites, key version, fingerprint and column kinds of an encoded file, as its site says."""
    meta = _metadata(path)
    if meta is None:
        raise ProtocolError(f"'{Path(path).name}' is not a file that Shoal encoded.")
    return meta


def _metadata(path: PathText) -> dict[str, Any] | None:
    if not Path(path).exists():
        raise TableError(f"no file {Path(path).name!r}. Check the path.")
    try:
        text = read_metadata(path, META)
        meta = None if text is None else from_json(text)
    except (TableError, ValueError):
        raise TableError(f"'{Path(path).name}' is not a Parquet file, or is damaged.") from None
    if meta is not None and not _is_provenance(meta):
        raise ProtocolError(f"'{Path(path).name}' says something impossible about its origin.")
    return meta


def _is_provenance(meta: Any) -> bool:
    """Whether another site's metadata have the types that they must have."""
    return (
        isinstance(meta, dict)
        and isinstance(meta.get("fingerprint"), str)
        and re.fullmatch("[0-9a-f]{64}", meta["fingerprint"]) is not None
        and isinstance(meta.get("sites"), list)
        and len(meta["sites"]) > 0
        and all(isinstance(site, str) and SITE.fullmatch(site) for site in meta["sites"])
    )


def _open(path: PathText, key: TransformKey, *, encoded: bool = False) -> DuckEngine:
    """A file whose columns are read as what the key says: '01234' stays a text, 15 is a double."""
    types = {name: _csv_type(code, encoded) for name, code in key.columns.items()}
    try:
        engine = open_relation(path, guess="numbers", types=types)
    except TableError:  # a text where the key expects a number, perhaps
        _require_numbers(open_relation(path, guess="numbers"), key)
        raise
    _require_numbers(engine, key)
    return engine


def _require_numbers(engine: DuckEngine, key: TransformKey) -> None:
    for name, code in key.columns.items():
        is_graded = name in engine.names and not isinstance(code, AliasTable)
        if is_graded and engine.types[name] not in ("number", "other"):
            raise SchemaError(
                f"column '{name}' is graded by the key, and some of its values are no numbers. "
                "Correct them, or name words that stand for nothing with --missing; nothing was "
                "written."
            )


def _select_sql(engine: DuckEngine, key: TransformKey, *, back: bool) -> str:
    return f"SELECT {engine.exchange_sql(code_maps(key, engine.names, back=back))} FROM source"


def _csv_type(code: Any, encoded: bool) -> str:
    if not isinstance(code, AliasTable):
        return "DOUBLE"
    first = code.categories[0] if code.categories and not encoded else ""
    return (
        "BOOLEAN" if isinstance(first, bool) else "BIGINT" if isinstance(first, int) else "VARCHAR"
    )


def _site_column(site: str, wanted: bool) -> str:
    return f", {value_sql(site)} AS site" if wanted else ""


def _copy(engine: DuckEngine, query: str, target: Path, meta: Mapping[str, Any] | None) -> None:
    metadata = None if meta is None else {META: json.dumps(meta)}
    with atomic_path(target) as draft:
        engine.copy(query, draft, suffix=target.suffix, metadata=metadata)


def _check_same(paths: Sequence[Path], metas: Sequence[Mapping[str, Any]]) -> None:
    first_path, first = paths[0], metas[0]
    for path, meta in zip(paths[1:], metas[1:], strict=True):
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


def _explain(engine: DuckEngine, key: TransformKey) -> None:
    """Say which column stopped the encoding, and how many values: a second, slower look."""
    for name in (name for name in engine.names if name in key.columns):
        code, quoted = key.columns[name], name_sql(name)
        if isinstance(code, AliasTable):
            code.check(engine.distinct(name)[0], name)
            continue
        x = f"CAST({quoted} AS DOUBLE)"
        low, high = number(code.lower[0]), number(code.upper[-1])
        scale = number(10.0**code.decimals)
        ((outside, fine, total),) = engine.query(
            f"SELECT count(*) FILTER (NOT {is_nan_sql(x)} AND NOT ({x} BETWEEN {low} AND {high})), "
            f"count(*) FILTER (round({x} * {scale}) / {scale} <> {x}), count(*) FROM source"
        ).fetchall()
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
