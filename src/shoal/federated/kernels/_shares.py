"""What a site publishes: projections, outcomes and metadata in one Parquet file."""

import importlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._atomic import atomic_path
from shoal.errors import (
    MissingExtraError,
    ParameterError,
    ProtocolError,
    SchemaError,
    TableError,
)
from shoal.federated.kernels._random_kernel import RandomKernel
from shoal.frames._frame import Frame
from shoal.tables import open_table
from shoal.typing import Floats, PathText

META = b"shoal.share"
SUFFIX = ".share.parquet"
OUTCOMES = {"label": ("label",), "survival": ("time", "event")}


@dataclass(frozen=True, repr=False)
class Share:
    """One site's projection with outcomes: all that leaves the site."""

    site: str
    projection: Floats
    target: Mapping[str, NDArray[Any]]
    fingerprint: str
    features: tuple[str, ...]
    ranges: tuple[tuple[float, float], ...]
    kernel: str

    def __post_init__(self) -> None:
        if any(len(values) != len(self.projection) for values in self.target.values()):
            raise TableError(f"site '{self.site}': outcomes and projected rows differ in number.")

    def __repr__(self) -> str:
        rows, columns = self.projection.shape
        return f"Share(site={self.site!r}, {rows} rows, {columns} components, {self.outcome})"

    @property
    def outcome(self) -> str:
        """Kind of outcome: "label" or "survival"."""
        return "label" if "label" in self.target else "survival"

    def to_dict(self) -> dict[str, Any]:
        """Metadata, as written into the file."""
        return {
            "site": self.site,
            "rows": len(self.projection),
            "components": self.projection.shape[1],
            "outcome": self.outcome,
            "fingerprint": self.fingerprint,
            "features": list(self.features),
            "ranges": [list(r) for r in self.ranges],
            "kernel": self.kernel,
        }


def make_share(
    kernel: RandomKernel,
    table: Any,
    site: str,
    *,
    label: str | None = None,
    time: str | None = None,
    event: str | None = None,
    allow_uniform_outcome: bool = False,
) -> Share:
    """Project a site's table; outcomes are the column `label`, or `time` and `event`.

    A site whose outcome is the same for everyone (one class, no event) is refused unless
    `allow_uniform_outcome`: the published file would say each person's outcome, and the site can
    train no model of its own.

    Examples
    --------
    >>> import polars as pl
    >>> ranges = {"age": (0, 100), "dose": (0, 80), "score": (0, 4)}
    >>> kernel = RandomKernel(ranges, random_state=1).fit()
    >>> rows = pl.DataFrame({"age": [50, 70], "dose": [60, 20], "score": [1, 3], "died": [0, 1]})
    >>> make_share(kernel, rows, "gent", label="died")
    Share(site='gent', 2 rows, 2 components, label)
    """
    if not site or Path(site).name != site or site.startswith("."):
        raise ParameterError("site must be a plain name that can be part of a file's name.")
    frame = open_table(table).frame()
    target = _target(frame, label, time, event)
    scaled = kernel.scaled(frame.native)
    _refuse_constant(scaled, list(kernel.ranges_))
    if not allow_uniform_outcome:
        _refuse_uniform(target, site)
    return Share(
        site=site,
        projection=kernel.project(scaled),
        target=target,
        fingerprint=kernel.fingerprint,
        features=tuple(kernel.ranges_),
        ranges=tuple(kernel.ranges_.values()),
        kernel=kernel.kernel,
    )


def write_share(share: Share, folder: PathText) -> Path:
    """Write the share into a folder all sites can see; another kernel there is an error."""
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


def check_agreement(shares: Sequence[Share]) -> None:
    """Raise unless all shares come from one kernel, one kind of outcome and different sites."""
    if not shares:
        raise ProtocolError("no shares were found.")
    first = shares[0]
    for share in shares[1:]:
        if share.fingerprint != first.fingerprint:
            raise ProtocolError(
                f"sites '{first.site}' and '{share.site}' used different random kernels "
                f"({first.fingerprint[:16]} and {share.fingerprint[:16]}). Exchange the kernel "
                "again; nothing was written."
            )
        if share.outcome != first.outcome:
            raise ProtocolError(
                f"sites '{first.site}' and '{share.site}' published different kinds of outcome."
            )


def stack_shares(shares: Iterable[Share], outcome: str, kernel: RandomKernel | None) -> list[Share]:
    """Shares checked for training on `outcome`, also against the kernel where one is given."""
    shares = list(shares)
    check_agreement(shares)
    names = [share.site for share in shares]
    if len(set(names)) < len(names):
        raise ProtocolError("two shares come from the same site.")
    if shares[0].outcome != outcome:
        raise ProtocolError(f"the shares hold outcome '{shares[0].outcome}', not '{outcome}'.")
    if kernel is not None:
        kernel.check_peer(shares[0].fingerprint, f"site '{shares[0].site}'")
    return shares


def row_weights(shares: Sequence[Share], site_weights: Mapping[str, float] | None) -> Floats | None:
    """Weight of every stacked row, None when all are equal."""
    if site_weights is None:
        return None
    unknown = set(site_weights) ^ {share.site for share in shares}
    if unknown:
        raise ParameterError(f"site_weights and shares differ in sites: {sorted(unknown)}.")
    if any(not weight > 0 for weight in site_weights.values()):
        raise ParameterError("site_weights must be above 0.")
    return np.concatenate(
        [np.full(len(share.projection), float(site_weights[share.site])) for share in shares]
    )


def _target(
    frame: Frame, label: str | None, time: str | None, event: str | None
) -> dict[str, NDArray[Any]]:
    if (label is None) == (time is None) or (time is None) != (event is None):
        raise ParameterError("give either label, or both time and event.")
    wanted = [name for name in (label, time, event) if name is not None]
    for name in wanted:
        if name not in frame.names:
            raise SchemaError(f"column '{name}' is missing from the table.")
        if np.ma.getmaskarray(frame.array(name)).any():
            raise SchemaError(f"outcome '{name}' has missing values. Leave those rows out.")
    if label is not None:
        return {"label": frame.array(label)}
    times = frame.numbers(str(time))
    events = frame.array(str(event)).astype(np.int64)
    if not (np.isin(events, (0, 1)).all() and (times >= 0).all()):
        raise SchemaError(f"'{event}' must be 0 or 1 and '{time}' must not be negative.")
    return {"time": times, "event": events}


def _refuse_constant(scaled: Floats, names: Sequence[str]) -> None:
    if len(scaled) == 0:
        raise TableError("the site's table has no rows.")
    constant = [n for n, v in zip(names, scaled.T, strict=True) if v.min() == v.max()]
    if constant:
        raise SchemaError(
            f"features constant at this site: {', '.join(map(repr, constant))}. Who knows a "
            "constant can solve for the other features. Leave them out at every site."
        )


def _refuse_uniform(target: Mapping[str, NDArray[Any]], site: str) -> None:
    if "label" in target and len(np.unique(target["label"])) < 2:
        raise SchemaError(
            f"site '{site}' has rows of one class only: its file would tell every person's class."
        )
    if "event" in target and not target["event"].any():
        raise SchemaError(f"site '{site}' has no events: no survival model can learn from it.")


def _numpy(column: Any) -> NDArray[Any]:
    values = column.to_numpy()
    return values.astype(str) if values.dtype == object else values


def _arrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("pyarrow", "sites", "reading and writing shares") from None
