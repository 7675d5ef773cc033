"""Values of the data that a hierarchy lacks: all of them at once, with the way out."""

from collections.abc import Sequence

from shoal.errors import HierarchyError
from shoal.schema._column import Column
from shoal.schema._hierarchy import Hierarchy

SHOWN = 1000


def lost_values(hierarchy: Hierarchy, texts: Sequence[str]) -> list[str]:
    """Texts that are no leaves, sorted."""
    leaves = set(hierarchy.labels[: hierarchy.n_leaves])
    return sorted({value for value in texts if value not in leaves})


def check_lost(
    hierarchy: Hierarchy, lost: Sequence[str], name: str, column: Column, missing_to_root: bool
) -> None:
    """Raise unless the lost values may be put under the root."""
    inner = [value for value in lost if hierarchy.find(value) >= 0]
    if inner:
        raise HierarchyError(
            f"column {name!r}: {len(inner)} values are inner nodes of its hierarchy"
            f"{_list(inner, column)}. Only leaves can be values; rename the nodes."
        )
    if not missing_to_root:
        raise HierarchyError(
            f"column {name!r}: its hierarchy lacks {len(lost)} of the values{_list(lost, column)}. "
            "Add a line for each one, or put them straight under the root with --missing-to-root "
            "(missing_to_root=True)."
        )


def _list(values: Sequence[str], column: Column) -> str:
    if column.role != "quasi-identifier":  # nobody's sensitive value goes into a message
        return ""
    more = f", and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    return f": {', '.join(map(repr, values[:SHOWN]))}{more}"
