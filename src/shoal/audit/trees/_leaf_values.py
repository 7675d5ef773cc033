"""Whether leaves of trees say what the people in them have, each counted once.

Spans tell people apart by the leaves they are in, and the shares in a leaf of k people count among
k.  That is so only where all of them count alike.  Where rows were drawn or weighted every leaf is
an equation in what people have, with a factor for each of them that anybody can compute from a
seed or a survey: a hundred small trees solve for everybody.  A median is somebody's number.
Weights may be private themselves, and sums of them are kept at every node: they matter even where
a model tells nothing else that is private.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from shoal.audit._row_groups import join_labels
from shoal.audit._training_table import TrainingTable
from shoal.typing import Floats

DRAWN = "rows were drawn for its trees, by which leaves tell of some people more than of others"
WEIGHTED = "values of leaves in which people do not count alike: it was fitted with weights"
UNSEEN = (
    "whether all people count alike, since rows were held back: weights may be private. Leave "
    "private columns that have nothing to do with the model out of table and schema"
)
FITTED = (
    "leaves that are not what people in them have of the target: it may have been fitted to "
    "another column, or from a start of each row's own"
)
OF_WEIGHTS = (WEIGHTED, UNSEEN, FITTED)
"""Reasons that matter wherever anything is private, whatever else a model tells."""
MEDIANS = "leaves that hold medians or other quantiles, which are somebody's number"
SEVERAL = "values of several targets"
BENT = (
    "absolute_error", "huber", "mape", "quantile", "reg:absoluteerror", "reg:quantileerror",
    "regression_l1",
)  # fmt: skip
"""Losses and criteria for which leaves hold quantiles: numbers of single people."""
CLOSE = 1e-6
"""How far sums in another order may be apart, relative to what is summed."""


def uneven_leaves(
    model: Any, features: NDArray[np.float32], table: TrainingTable, k: int
) -> tuple[str, ...]:
    """Why leaves of a tree or an ensemble of trees may tell of fewer people than are in them.

    `features` are the rows as the trees see them.  Of trees that count other people, values cannot
    be computed again: sums of weights are looked at instead.
    """
    return (*dict.fromkeys(_of_model(model, _read_people(model, features, table, k))),)


@dataclass(frozen=True, eq=False)
class _People:
    """The rows with their targets: a column for each class, or a number."""

    features: NDArray[np.float32]
    values: Floats
    weights: Floats
    k: int

    def weighted(self, model: Any) -> _People:
        """The same people with the weights of their classes, where a model has some."""
        wanted = getattr(model, "class_weight", None)
        if wanted is None:
            return self
        labels, codes = np.asarray(model.classes_), self.values.argmax(axis=1)
        # of a sample, too, where all rows are in it
        given = "balanced" if isinstance(wanted, str) else wanted
        try:
            own = compute_class_weight(given, classes=labels, y=labels[codes])
        except (TypeError, ValueError):  # weights of other classes: not those it was fitted with
            own = np.full(len(labels), np.nan)
        return replace(self, weights=np.asarray(own, np.float64)[codes])


def _read_people(
    model: Any, features: NDArray[np.float32], table: TrainingTable, k: int
) -> _People | None:
    target = table.schema.target
    if target is None:
        return None
    even = np.ones(table.n_rows)
    if not hasattr(model, "classes_"):
        return _People(features, np.asarray(table.numbers(target), np.float64)[:, None], even, k)
    codes, n_classes = table.class_codes(model.classes_), len(model.classes_)
    if codes is None:  # whatever it was fitted to, its leaves have other shares
        return _People(features, np.full((table.n_rows, n_classes), np.nan), even, k)
    return _People(features, (codes[:, None] == np.arange(n_classes)).astype(np.float64), even, k)


def _of_model(model: Any, people: _People | None) -> list[str]:
    """Why leaves may be uneven; nothing where they are not."""
    kind = type(model).__name__
    people = people and people.weighted(model)
    if not hasattr(model, "estimators_"):
        return _of_tree(model, people)
    given = model.estimators_  # an array in boosting; a list may have forests, which are lists, too
    members = given.ravel().tolist() if isinstance(given, np.ndarray) else list(given)
    if _draws(model, kind):
        other = people is not None and not _is_drawn_from(model, members, people)
        even = [] if _draws_evenly(model, members, people) else [UNSEEN]
        return [DRAWN, *even, *([FITTED] if other else [])]
    if kind.startswith("GradientBoosting"):
        even = all(_has_plain_weights(one.tree_) for one in members)
        other = people is not None and not _starts_from_target(model, members, people)
        bent = [MEDIANS] if model.loss in BENT else []
        return [*bent, *([] if even else [WEIGHTED]), *([FITTED] if other else [])]
    if kind.startswith("AdaBoost"):  # weights of later trees follow from what is told by the first
        members = members[:1]
    elif kind.startswith("OneVsRest") and people is not None:
        return [r for n, one in enumerate(members) for r in _of_model(one, _of_one(people, n))]
    elif kind.startswith("OneVs"):  # members have classes of their own
        people = None
    return [reason for one in members for reason in _of_model(one, people)]


def _of_one(people: _People, number: int) -> _People:
    """The same people with one class and all others; of two classes there is one model alone."""
    own = people.values[:, 1 if people.values.shape[1] == 2 else number]
    return replace(people, values=np.column_stack([1.0 - own, own]))


def _starts_from_target(model: Any, members: list[Any], people: _People) -> bool:
    """Whether leaves of the first round are what their people have over, beyond a shared start."""
    per_round = max(1, np.shape(model.estimators_)[-1])
    first = next((n for n, one in enumerate(members) if one.tree_.node_count > 1), 0)
    first -= first % per_round  # rounds without a test tell everybody the same
    for number, one in enumerate(members[first : first + per_round]):
        tree = one.tree_
        if tree.n_node_samples[0] != len(people.values):  # it counts others
            continue
        over, weights = _left_over(model, people.values, number)
        if model.loss in BENT:  # leaves hold somebody's number, or one between
            own = _is_between(tree, people.features, over[:, None])
        else:
            own = _has_means(tree, people, over, weights)
        if not own:
            return False
    return True


def _left_over(model: Any, values: Floats, number: int) -> tuple[Floats, Floats]:
    """What each row adds to a leaf of the first round, and its weight there."""
    if values.shape[1] == 1:
        own = values[:, 0]
        start = float(own.mean())
        if model.loss in BENT:
            start = float(np.ravel(getattr(model.init_, "constant_", np.nan))[0])
        return own - (0.0 if model.init == "zero" else start), np.ones(len(own))
    n_classes = values.shape[1]
    own = values[:, 1 if n_classes == 2 else number]
    share = 1 / n_classes if model.init == "zero" else float(own.mean())
    if not 0 < share < 1:  # a class that nobody has, or everybody
        return np.full(len(own), np.nan), np.ones(len(own))
    if model.loss == "exponential":
        side = 2 * own - 1
        return side, np.exp(-side * 0.5 * np.log(share / (1 - share)))
    several = (n_classes - 1) / n_classes if n_classes > 2 else 1.0
    return several * (own - share) / (share * (1 - share)), np.ones(len(own))


def _has_means(tree: Any, people: _People, own: Floats, weights: Floats) -> bool:
    ends = tree.apply(people.features)
    whole = np.bincount(ends, weights, tree.node_count)
    sums = np.bincount(ends, weights * own, tree.node_count)
    filled = whole > 0
    said = np.asarray(tree.value, np.float64)[filled, 0, 0]
    scale = float(np.abs(own).max(initial=0.0))
    return bool(np.allclose(said, sums[filled] / whole[filled], rtol=0, atol=CLOSE * scale))


def _is_drawn_from(model: Any, members: list[Any], people: _People) -> bool:
    """Whether leaves of drawn rows are what these have; or else each has k people, with others.

    Forests and bagging keep the seed of each draw.
    """
    trees = [one.tree_ for one in members if hasattr(one, "tree_")]
    if len(trees) == len(members):
        lots = _draws_of(model, members, len(people.values))
        tries = zip(trees, lots, strict=True) if lots else ()
        if lots and all(_has_drawn_values(tree, people, own) for tree, own in tries):
            return True
    parts = [part for one in members for part in getattr(one, "estimators_", [one])]
    ends = [part.tree_.apply(people.features) for part in np.ravel(parts) if hasattr(part, "tree_")]
    return bool(np.unique(join_labels(ends), return_counts=True)[1].min() >= people.k)


def _draws_of(model: Any, members: list[Any], n_rows: int) -> list[list[Floats]]:
    """How often each row was drawn for each tree; in one way or another, by release."""
    kind = type(model).__name__
    if kind.startswith("Bagging"):
        try:
            drawn = [np.asarray(own) for own in model.estimators_samples_]
        except AttributeError:  # the weights that it drew with were removed
            return []
        if any(own.max(initial=0) >= n_rows for own in drawn):
            return []
        return [[np.bincount(own, minlength=n_rows).astype(np.float64)] for own in drawn]
    if not kind.startswith(("RandomForest", "ExtraTrees")):
        return []
    size = getattr(model, "_n_samples_bootstrap", None) or n_rows
    draws: list[list[Floats]] = []
    for one in members:
        draws.append([])
        for kind_of_draw in (np.int64, np.int32):
            draw: Any = np.random.RandomState(one.random_state)
            drawn = draw.randint(0, n_rows, size, dtype=kind_of_draw)
            draws[-1].append(np.bincount(drawn, minlength=n_rows).astype(np.float64))
    return draws


def _has_drawn_values(tree: Any, people: _People, draws: list[Floats]) -> bool:
    ends = tree.apply(people.features)
    lots = (replace(people, weights=people.weights * draw) for draw in draws)
    return any(_has_own_sums(tree, own, ends) and _has_own_values(tree, own, ends) for own in lots)


def _is_between(tree: Any, features: NDArray[np.float32], own: Floats) -> bool:
    ends = tree.apply(features)
    low = np.full((tree.node_count, own.shape[1]), np.inf)
    high = -low
    np.minimum.at(low, ends, own)
    np.maximum.at(high, ends, own)
    filled = np.bincount(ends, minlength=tree.node_count) > 0
    said = np.asarray(tree.value, np.float64)[filled, 0, :]
    if said.shape[1] != own.shape[1]:
        return False
    if said.shape[1] > 1:
        said = said / said.sum(axis=1, keepdims=True)
    near = CLOSE * float(np.abs(own).max(initial=1.0))
    return bool(((low[filled] - near <= said) & (said <= high[filled] + near)).all())


def uneven_boosting(objective: str, *, drawn: bool) -> tuple[str, ...]:
    """The same of boosting whose values are sums over what earlier trees tell of people.

    Examples
    --------
    >>> uneven_boosting("squared_error", drawn=False)
    ()
    """
    if drawn:
        return (DRAWN,)
    return (MEDIANS,) if objective in BENT else ()


def _draws_evenly(model: Any, members: list[Any], people: _People | None) -> bool:
    """Whether rows were drawn with equal chances, and had no weights beside.

    Weights may have decided who was drawn, of which counts of rows tell nothing: the draws have to
    be found again.
    """
    trees = [one.tree_ for one in members if hasattr(one, "tree_")]
    if len(trees) < len(members) or getattr(model, "class_weight", None) is not None:
        return False
    if hasattr(model, "subsample"):
        return all(map(_has_plain_weights, trees))
    lots = [] if people is None else _draws_of(model, members, len(people.values))
    return bool(lots) and all(
        any(_has_drawn_sums(tree, people, draw) for draw in own)
        for tree, own in zip(trees, lots, strict=True)
    )


def _has_drawn_sums(tree: Any, people: _People | None, draw: Floats) -> bool:
    assert people is not None
    return _has_own_sums(tree, replace(people, weights=draw), tree.apply(people.features))


def _draws(model: Any, kind: str) -> bool:
    """Whether trees were grown on rows that were drawn."""
    some = kind.startswith("Bagging") and model.max_samples not in (None, 1.0)
    part = getattr(model, "subsample", 1.0) != 1.0
    return bool(getattr(model, "bootstrap", False) or some or part or kind == "AdaBoostRegressor")


def _of_tree(model: Any, people: _People | None) -> list[str]:
    tree = model.tree_
    if tree.n_outputs != 1:
        return [SEVERAL]
    bent = [MEDIANS] if getattr(model, "criterion", "") in BENT else []
    if people is None:  # classes of its own, or no target
        even = getattr(model, "class_weight", None) is not None or _has_plain_weights(tree)
    else:
        even = _is_even(tree, people, has_means=not bent)
    return bent if even else [*bent, WEIGHTED]


def _is_even(tree: Any, people: _People, *, has_means: bool) -> bool:
    ends = tree.apply(people.features)
    counts = np.bincount(ends, minlength=tree.node_count)
    leaf = tree.children_left < 0
    if (counts[leaf] != tree.n_node_samples[leaf]).any():  # it counts others
        return _has_plain_weights(tree)
    own = _has_own_values if has_means else _has_own_medians
    return _has_own_sums(tree, people, ends) and own(tree, people, ends)


def _has_own_medians(tree: Any, people: _People, ends: NDArray[np.int64]) -> bool:
    """Whether leaves have the medians of the people in them."""
    own, said = people.values[:, 0], np.asarray(tree.value, np.float64)[:, 0, 0]
    near = CLOSE * float(np.nanmax(np.abs(own), initial=1.0))
    order = np.argsort(ends, kind="stable")
    leaves, start = np.unique(ends[order], return_index=True)
    lots = np.split(own[order], start[1:])
    return all(
        abs(float(np.median(lot)) - said[leaf]) <= near
        for leaf, lot in zip(leaves, lots, strict=True)
    )


def _has_plain_weights(tree: Any) -> bool:
    """Whether sums of weights are counts of rows, or in proportion to them."""
    share = tree.weighted_n_node_samples / tree.n_node_samples
    return bool(np.allclose(share, share[0], rtol=CLOSE))


def _has_own_sums(tree: Any, people: _People, ends: NDArray[np.int64]) -> bool:
    """Whether sums of weights at leaves are those of the classes in them."""
    leaf = tree.children_left < 0
    whole = np.bincount(ends, people.weights, tree.node_count)[leaf]
    said = tree.weighted_n_node_samples[leaf]
    return bool(np.allclose(said / said.sum(), whole / whole.sum(), rtol=CLOSE, atol=0))


def _has_own_values(tree: Any, people: _People, ends: NDArray[np.int64]) -> bool:
    """Whether leaves have the shares of classes, or the mean, of the people in them."""
    said = np.asarray(tree.value, np.float64)[:, 0, :]
    if said.shape[1] != people.values.shape[1]:
        return False
    whole = np.bincount(ends, people.weights, tree.node_count)
    filled = whole != 0
    scale = np.nanmax(np.abs(people.values), initial=1.0)
    for column, own in enumerate(people.values.T):
        sums = np.bincount(ends, people.weights * own, tree.node_count)
        mean = sums[filled] / whole[filled]
        share = said[filled] if said.shape[1] == 1 else said[filled] / said[filled].sum(1)[:, None]
        if not np.allclose(share[:, column], mean, rtol=0, atol=CLOSE * scale):
            return False
    return True
