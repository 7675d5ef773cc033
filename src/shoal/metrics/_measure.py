"""All metrics of a release in one result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from shoal._notebook import Plot, flat_rows, html_table, plot_bars
from shoal.metrics._groups import classification_metric
from shoal.metrics._labels import column_losses, non_uniform_entropy, precision
from shoal.tables import FrequencyTable
from shoal.tables._recoded import Labels, Recoded


@dataclass(frozen=True)
class Metrics:
    """What a release keeps and what it loses.

    Parameters
    ----------
    n_rows, n_suppressed, n_groups : int
        Rows of the table, those that are left out, and groups of those that are not.
    smallest_group, largest_group : int
        Rows in them; 0 when nothing is released.
    average_group_size : float
        Released rows per group.
    discernibility : int
        Rows that each row cannot be told from, summed [BA05]_: the squares of the groups' sizes; a
        suppressed row costs as many as the table has rows.
    classification_metric : float or None
        Share of rows suppressed or outside their group's majority class.
    ncp : dict of str to float
        Normalized certainty penalty of each column.
    gcp, loss : float
        Mean NCP and mean loss metric over columns, 0 to 1.
    information_loss, information_loss_share : float
        Hierarchical loss summed over rows and columns, and its mean (0 to 1).
    precision : float
        1 when nothing is generalized, 0 when everything is.
    non_uniform_entropy : float
        Uncertainty about raw values, 0 to 1.
    suppressed_share : float
        Suppressed rows over rows.

    References
    ----------
    .. [BA05] R. Bayardo, R. Agrawal.  Data privacy through optimal k-anonymization.  ICDE 2005.
       doi:10.1109/ICDE.2005.42

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> people = {
    ...     "age": [21, 22, 34, 35, 61, 62],
    ...     "illness": ["flu", "flu", "cold", "flu", "gout", "cold"],
    ... }
    >>> schema = Schema(
    ...     {
    ...         "age": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "illness": {"role": "sensitive", "target": True},
    ...     }
    ... )
    >>> release = Mondrian(schema, 2, ranges="exact").fit(people).release_
    >>> metrics = release.metrics
    >>> metrics.smallest_group, metrics.average_group_size, round(metrics.gcp, 2)
    (3, 3.0, 0.49)
    """

    n_rows: int
    n_suppressed: int
    n_groups: int
    smallest_group: int
    largest_group: int
    average_group_size: float
    discernibility: int
    classification_metric: float | None
    ncp: dict[str, float]
    gcp: float
    loss: float
    information_loss: float
    information_loss_share: float
    precision: float
    non_uniform_entropy: float
    suppressed_share: float

    def plot(self) -> Plot:
        """Draw how much of each column's detail is lost; needs matplotlib."""
        return plot_bars(
            "Detail lost", [*self.ncp], [100 * share for share in self.ncp.values()], "%"
        )

    def _repr_html_(self) -> str:
        rows = [[name.replace("_", " "), value] for name, value in self.to_dict().items()]
        return html_table("", ["measure", "value"], flat_rows(rows))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def measure(recoded: Recoded | FrequencyTable, *, target: str | None = None) -> Metrics:
    """Compute every metric of a release, or of a table as it was.

    Parameters
    ----------
    recoded : Recoded or FrequencyTable
        `release.recoded`, or `release.recoded.cells` for the table as it was.
    target : str, optional
        The column of classes, for the classification metric.

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> people = {
    ...     "age": [21, 22, 34, 35, 61, 62],
    ...     "illness": ["flu", "flu", "cold", "flu", "gout", "cold"],
    ... }
    >>> schema = Schema(
    ...     {
    ...         "age": {"role": "quasi-identifier", "kind": "numeric"},
    ...         "illness": {"role": "sensitive", "target": True},
    ...     }
    ... )
    >>> release = Mondrian(schema, 2, ranges="exact").fit(people).release_
    >>> metrics = measure(release.recoded, target="illness")
    >>> metrics.n_groups, metrics.discernibility, metrics.classification_metric
    (2, 18, 0.5)
    >>> measure(release.recoded.cells).n_groups  # before
    6
    """
    if isinstance(recoded, FrequencyTable):
        recoded = released_raw(recoded)
    sizes = recoded.groups.sizes[recoded.groups.sizes > 0]
    n_rows, hidden = recoded.cells.n_rows, recoded.n_suppressed
    some = len(sizes) > 0
    penalty, lost = column_losses(recoded, "ncp"), column_losses(recoded)
    height = float(column_losses(recoded, "height").sum() * n_rows)
    return Metrics(
        n_rows=n_rows,
        n_suppressed=hidden,
        n_groups=len(sizes),
        smallest_group=int(sizes.min()) if some else 0,
        largest_group=int(sizes.max()) if some else 0,
        average_group_size=float(sizes.sum() / len(sizes)) if some else 0.0,
        discernibility=int((sizes * sizes).sum()) + hidden * n_rows,
        classification_metric=None if target is None else classification_metric(recoded, target),
        ncp=dict(zip(recoded.cells.names, penalty.tolist(), strict=True)),
        gcp=float(penalty.mean()) if len(penalty) else 0.0,
        loss=float(lost.mean()) if len(lost) else 0.0,
        information_loss=height,
        information_loss_share=height / max(1, n_rows * len(penalty)),
        precision=precision(recoded),
        non_uniform_entropy=non_uniform_entropy(recoded),
        suppressed_share=hidden / n_rows if n_rows else 0.0,
    )


def released_raw(cells: FrequencyTable) -> Recoded:
    """Every cell released as it is."""
    codes = [np.arange(coding.n_codes, dtype=np.int32) for coding in cells.codings]
    labels = tuple(
        Labels(
            coding,
            coding.texts,
            np.full(len(code), -1, np.int32) if coding.hierarchy is None else code,
            code,
            code,
            np.ones(len(code), np.int64),
        )
        for coding, code in zip(cells.codings, codes, strict=True)
    )
    group_of = np.arange(cells.n_groups, dtype=np.int64)
    raw = Recoded(cells, labels, cells.keys, group_of, tuple(codes))
    vars(raw)["groups"] = cells  # every cell is a group by itself: nothing has to be counted
    return raw
