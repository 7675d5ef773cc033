"""Conditions on the whole table: searched for by conditions on groups, ever stricter ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shoal.anonymize._subjects import count_exactly
from shoal.errors import InfeasibleError
from shoal.privacy import PrivacyModel
from shoal.tables._people import People
from shoal.tables._recoded import Recoded

Attempt = Callable[[PrivacyModel], tuple[Recoded, tuple[str, ...]]]
"""Searches with a condition on groups; says what was recoded, and what there is to be said."""


def climb(
    privacy: PrivacyModel,
    rungs: Sequence[PrivacyModel],
    attempt: Attempt,
    people: People | None = None,
) -> tuple[Recoded, tuple[str, ...]]:
    """A release that keeps `privacy`, by the lowest rung of its ladder that was found to do.

    A model that judges groups is searched for as it is.  Otherwise rungs are halved: one whose
    release breaks the promise is too low, one that has no release too high.  The last rung implies
    the promise.  A lower rung than the one taken may do where searches are no better for being
    asked less; then detail is lost, never the promise.
    """
    if tuple(rungs) == (privacy,):
        return attempt(privacy)
    low, high, best = 0, len(rungs), None
    made, result, reached, refused = -1, None, float("nan"), None
    while low < high:
        middle = (low + high) // 2
        try:
            result, made = attempt(rungs[middle]), middle
        except InfeasibleError as error:
            refused = error
            low, high = (low, middle) if best is None else (middle + 1, high)
            continue
        if keeps(privacy, result[0], people):
            best = high = middle
        else:
            low, reached = middle + 1, privacy.value(privacy.prepare(result[0].groups))
    if best is None:
        raise _infeasible(privacy, reached, refused)
    if result is None or made != best:  # what is fitted is of the last attempt
        result = attempt(rungs[best])
    recoded, said = result
    note = f"searched with the condition that {rungs[best].describe()}, which was found to suffice"
    return recoded, (*said, note)


def keeps(privacy: PrivacyModel, recoded: Recoded, people: People | None) -> bool:
    """Whether released groups keep a promise by its definition."""
    if people is None:
        return bool(privacy.holds(privacy.prepare(recoded.groups)).all())
    return all(
        bool(privacy.holds(privacy.prepare(table)).all())
        for table in count_exactly(recoded, people, privacy)
    )


def _infeasible(
    privacy: PrivacyModel, reached: float, refused: InfeasibleError | None
) -> InfeasibleError:
    hint = "Relax the condition, or let values be coarsened further or rows suppressed."
    if refused is not None:
        hint = f"None was found; that there is none is not shown. The search ended with: {refused}"
    return InfeasibleError(
        f"{privacy.describe()}, a condition on the whole table",
        required=privacy.required,
        achieved=reached,
        hint=hint,
    )
