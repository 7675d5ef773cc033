"""Tests of a private column in which a few people differ from everybody else."""

from __future__ import annotations

import numpy as np

from shoal.audit.trees._tree_model import TreeModel
from shoal.typing import Flags, Floats

SCALE = 10  # whole numbers within so much are a scale, which everybody knows
FEW_VALUES = 10  # of a column that are no more than a scale
NEARLY = 1e-6  # single precision, and libraries that keep the number below
ALMOST_ZERO = 1e-30  # where LightGBM cuts between zero and more
_AT_VALUES = {
    "at values": "tests of private column {name} that are at numbers of fewer than {k} people: "
    "round it before you train",
    "drawn": "tests of private column {name} that are drawn between the least and the largest "
    "number in each node: with the seed, those of fewer than {k} people follow from them. Round it "
    "before you train",
}
"""What is said of a column, by how the library chooses its tests."""


def lone_thresholds(model: TreeModel, k: int) -> tuple[str, ...]:
    """Why tests may tell the number of fewer than k people: they cut half-way to it.

    Everybody else has one of the numbers that many have, which are easily known (no fine, a fine of
    250): a threshold between such a number and theirs is the mean of both.
    """
    messages: list[str] = []
    for one in model.features.private:
        columns = [(model.features.doubles[:, n], _cuts(model, n)) for n in one.places.tolist()]
        if any(lies_next_to_few(column, cuts, k).any() for column, cuts in columns):
            messages.append(half_way_message(one.name, k))
        if any(_tells_value(model, column, cuts, k) for column, cuts in columns):
            messages.append(_AT_VALUES[model.cuts].format(name=repr(one.name), k=k))
    return tuple(messages)


def _tells_value(model: TreeModel, column: Floats, cuts: Floats, k: int) -> bool:
    """Whether cuts are what fewer than k people have, or follow from it, by how they are chosen."""
    values, counts = np.unique(column[np.isfinite(column)], return_counts=True)
    few = values[counts < k]
    if model.cuts in ("between", "in nodes") or len(values) <= FEW_VALUES or is_scale(values):
        return False
    if model.cuts == "drawn":  # from the least and the largest value of each node
        return bool(len(cuts) and len(few))
    strict = any(tree.strict for tree in model.trees)
    said = np.nextafter(cuts.astype(np.float32), np.float32(np.inf)) if strict else cuts
    return bool(np.isin(said.astype(np.float64), few).any())


def half_way_message(name: str, k: int) -> str:
    """The finding about a column, without any of its numbers."""
    return (
        f"tests of private column {name!r} lie next to what fewer than {k} people have and nearly "
        "everybody has not, which may follow from them"
    )


def lies_next_to_few(column: Floats, cuts: Floats, k: int) -> Flags:
    """Which cuts lie beside a number of the fewer than k people who have none that k people have.

    Whole numbers that follow one another are no news.
    """
    values, counts = np.unique(column[np.isfinite(column)], return_counts=True)
    common = counts >= min(k, counts.max(initial=0))
    if not 0 < counts[~common].sum() < k or is_scale(values):
        return np.zeros(len(cuts), np.bool_)
    above = np.searchsorted(values, cuts, side="right")
    inside = (above > 0) & (above < len(values))
    above = np.where(inside, above, 1)
    told: Flags = inside & ~(common[above] & common[above - 1])
    if (values == np.round(values)).all():
        told &= values[above] - values[above - 1] > 1
    for index in (above, above - 1):  # more than what many have: no sum of two numbers
        told &= ~(common[index] & np.isclose(cuts, values[index], rtol=NEARLY, atol=ALMOST_ZERO))
    return told


def lies_half_way(column: Floats, cuts: Floats, k: int) -> bool:
    """Whether some of these cuts are half-way between two values, and no round numbers."""
    cuts = cuts[lies_next_to_few(column, cuts, k)]
    values = np.unique(column[np.isfinite(column)])
    above = np.searchsorted(values, cuts, side="right")
    middle = (values[above - 1] + values[above]) / 2 if len(cuts) else cuts
    is_round = [np.isclose(cut, float(f"{cut:.1e}"), rtol=NEARLY, atol=0) for cut in cuts.tolist()]
    return bool((np.isclose(cuts, middle, rtol=NEARLY, atol=0) & ~np.array(is_round, bool)).any())


def _cuts(model: TreeModel, feature: int) -> Floats:
    """Thresholds of the tests of one feature."""
    cuts = [np.empty(0)]
    for tree in model.trees:
        tests = (tree.left >= 0) & (tree.feature == feature)
        tests[list(tree.chosen)] = False
        cuts.append(tree.threshold[tests])
    return np.unique(np.concatenate(cuts))


def is_scale(values: Floats) -> bool:
    """Whether these are whole numbers close to one another, a count of children for example."""
    values = values[np.isfinite(values)]
    if not len(values):
        return True
    return bool((values == np.round(values)).all()) and float(np.ptp(values)) <= SCALE
