"""What a site publishes: projections, outcomes and what it needs to be read."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError, ProtocolError, SchemaError, TableError
from shoal.federated.kernels._kernel_functions import KERNELS, order_of_rows
from shoal.federated.kernels._random_kernel import RandomKernel
from shoal.frames._frame import Frame
from shoal.tables import open_table
from shoal.typing import Floats

VERSION = 2
"""Of a share's metadata; fingerprints of version 1 confirmed a guessed seed."""
MAX_FEATURES = 2**16
DEPENDENT = 1e-9
"""Width of the rows in some direction, of the widest, below which it is rounding."""
INVOLVED = 1e-6
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
            "version": VERSION,
            "site": self.site,
            "rows": len(self.projection),
            "components": self.projection.shape[1],
            "outcome": self.outcome,
            "fingerprint": self.fingerprint,
            "features": list(self.features),
            "ranges": [list(r) for r in self.ranges],
            "kernel": self.kernel,
        }


def share_from_facts(
    facts: object, projection: NDArray[Any], target: Mapping[str, NDArray[Any]]
) -> Share:
    """A share that another site made, from its `to_dict` and its arrays, each held against it."""
    if not isinstance(facts, dict):
        raise ProtocolError("a share's metadata are missing or damaged.")
    if facts.get("version", 1) != VERSION:
        raise ProtocolError(
            "a share comes from another version of Shoal; fingerprints of version 1 could confirm "
            "a guessed seed. Draw a new kernel and make the shares again, all with one version."
        )
    wrong = [name for name, fits in _FACTS.items() if not fits(facts.get(name))]
    if not wrong and len(facts["features"]) != len(facts["ranges"]):
        wrong = ["ranges"]
    if wrong:
        raise ProtocolError(f"a share's metadata are damaged: {', '.join(wrong)}.")
    rows = np.asarray(projection)
    if rows.dtype != np.float64 or rows.ndim != 2 or rows.shape[1] != facts["components"]:
        raise ProtocolError(f"expected {facts['components']} columns of projected numbers.")
    if not np.isfinite(rows).all() or any(np.ndim(values) != 1 for values in target.values()):
        raise ProtocolError("a share's projections or outcomes are damaged.")
    if sorted(target) != sorted(OUTCOMES[facts["outcome"]]):
        raise ProtocolError("a share's outcomes are not those that its metadata say.")
    if any(
        values.dtype.kind not in "biufU" or is_missing(values).any()
        for values in map(np.asarray, target.values())
    ):
        raise ProtocolError(
            "a share's outcomes are neither numbers nor words, or some are missing."
        )
    return Share(
        facts["site"],
        rows,
        target,
        facts["fingerprint"],
        tuple(facts["features"]),
        tuple((float(low), float(high)) for low, high in facts["ranges"]),
        facts["kernel"],
    )


def plain_site(name: object) -> bool:
    """Whether a site's name can be part of a file's name."""
    return (
        isinstance(name, str)
        and bool(name)
        and Path(name).name == name
        and name.isprintable()
        and not name.startswith(".")
        and len(name) <= 100
    )


def _is_range(ends: object) -> bool:
    return (
        isinstance(ends, list)
        and len(ends) == 2
        # by type, since True is an int, too
        and all(type(end) in (int, float) and np.isfinite(end) for end in ends)
    )


_FACTS: Mapping[str, Callable[[Any], bool]] = {
    "site": plain_site,
    "components": lambda count: type(count) is int and 0 < count < MAX_FEATURES,
    "outcome": lambda outcome: isinstance(outcome, str) and outcome in OUTCOMES,
    "fingerprint": lambda text: isinstance(text, str) and bool(re.fullmatch("[0-9a-f]{64}", text)),
    "features": lambda names: (
        isinstance(names, list)
        and len(names) < MAX_FEATURES
        and all(isinstance(name, str) for name in names)
        and len(set(names)) == len(names)
    ),
    "ranges": lambda ranges: isinstance(ranges, list) and all(map(_is_range, ranges)),
    "kernel": lambda kernel: isinstance(kernel, str) and kernel in KERNELS,
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

    Rows come in an order that follows from their projections: in that of the table, row i of the
    file would be person i of a list that others may have, with the outcome beside it.

    A site whose outcome is the same for everyone (one class, no event, events only) is refused
    unless `allow_uniform_outcome`: the published file would say each person's outcome.

    Examples
    --------
    >>> import polars as pl
    >>> ranges = {"age": (0, 100), "dose": (0, 80), "score": (0, 4)}
    >>> kernel = RandomKernel(ranges).fit()
    >>> rows = pl.DataFrame({"age": [50, 70], "dose": [60, 20], "score": [1, 3], "died": [0, 1]})
    >>> make_share(kernel, rows, "gent", label="died")
    Share(site='gent', 2 rows, 2 components, label)
    """
    if not plain_site(site):
        raise ParameterError("site must be a plain name that can be part of a file's name.")
    frame = open_table(table).frame()
    target = _target(frame, label, time, event)
    scaled = kernel.scaled(frame.native)
    _refuse_constant(scaled, list(kernel.ranges_))
    _refuse_dependent(scaled, list(kernel.ranges_), len(kernel.basis_))
    if not allow_uniform_outcome:
        _refuse_uniform(target, site)
    projection = kernel.project(scaled)
    order = order_of_rows(projection, *target.values())  # not that of the table: see above
    return Share(
        site=site,
        projection=projection[order],
        target={name: values[order] for name, values in target.items()},
        fingerprint=kernel.fingerprint,
        features=tuple(kernel.ranges_),
        ranges=tuple(kernel.ranges_.values()),
        kernel=kernel.kernel,
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
        if is_missing(frame.array(name)).any():
            raise SchemaError(f"outcome '{name}' has missing values. Leave those rows out.")
    if label is not None:
        return {"label": frame.array(label)}
    times = frame.numbers(str(time))
    try:
        events = np.asarray(frame.array(str(event))).astype(np.float64)
    except (TypeError, ValueError):
        events = np.full(1, np.nan)
    if not (np.isin(events, (0, 1)).all() and (times >= 0).all() and np.isfinite(times).all()):
        raise SchemaError(f"'{event}' must be 0 or 1 and '{time}' a number that is not negative.")
    return {"time": times, "event": events.astype(np.int64)}


def is_missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which values are missing, or no numbers in a column of numbers."""
    masked: NDArray[np.bool_] = np.ma.getmaskarray(values)
    if values.dtype.kind != "f":
        return masked
    return masked | ~np.isfinite(np.ma.getdata(values))


def _refuse_constant(scaled: Floats, names: Sequence[str]) -> None:
    if len(scaled) == 0:
        raise TableError("the site's table has no rows.")
    constant = [n for n, v in zip(names, scaled.T, strict=True) if v.min() == v.max()]
    if constant:
        raise SchemaError(
            f"features constant at this site: {', '.join(map(repr, constant))}. Who knows a "
            "constant can solve for the other features. Leave them out at every site."
        )


def _refuse_dependent(scaled: Floats, names: Sequence[str], n_components: int) -> None:
    """Raise if components and dependencies between features make as many equations as features.

    A constant feature is one equation more; so are the parts of a category (they add up to 1), a
    total beside its parts, and the same number in two units.
    """
    n_rows, n_features = scaled.shape
    if n_rows <= n_features:  # some sum fits so few rows by chance, and nobody knows which
        return
    # its singular values are those of the rows, of which there may be millions
    triangle = np.linalg.qr(scaled - scaled.mean(axis=0), mode="r")
    _, lengths, directions = np.linalg.svd(triangle)
    dependent = directions[lengths <= DEPENDENT * lengths.max()]
    if n_components + len(dependent) < n_features:  # fewer equations than unknowns
        return
    involved = [
        n for n, own in zip(names, np.abs(dependent).T, strict=True) if own.max() > INVOLVED
    ]
    raise SchemaError(
        f"features that follow from one another at this site: {', '.join(map(repr, involved))}. "
        f"With {n_components} components every row could be computed from its projection by "
        "whoever has B and knows how they do. Leave one of them out at every site (of the parts "
        "of a category, any one), or draw a kernel with fewer components."
    )


def _refuse_uniform(target: Mapping[str, NDArray[Any]], site: str) -> None:
    if "label" in target and len(np.unique(target["label"])) < 2:
        raise SchemaError(
            f"site '{site}' has rows of one class only: its file would tell every person's class."
        )
    if "event" in target and not target["event"].any():
        raise SchemaError(f"site '{site}' has no events: no survival model can learn from it.")
    if "event" in target and target["event"].all():
        raise SchemaError(
            f"site '{site}' has rows with events only: its file would tell that everybody had one. "
            "Where no secret is in that, allow it (allow_uniform_outcome, --allow-uniform-outcome)."
        )
