"""Two results side by side."""

from typing import Any

from benchmarks._row import Row
from benchmarks._show import figure, table

HEAD = ("benchmark", "what", "before", "after", "after / before", "unit")
_Key = tuple[str, str, str]


def compare(before: dict[str, Any], after: dict[str, Any]) -> str:
    """A table of every figure that either has; what only one has is named as such."""
    old, new = _figures(before), _figures(after)
    rows = []
    for key in dict.fromkeys([*old, *new]):
        name, what, unit = key
        a, b = old.get(key), new.get(key)
        rows.append((name, what, _shown(key, old), _shown(key, new), _change(a, b), unit))
    parts = [*_warnings(before, after), table(HEAD, rows)]
    return "\n".join(parts)


def _figures(results: dict[str, Any]) -> dict[_Key, float | None]:
    return {
        (benchmark["name"], row.what, row.unit): row.ours
        for benchmark in results["benchmarks"]
        for row in map(Row.from_dict, benchmark["rows"])
    }


def _shown(key: _Key, figures: dict[_Key, float | None]) -> str:
    return figure(figures[key]) if key in figures else "absent"


def _change(a: float | None, b: float | None) -> str:
    return "-" if b is None or not a else f"{b / a:.3g}"


def _warnings(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What makes the figures differ although the code may not."""
    said = [
        f"before: {before['commit']}, {before['date']}; after: {after['commit']}, {after['date']}"
    ]
    if before["full"] != after["full"]:
        said.append("One is a quick run, the other a full one: most rows have no counterpart.")
    for part in ("machine", "versions"):
        a, b = before[part], after[part]
        for name in dict.fromkeys([*a, *b]):
            if a.get(name) != b.get(name):
                said.append(f"{part} differ in {name}: {a.get(name)} and {b.get(name)}")
    return [*said, ""]
