"""Loss of a release: measures of how coarse its labels are, all in one result.

Everywhere a label that covers one raw value costs nothing (a missing value released as missing
included), a suppressed row costs 1 in every column, and a label that hides whether a value is
missing costs 1.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from shoal._notebook import Plot, html_measures, plot_bars
from shoal.metrics._groups import classification_metric
from shoal.tables import FrequencyTable
from shoal.tables._recoded import Labels, Recoded
from shoal.typing import Floats

Measure = Literal["loss", "ncp", "height"]
"""How the labels of a column are compared with each other; see :func:`label_loss`."""


@dataclass(frozen=True)
class Metrics:
    """Sizes of a release's groups, and every measure of what it loses.

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
        return html_measures(self.to_dict())

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
    if isinstance(recoded, FrequencyTable):  # every cell is a group, and nothing is lost
        cells = groups = recoded
        hidden, precise, guessed = 0, 1.0, 0.0
        penalty = lost = raised = np.zeros(len(cells.names))
    else:
        cells, groups, hidden = recoded.cells, recoded.groups, recoded.n_suppressed
        penalty, lost = column_losses(recoded, "ncp"), column_losses(recoded)
        raised = column_losses(recoded, "height")
        precise, guessed = precision(recoded), non_uniform_entropy(recoded)
    sizes, n_rows = groups.sizes[groups.sizes > 0], cells.n_rows
    some = len(sizes) > 0
    height = float(raised.sum() * n_rows)
    return Metrics(
        n_rows=n_rows,
        n_suppressed=hidden,
        n_groups=len(sizes),
        smallest_group=int(sizes.min()) if some else 0,
        largest_group=int(sizes.max()) if some else 0,
        average_group_size=float(sizes.sum() / len(sizes)) if some else 0.0,
        discernibility=int((sizes * sizes).sum()) + hidden * n_rows,
        classification_metric=(
            None if target is None else classification_metric(groups, n_rows, target)
        ),
        ncp=dict(zip(cells.names, penalty.tolist(), strict=True)),
        gcp=float(penalty.mean()) if len(penalty) else 0.0,
        loss=float(lost.mean()) if len(lost) else 0.0,
        information_loss=height,
        information_loss_share=height / max(1, n_rows * len(penalty)),
        precision=precise,
        non_uniform_entropy=guessed,
        suppressed_share=hidden / n_rows if n_rows else 0.0,
    )


def released_raw(cells: FrequencyTable) -> Recoded:
    """Every cell released as it is."""
    codes = [np.arange(coding.n_codes, dtype=np.int32) for coding in cells.codings]
    labels = tuple(
        Labels(coding, coding.texts, code, code)
        for coding, code in zip(cells.codings, codes, strict=True)
    )
    group_of = np.arange(cells.n_groups, dtype=np.int64)
    raw = Recoded(cells, labels, cells.keys, group_of, tuple(codes))
    vars(raw)["groups"] = cells  # every cell is a group by itself: nothing has to be counted
    return raw


def label_loss(labels: Labels, measure: Measure = "loss") -> Floats:
    """What a row loses that is released with each label of a column, from 0 to 1.

    Numbers and dates without a hierarchy lie on a line: a range costs (high - low) / (max - min),
    whatever the measure.  Elsewhere a label that covers m out of M values costs

    - "loss", the loss metric LM [Iye02]_: (m - 1) / (M - 1);
    - "ncp", the normalized certainty penalty [XWP06]_: m / M;
    - "height" [BKBL07]_: the height of its subtree over that of the hierarchy.  A range that is no
      node counts as the lowest node that covers it; without a hierarchy any set costs 1.

    References
    ----------
    .. [BKBL07] J. Byun, A. Kamra, E. Bertino, N. Li.  Efficient k-anonymization using clustering
       techniques.  DASFAA 2007.  doi:10.1007/978-3-540-71703-4_18
    .. [Iye02] V. Iyengar.  Transforming data to satisfy privacy constraints.  KDD 2002.
       doi:10.1145/775047.775089
    .. [XWP06] J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu.  Utility-based anonymization using
       local recoding.  KDD 2006.  doi:10.1145/1150402.1150504
    """
    coding, tree = labels.coding, labels.coding.hierarchy
    n_values = max(1, coding.n_codes - (coding.missing >= 0))
    if tree is None and coding.kind in ("numeric", "date"):
        numbers = coding.numbers  # rising: without a hierarchy codes follow the numbers
        low, high = numbers[labels.low], numbers[labels.high]
        if labels.ends is not None:  # what is written counts, not whom it covers
            low, high = labels.ends.T
        width = np.nanmax(numbers, initial=-np.inf) - np.nanmin(numbers, initial=np.inf)
        cost = np.nan_to_num((high - low) / width) if width > 0 else np.zeros(len(low))
    elif measure == "loss":
        cost = (labels.covered - 1) / max(1, n_values - 1)
    elif measure == "ncp":
        cost = labels.covered / n_values
    elif tree is not None:
        covering = tree.lowest_common_ancestor(labels.low, labels.high)
        node = np.where(labels.node >= 0, labels.node, covering)
        cost = tree.height[node] / max(1, int(tree.height[tree.root]))
    else:
        cost = np.ones(len(labels.texts))
    missing = coding.missing
    hides_missing = (labels.low < labels.high) & (labels.high == missing) & (missing >= 0)
    return np.where(labels.is_raw, 0.0, np.where(hides_missing, 1.0, cost))


def column_losses(recoded: Recoded, measure: Measure = "loss") -> Floats:
    """What each column of a release loses, per row: 0 (raw) to 1 (nothing left).

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> release = Mondrian(schema, 2).fit({"age": [21, 22, 34, 35, 61, 62]}).release_
    >>> column_losses(release.recoded, "ncp").round(2).tolist()  # [20-34] and [30-69]
    [0.55]
    """
    sizes, n_rows = recoded.groups.sizes, recoded.cells.n_rows
    costs = np.zeros(len(recoded.labels))
    for column, labels in enumerate(recoded.labels):
        cost = label_loss(labels, measure)
        if cost.any():  # raw values cost nothing, and there may be millions of groups
            costs[column] = float((sizes * cost[recoded.codes[:, column]]).sum())
    return (costs + recoded.n_suppressed) / max(1, n_rows)


def precision(recoded: Recoded) -> float:
    """One less the mean share of levels that values were raised: Prec [Swe02]_.

    A value released as a node that first stands at level h of its hierarchy's levels 0 to H costs
    h / H, and the root 1.  A range that is no node counts as the lowest node that covers it;
    without a hierarchy there are two levels, the value and all else.

    References
    ----------
    .. [Swe02] L. Sweeney.  Achieving k-anonymity privacy protection using generalization and
       suppression.  International Journal on Uncertainty, Fuzziness and Knowledge-based
       Systems 10(5), 2002.
    """
    kept, sizes = ~recoded.suppressed, recoded.cells.sizes
    costs = []
    for column, labels in enumerate(recoded.labels):
        if labels.is_raw.all():
            costs.append(float(recoded.n_suppressed))
            continue
        label = recoded.codes[recoded.group_of[kept], column]
        tree = labels.coding.hierarchy
        if tree is None:
            share = (~labels.is_raw[label]).astype(np.float64)
        else:
            covering = tree.lowest_common_ancestor(labels.low, labels.high)
            node = np.where(labels.node >= 0, labels.node, covering)
            top = max(1, tree.n_levels - 1)
            first, last = np.full((2, tree.n_nodes), -1)  # level at which a node is above a value
            for level in range(tree.n_levels):
                down = tree.n_levels - 1 - level
                first[tree.levels[:, down]] = down
                nodes, below = tree.levels[:, level], tree.levels[:, max(0, level - 1)]
                last[nodes[(nodes != below) | (level == 0)]] = level
            of_label = np.where(first == last, first / top, -1.0)[node]
            of_label[node == tree.root] = 1.0  # short branches and missing values reach it early
            of_label[labels.is_raw] = 0.0
            share = of_label[label]
            if len(mixed := np.flatnonzero(share < 0)):  # values not equally far below their node
                leaf = recoded.cells.keys[kept, column][mixed]
                is_own = tree.levels[leaf] == node[label[mixed], None]
                share[mixed] = np.argmax(is_own, axis=1) / top
        costs.append(float((sizes[kept] * share).sum()) + recoded.n_suppressed)
    n_rows = max(1, recoded.cells.n_rows)
    return 1.0 - float(np.mean([cost / n_rows for cost in costs])) if costs else 1.0


def non_uniform_entropy(recoded: Recoded) -> float:
    """Bits needed to guess the raw values from the release, over the bits from nothing [GT09]_.

    A value v released as a label costs -log2(n(v) / n(label)), where n counts the table's rows
    with the value, and with any value that the label covers; a suppressed row's label covers all.
    0 when everything is raw, 1 when nothing is left.

    References
    ----------
    .. [GT09] A. Gionis, T. Tassa.  k-anonymization with minimal loss of information.  IEEE TKDE
       21(2), 2009.  doi:10.1109/TKDE.2008.129
    """
    cells = recoded.cells
    n_rows = cells.n_rows
    suppressed = recoded.suppressed
    lost = most = 0.0
    for column, labels in enumerate(recoded.labels):
        code = cells.keys[:, column]
        rows = np.bincount(code, weights=cells.sizes, minlength=labels.coding.n_codes)
        share = rows[rows > 0] / max(1, n_rows)
        most += float(-(share * np.log2(share)).sum() * n_rows)
        if labels.is_raw.all() and not suppressed.any():
            continue  # nothing is left to guess
        before = np.concatenate([[0.0], np.cumsum(rows)])
        of_label = before[labels.high + 1] - before[labels.low]
        inside = np.full(len(code), float(n_rows))
        inside[~suppressed] = of_label[recoded.codes[recoded.group_of[~suppressed], column]]
        counted = cells.sizes > 0
        bits = np.log2(inside[counted] / rows[code[counted]])
        lost += float((cells.sizes[counted] * bits).sum())
    return lost / most if most > 0 else 0.0
