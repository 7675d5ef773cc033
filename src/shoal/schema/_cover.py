"""Values of the data that a hierarchy lacks: all of them at once, with the way out."""

from collections.abc import Sequence

from shoal.errors import UncoveredValuesError
from shoal.schema._column import Column
from shoal.schema._days import read_day
from shoal.schema._hierarchy import Hierarchy


def check_lost(
    hierarchy: Hierarchy, lost: Sequence[str], name: str, column: Column, missing_to_root: bool
) -> None:
    """Raise unless the lost values may be put under the root."""
    inner = [value for value in lost if hierarchy.find(value) >= 0]
    if inner:
        raise _uncovered(
            name,
            column,
            inner,
            f"{len(inner)} values are inner nodes of its hierarchy. Only leaves can be values; "
            "rename the nodes.",
        )
    if not missing_to_root:
        raise _uncovered(
            name,
            column,
            lost,
            f"its hierarchy lacks {len(lost)} of the values. Add a line for each one, or put them "
            "straight under the root with --missing-to-root (missing_to_root=True)."
            + _read_as(hierarchy, lost),
        )


def _read_as(hierarchy: Hierarchy, lost: Sequence[str]) -> str:
    """What to do where the hierarchy has values that the table's reader writes in another way."""
    labels = [label for label in hierarchy.labels if label is not None]
    days = {day.isoformat() for day in map(read_day, labels) if day is not None}
    if not days.isdisjoint(lost):
        return " Days of the table are read as YYYY-MM-DD: write them so in the hierarchy, too."
    numbers = {label.replace(",", ".") for label in labels if "," in label}
    if not numbers.isdisjoint(lost):
        return " Numbers of the table are read with a point: write them so in the hierarchy, too."
    return ""


def _uncovered(name: str, column: Column, values: Sequence[str], what: str) -> UncoveredValuesError:
    # nobody's sensitive value is handed on, not even inside an error
    known = tuple(values) if column.role == "quasi-identifier" else ()
    return UncoveredValuesError(name, known, f"column {name!r}: {what}")
