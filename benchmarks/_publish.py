"""Results as a page of the manual: docs/evidence/speed.md, and speed.json for numbers elsewhere."""

import ast
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks._row import Row
from benchmarks._run import HERE, Done
from benchmarks._show import HEAD, figures, table

FOLDER = HERE.parent / "docs" / "evidence"


def publish(found: Sequence[dict[str, Any]], folder: Path = FOLDER) -> list[Path]:
    """Write the page; where several results have a benchmark, the last one counts.

    What is on the page already stays, unless it was measured anew.
    """
    newest = _published(folder / "speed.json")
    for result in found:
        newest |= {benchmark["name"]: (result, benchmark) for benchmark in result["benchmarks"]}
    rows = [
        {"bench": name, **row, "full": result["full"], "commit": result["commit"]}
        for name, (result, benchmark) in sorted(newest.items())
        for row in benchmark["rows"]
    ]
    last = found[-1]
    data = {"machine": last["machine"], "versions": last["versions"], "rows": rows}
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "speed.json", folder / "speed.md"]
    paths[0].write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    paths[1].write_text(_page(last, newest), "utf-8")
    return paths


def _published(path: Path) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Results that the page was made of, and their benchmarks; none where there is no page."""
    kept: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for row in json.loads(path.read_text("utf-8"))["rows"] if path.exists() else ():
        name, result = row.pop("bench"), {key: row.pop(key) for key in ("full", "commit")}
        own = kept.setdefault(name, (result, {"rows": [], "seconds": 0.0, "failure": ""}))
        own[1]["rows"].append(row)
    return kept


def _page(last: dict[str, Any], newest: dict[str, Any]) -> str:
    machine = last["machine"]
    lines = [
        "# Speed", "",
        "The benchmarks of `make bench`: each figure of ours beside that of a named peer, measured",
        "in the same run unless the peer's figure is a published one. Compare ratios, not seconds;",
        "below 1 ours is the smaller. Where a method trades loss or error for time, these stand in",
        "the table, too. A dash means that there is no peer.", "",
        f"{machine['processor']}, {machine['cores']} cores, {machine.get('gigabytes', '?')} GB, "
        f"{machine['system']}, Python {machine['python']}; load {machine.get('load', '?')} at the "
        "end. Versions: "
        + ", ".join(f"{name} {number}" for name, number in last["versions"].items()) + ".",
    ]  # fmt: skip
    for name, (result, benchmark) in sorted(newest.items()):
        command = f"python -m benchmarks{' --full' if result['full'] else ''} {name}"
        done = Done(name, tuple(map(Row.from_dict, benchmark["rows"])), benchmark["seconds"])
        lines += ["", f"## {name}", "", f"{_measures(name)}`{command}`, commit {result['commit']}."]
        if benchmark["failure"]:
            lines += ["", f"Did not finish: {benchmark['failure']}"]
        lines += ["", table(HEAD[1:], (row[1:] for row in figures([done])))]
    return "\n".join(lines) + "\n"


def _measures(name: str) -> str:
    """What a benchmark measures: the first line of its file."""
    path = HERE / f"bench_{name}.py"
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) if path.exists() else None
    return f"{said.splitlines()[0]} " if said else ""
