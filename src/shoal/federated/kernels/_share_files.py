"""Shares as Parquet files: what sites exchange when training is not online."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._atomic import atomic_path
from shoal._plain import from_json
from shoal.errors import ProtocolError, TableError
from shoal.federated.kernels._shares import Share, share_from_facts
from shoal.federated.kernels._stacked_shares import check_agreement
from shoal.frames._arrow_files import read_parquet, write_parquet
from shoal.typing import PathText

META = "shoal.share"
SUFFIX = ".share.parquet"


def write_share(share: Share, folder: PathText) -> Path:
    """Write the share into a folder all sites can see; another kernel there is an error.

    Returns
    -------
    Path
        ``folder/SITE.share.parquet``.
    """
    for other in sorted(Path(folder).glob(f"*{SUFFIX}")):
        check_agreement([share, read_share(other)])
    columns = {f"k{j}": share.projection[:, j] for j in range(share.projection.shape[1])}
    path = Path(folder) / f"{share.site}{SUFFIX}"
    with atomic_path(path, private=True) as part:
        write_parquet({**columns, **share.target}, {META: json.dumps(share.to_dict())}, part)
    return path


def read_share(path: PathText) -> Share:
    """Read one site's file."""
    try:
        columns, kept = read_parquet(path)
        facts = from_json(kept[META])
        names = sorted(columns.keys() & {f"k{j}" for j in range(len(columns))}, key=_place)
        matrix = np.column_stack([columns[name] for name in names])
        target = {name: _numpy(values) for name, values in columns.items() if name not in names}
        return share_from_facts(facts, matrix, target)
    except (KeyError, TypeError, ValueError) as error:
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


def _place(name: str) -> int:
    return int(name[1:])


def _numpy(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(str) if values.dtype == object else values
