"""Shares as Parquet files: what sites exchange when training is not online."""

import importlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._atomic import atomic_path
from shoal.errors import MissingExtraError, ProtocolError, TableError
from shoal.federated.kernels._shares import OUTCOMES, Share
from shoal.federated.kernels._stacked_shares import check_agreement
from shoal.typing import PathText

META = b"shoal.share"
SUFFIX = ".share.parquet"


def write_share(share: Share, folder: PathText) -> Path:
    """Write the share into a folder all sites can see; another kernel there is an error.

    Returns
    -------
    Path
        ``folder/SITE.share.parquet``.
    """
    pa, pq = _arrow()
    for other in sorted(Path(folder).glob(f"*{SUFFIX}")):
        check_agreement([share, read_share(other)])
    columns = {f"k{j}": share.projection[:, j] for j in range(share.projection.shape[1])}
    table = pa.table({**columns, **share.target})
    table = table.replace_schema_metadata({META: json.dumps(share.to_dict())})
    path = Path(folder) / f"{share.site}{SUFFIX}"
    with atomic_path(path, private=True, keep_suffix=False) as part:
        pq.write_table(table, part)
    return path


def read_share(path: PathText) -> Share:
    """Read one site's file."""
    pa, pq = _arrow()
    try:
        table = pq.read_table(path, partitioning=None)
        meta = json.loads(table.schema.metadata[META])
        names = [f"k{j}" for j in range(meta["components"])]
        matrix = np.column_stack([table[name].to_numpy() for name in names])
        target = {name: _numpy(table[name]) for name in OUTCOMES[meta["outcome"]]}
        ranges = tuple((float(a), float(b)) for a, b in meta["ranges"])
        return Share(
            meta["site"],
            matrix,
            target,
            meta["fingerprint"],
            tuple(meta["features"]),
            ranges,
            meta["kernel"],
        )
    except (OSError, pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
        reason = type(error).__name__
        raise TableError(
            f"'{Path(path).name}' is not a site's share, or is damaged ({reason})."
        ) from None


def read_shares(
    source: PathText | Sequence[PathText], sites: Sequence[str] | None = None
) -> list[Share]:
    """Read the shares of a folder or a list of files, in order of site name.

    `sites` says whose shares are expected; a site without a file is an error.
    """
    if isinstance(source, str | os.PathLike):
        paths: Sequence[PathText] = sorted(Path(source).glob(f"*{SUFFIX}"))
    else:
        paths = list(source)
    shares = sorted((read_share(path) for path in paths), key=lambda share: share.site)
    check_agreement(shares)
    present = [share.site for share in shares]
    if sites is not None and sorted(sites) != present:
        absent = sorted(set(sites) - set(present))
        extra = sorted(set(present) - set(sites))
        raise ProtocolError(
            f"{len(sites)} sites were expected and {len(present)} files found; without a file: "
            f"{', '.join(absent) or 'none'}; not expected: {', '.join(extra) or 'none'}."
        )
    return shares


def _numpy(column: Any) -> NDArray[Any]:
    values = column.to_numpy()
    return values.astype(str) if values.dtype == object else values


def _arrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("pyarrow", "sites", "reading and writing shares") from None
