"""Numbers of a model that too few people decide, where the target is private.

Spans say whom a model tells apart by what it *asks*.  Coefficients and centroids also tell what
they were *fitted* to: one for each postcode, say, is the class of the one person who lives there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audit._feature_map import Features
from shoal.audit._training_table import TrainingTable
from shoal.audit.fits._linear_fit import (
    LinearFit,
    consists_of_means,
    has_own_means,
    is_known,
    leverages,
    numbers_beside,
    read_fit,
)
from shoal.audit.fits._lone_numbers import lone_message, lone_sums
from shoal.audit.fits._moment_bits import (
    MOST_BITS,
    bits_of_classes,
    bits_of_numbers,
    steps_of,
    tells_too_much,
)
from shoal.audit.fits._refitted import finds_again
from shoal.audit.fits._sums_of_few import BitsOfPeople, Part, add_columns, add_parts
from shoal.typing import Flags, Floats

MOST_CELLS = 50_000_000
"""Cells of features up to which leverages are computed: three copies of them are held."""
MOST_WORK = 2e11
"""Multiplications up to which they are."""
ADDS_UP = (
    "means of what everybody knows of people, as exact as all that is private: who adds up to them "
    "may be computed. Round what is known, or train on more people"
)
UNEVEN = (
    "to which people do not count alike: it was fitted with weights, to another table, or its "
    "solver stopped early"
)
BESIDE = 0.1
"""Share of their people's deviation by which centroids may miss the mean: solvers stop early."""
EXACT = 1e-7
"""Share of the targets' range within which a prediction is the target: no chance hits that."""


def small_classes(table: TrainingTable, k: int) -> tuple[str, ...]:
    """What is not known to be safe since a class has few people: means and coefficients are theirs.

    Empty where the target is no secret.
    """
    if not table.target_is_private:
        return ()
    codes = table.frame.factorize(str(table.schema.target))[0]
    sizes = np.bincount(codes[codes >= 0])
    few = int(((sizes > 0) & (sizes < k)).sum())
    if not few:
        return ()
    return (f"numbers that were fitted to {few:,} classes with fewer than {k} people each",)


def few_behind_coefficients(matrix: Floats, k: int) -> tuple[str, ...]:
    """Messages on parts of a fit that fewer than k people decide, so not known to be safe.

    The measure is leverage: in least squares it is the weight of a person's own target in what the
    model says about that person, and a feature that m people share gives each of them 1 / m.
    """
    weight = _leverages(matrix)
    if weight is None:
        return (f"numbers for {matrix.shape[1]:,} features, too many to see whose they are",)
    exposed = int((weight * k > 1 + 1e-9).sum())
    return (_decided(exposed, k),) if exposed else ()


def _decided(exposed: int, k: int) -> str:
    return f"numbers by which fewer than {k} people decide what is said about {exposed:,} people"


def few_behind_fit(last: Any, matrix: Floats, table: TrainingTable, k: int) -> tuple[str, ...]:
    """What is not known to be safe of a linear model beside leverages of least squares.

    Those are of the best fit to people who count alike, and other losses have others.  A model by
    quantiles passes through some people's targets, and whoever predicts for everybody finds
    targets that are whole numbers.
    """
    kind = type(last).__name__
    messages = [] if is_known(last) else [f"coefficients of {kind}, which few people may decide"]
    target = str(table.schema.target)
    is_number = not hasattr(last, "classes_") and table.frame.types.get(target) == "number"
    if is_number and table.target_is_private:
        said = matrix @ np.ravel(last.coef_) + float(np.ravel(last.intercept_)[0])
        wanted = np.asarray(table.frame.numbers(target), np.float64)
        if people := _told_exactly(said, wanted, k):
            messages.append(f"predictions that are exactly the target of {people:,} people")
        everybody = np.zeros(len(wanted), np.int64)
        messages += [lone_message(one, k) for one in lone_sums(table, (target,), everybody, k)]
    if not is_known(last) or _is_large(matrix):
        return tuple(messages)
    fit = read_fit(last, matrix, table)
    if not _is_even(last, fit, matrix, table):
        messages.append(f"coefficients of {kind} {UNEVEN}")
    elif fit is not None and (exposed := int((leverages(fit, matrix) * k > 1 + 1e-9).sum())):
        messages.append(_decided(exposed, k))
    gaps = np.zeros(matrix.shape[1]) if fit is None else np.abs(fit.slope).max(axis=1)
    if _is_solvable(last, matrix, gaps, table):
        beside = "".join(f" and {name}" for name in numbers_beside(last))
        messages.append(
            f"coefficients{beside} as exact as all that is private: who adds up to them may be "
            "computed"
        )
    return tuple(messages)


def uneven_fit(last: Any, matrix: Floats, table: TrainingTable) -> tuple[str, ...]:
    """What is not known to be safe of a model that tells nothing private, but of weights."""
    kind = type(last).__name__
    if not is_known(last) or _is_large(matrix):
        return (f"whether people count alike for {kind}: weights may be private",)
    if _is_even(last, read_fit(last, matrix, table), matrix, table):
        return ()
    return (f"coefficients of {kind} {UNEVEN}",)


def _is_even(last: Any, fit: LinearFit | None, matrix: Floats, table: TrainingTable) -> bool:
    """Whether a model is the best fit to the table, or has the means of its classes."""
    if consists_of_means(last):
        return has_own_means(last, matrix, table)
    return fit is None or fit.is_best


def _is_solvable(last: Any, matrix: Floats, gaps: Floats, table: TrainingTable) -> bool:
    """Whether coefficients have as many bits as the private values of all people together."""
    target = table.schema.target
    if target is None:
        return False
    is_class = hasattr(last, "classes_")
    steps = 1.0 if is_class else steps_of(np.asarray(table.frame.numbers(target), np.float64))
    hidden = [target] if table.target_is_private else [*table.private]
    n_outputs = max(1, len(last.classes_) - 1) if is_class else 1
    n_beside = sum(numbers_beside(last).values())
    unknown = min(_bits(table, name) for name in hidden)
    if tells_too_much(matrix, steps, gaps, unknown, n_outputs, n_beside):
        return True
    bits = BitsOfPeople(len(matrix))
    bits.add(np.arange(len(matrix)), n_beside * MOST_BITS, unknown)

    def of_some(people: NDArray[np.intp]) -> float:
        return min(_bits(table, name, people) for name in hidden)

    add_columns(bits, matrix, steps, gaps, of_some, n_outputs)
    return bits.is_all


def known_sums(
    table: TrainingTable, private: Sequence[str], parts: Iterable[Part]
) -> tuple[str, ...]:
    """What is not known to be safe of means of a target that everybody knows.

    Leaves of private tests add it up over people whom nobody knows to be there: of few people one
    choice alone adds up to the sum.  `parts` are the rows numbered by the leaves that they can
    reach, these leaves, and the leaf of each row, for every tree.
    """
    target = table.schema.target
    if target is None or table.target_is_private or not private:
        return ()
    known = np.asarray(table.numbers(target), np.float64)[:, None]
    unknown = min(_bits(table, name) for name in private)
    n_sums, bits = 0, BitsOfPeople(len(known))
    for label, outputs, own, n_leaves in parts:
        n_sums += 2 * (n_leaves - 1)  # beside a mean a leaf has a deviation
        add_parts(bits, label, outputs, own, known, 2)
    too_much = tells_too_much(known, 1.0, np.zeros(1), unknown, max(1, n_sums))
    return (ADDS_UP,) if too_much or bits.is_all else ()


def _known_coordinates(
    centres: Floats, matrix: Floats, public: Flags, own: NDArray[np.int64], reach: Flags
) -> tuple[str, ...]:
    """The same of public coordinates of centroids, over rows that may be in several clusters."""
    several = reach.sum(axis=1) > 1
    known = matrix[several][:, public]
    if not len(known) or not known.shape[1] or len(centres) < 2:
        return ()
    ways, label = np.unique(reach[several], axis=0, return_inverse=True)
    bits = BitsOfPeople(len(known))
    add_parts(bits, label.ravel(), [np.flatnonzero(way) for way in ways], own[several], known)
    gaps = np.zeros(known.shape[1])
    too_much = tells_too_much(known, 1.0, gaps, 1.0, len(centres) - 1)
    return (ADDS_UP,) if too_much or bits.is_all else ()


def _bits(table: TrainingTable, name: str, people: NDArray[np.intp] | None = None) -> float:
    """Bits that are not known of a private value: of everybody, or of some people."""
    some = slice(None) if people is None else people
    if table.schema[name].kind == "numeric" and table.frame.types[name] == "number":
        numbers = np.asarray(table.frame.numbers(name), np.float64)
        return bits_of_numbers(numbers[some], steps_of(numbers))
    return bits_of_classes(table.frame.factorize(name)[0][some])


def _told_exactly(said: Floats, wanted: Floats, k: int) -> int:
    """People whose target is predicted to the last digit, and that of fewer than k of them."""
    known = np.isfinite(wanted) & np.isfinite(said)
    if not known.any():
        return 0
    near = EXACT * float(np.ptp(wanted[known]))
    with np.errstate(over="ignore"):  # of models that predict logarithms
        hit = known & ((np.abs(said - wanted) <= near) | (np.abs(np.exp(said) - wanted) <= near))
    _, group, sizes = np.unique(np.round(said, 9), return_inverse=True, return_counts=True)
    return int((hit & (sizes[group.ravel()] < k)).sum())


def few_behind_centroids(
    last: Any, own: NDArray[np.int64], features: Features, k: int, reach: Flags
) -> tuple[str, ...]:
    """What is not known to be safe since a centroid is the mean of few people, or of one.

    `own` is the centroid nearest to each row, `reach` those that it may be nearest to.
    Spans do not see it: they say who may be in a cluster, and a mean of one row is that row,
    private columns and all.  With weights, or after few rounds, centroids are not the means of
    those that are nearest; with a seed they can be found again.
    """
    centres, matrix = np.asarray(last.cluster_centers_, np.float64), features.doubles
    has_private = bool(features.private)
    sizes = np.bincount(own, minlength=len(centres))
    messages = []
    few = int(((sizes > 0) & (sizes < k)).sum())
    if few and has_private:
        whose = f"fewer than {k} people have each"
        messages.append(f"private coordinates of {few:,} centroids that {whose}")
    rows = [matrix[own == centre] for centre in range(len(centres))]
    lost, far = (
        sum(not _is_mean(*pair, beside) for pair in zip(centres, rows, strict=True))
        for beside in (0.0, BESIDE)
    )
    is_drawn = type(last).__name__.startswith("MiniBatch") and has_private
    if lost and ((far and has_private) or is_drawn or not finds_again(last, matrix)):
        messages.append(
            f"coordinates of {lost:,} centroids that are not the mean of their people, by which "
            "some may count more than others: fit with tol=0 and many rounds (max_iter), or with a "
            "number as random_state"
        )
    return (*messages, *_known_coordinates(centres, matrix, ~features.is_private, own, reach))


def _is_mean(centre: Floats, rows: Floats, beside: float) -> bool:
    if not len(rows):
        return False
    away = np.abs(rows.mean(axis=0) - centre)
    return not (away > beside * rows.std(axis=0) + 1e-9 * (1 + np.abs(centre))).any()


def _is_large(matrix: Floats) -> bool:
    n_rows, width = matrix.shape
    return n_rows * width > MOST_CELLS or n_rows * width * min(n_rows, width) > MOST_WORK


def _leverages(matrix: Floats) -> Floats | None:
    """Diagonal of the projection onto the features and a constant; None if it takes too long."""
    n_rows = len(matrix)
    if _is_large(matrix):
        return None
    known = np.where(np.isfinite(matrix), matrix, 0.0)
    spread = np.abs(known).max(axis=0, initial=0.0)
    design = np.column_stack([np.ones(n_rows), known / np.where(spread > 0, spread, 1.0)])
    basis, sizes, _ = np.linalg.svd(design, full_matrices=False)
    kept = sizes > sizes.max() * max(design.shape) * np.finfo(np.float64).eps
    leverages: Floats = (basis[:, kept] ** 2).sum(axis=1)
    return leverages
