"""Outcomes as pages: one per experiment, with its numbers as JSON and its figures beside it."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reproduce._charts import plot_chart
from reproduce._evidence import GUARD, NUMBER, WORDS, Finding
from reproduce._experiment import Outcome
from shoal._atomic import write_text
from shoal.typing import PathText

_PACKAGES = ("shoal", "numpy", "scipy", "numba", "scikit-learn", "duckdb", "lifelines")
PROCESSOR = "processor"
"""By which clock the seconds of a record were taken."""
_STATES = {
    "reproduced": "reproduced: every number that is compared agrees with the paper",
    "in part": "reproduced in part: some numbers or claims do not agree, and it is said which",
    "differs": "**differs: a number lies outside its bounds, and nobody has said why**",
    "skipped": "**skipped**",
}
_RESULTS = {
    # by whether the bounds are a guard, and whether they hold
    (False, True): "agrees",
    (False, False): "**differs**",
    (False, None): "-",
    (True, True): "kept",
    (True, False): "**broken**",
}


def write_pages(outcomes: Sequence[Outcome], folder: PathText) -> list[Path]:
    """Write a page, a JSON file and figures for each outcome, and an index of them.

    Pages of experiments that were not run this time stay as they are, and stay in the index.

    Parameters
    ----------
    outcomes : sequence of Outcome
        What was run.
    folder : path
        Made if it is not there.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = [path for outcome in outcomes for path in _write_one(outcome, folder)]
    index = folder / "index.md"
    write_text(index, _index(folder))
    return [*written, index]


def describe(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain values, with seed, time and versions."""
    evidence = outcome.evidence
    return {
        "name": outcome.name,
        "title": outcome.experiment.title,
        "reference": outcome.experiment.reference,
        "state": outcome.state,
        "skipped": outcome.skipped,
        "quick": outcome.setup.quick,
        "seed": outcome.setup.seed,
        "seconds": round(outcome.seconds, 1),
        "clock": PROCESSOR,
        "versions": _versions(),
        "unmet": list(evidence.unmet) if evidence else [],
        "bounds": evidence.bounds if evidence else "",
        "difference": evidence.difference if evidence else None,
        "settings": dict(evidence.settings or {}) if evidence else {},
        "findings": [finding.to_dict() for finding in evidence.findings] if evidence else [],
    }


def _write_one(outcome: Outcome, folder: Path) -> list[Path]:
    data = folder / f"{outcome.name}.json"
    page = folder / f"{outcome.name}.md"
    figures = []
    for index, chart in enumerate(outcome.evidence.charts if outcome.evidence else ()):
        figures.append(plot_chart(chart, folder / f"{outcome.name}-{index + 1}.svg"))
    write_text(data, json.dumps(describe(outcome), indent=1, ensure_ascii=False) + "\n")
    write_text(page, _page(outcome, figures))
    return [data, page, *figures]


def _page(outcome: Outcome, figures: Sequence[Path]) -> str:
    said = describe(outcome)
    mode = " --quick" if outcome.setup.quick else ""
    command = f"shoal reproduce {outcome.name}{mode} --seed {outcome.setup.seed}"
    lines = [f"# {said['title']}", "", said["reference"], "", f"State: {_STATES[said['state']]}."]
    if outcome.evidence is None:
        lines += ["", str(outcome.skipped)]
    else:
        if outcome.evidence.unmet:
            lines += ["", "Not confirmed:", "", *(f"- {claim}" for claim in outcome.evidence.unmet)]
        lines += ["", outcome.evidence.difference, "", _tally_text(said["findings"])]
        if outcome.evidence.bounds:
            lines[-1] += f" {outcome.evidence.bounds}"
        lines += _reasons(outcome.evidence.findings)
        for where in dict.fromkeys(finding.where for finding in outcome.evidence.findings):
            chosen = [f for f in outcome.evidence.findings if f.where == where]
            lines += ["", f"## {where}", "", *_table(chosen)]
            for chart, figure in zip(outcome.evidence.charts, figures, strict=True):
                if chart.where == where:
                    lines += ["", f"![{chart.title}]({figure.name})", "", f"*{chart.title}*"]
        known = {finding.where for finding in outcome.evidence.findings}
        for chart, figure in zip(outcome.evidence.charts, figures, strict=True):
            if chart.where not in known:
                lines += ["", f"## {chart.where}", "", f"![{chart.title}]({figure.name})"]
                lines += ["", f"*{chart.title}*"]
    lines += ["", "## Made with", "", f"`{command}`, {_seconds(said)} on this run; versions: "]
    lines[-1] += ", ".join(f"{name} {version}" for name, version in said["versions"].items()) + "."
    if said["settings"]:
        lines += ["", "; ".join(f"{name}: {value}" for name, value in said["settings"].items())]
        lines[-1] += "."
    return "\n".join(lines) + "\n"


def _table(findings: Sequence[Finding]) -> list[str]:
    rows = ["| what | published | ours | bounds | result |", "|---|---|---|---|---|"]
    for finding in findings:
        cells = [finding.what, _shown(finding.published, finding.unit)]
        cells += [_shown(finding.ours, finding.unit), _bounds(finding), _RESULTS[_result(finding)]]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return rows


def _result(finding: Finding) -> tuple[bool, bool | None]:
    return finding.kind == GUARD, finding.holds


def _reasons(findings: Sequence[Finding]) -> list[str]:
    """Why numbers lie outside of what agrees with the paper, each reason once."""
    reasons = [f.differs for f in findings if f.holds is False and f.differs]
    if not reasons:
        return []
    return ["", "Where numbers differ:", "", *(f"- {why}" for why in dict.fromkeys(reasons))]


def _bounds(finding: Finding) -> str:
    text = _interval(finding)
    return f"guard: {text}" if finding.kind == GUARD else text


def _interval(finding: Finding) -> str:
    low, high = finding.low, finding.high
    if low is not None and low == high:
        return f"exactly {_shown(low)}"
    if low is None:
        return "-" if high is None else f"at most {_shown(high)}"
    return f"at least {_shown(low)}" if high is None else f"{_shown(low)} to {_shown(high)}"


def _shown(value: float | str | None, unit: str = "") -> str:
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    whole = float(value).is_integer() and abs(value) < 1e15
    text = f"{int(value):,}" if whole else f"{value:.4g}"
    return f"{text} {unit}".strip()


def _seconds(said: Mapping[str, Any]) -> str:
    """How long it took; records of before were taken by the wall clock, and say so."""
    by = "of processor time" if said.get("clock") == PROCESSOR else "by the wall clock"
    return f"{said['seconds']:g} s {by}"


def _versions() -> dict[str, str]:
    versions = {"Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def tally(findings: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, int]]:
    """How many findings lie within their bounds, of how many, for each kind of bounds.

    Parameters
    ----------
    findings : sequence of mapping
        As `Finding.to_dict` writes them.
    """
    kinds = {}
    for kind in (NUMBER, WORDS, GUARD):
        held = [finding["holds"] for finding in findings if finding.get("kind") == kind]
        kinds[kind] = sum(held), len(held)
    return kinds


def _tally_text(findings: Sequence[Mapping[str, Any]]) -> str:
    found = tally(findings)
    silent = sum(f["published"] is not None and f["kind"] is None for f in findings)
    text = "{} of {} published numbers agree, and {} of {} claims in words as we read them".format(
        *found[NUMBER], *found[WORDS]
    )
    text += "; {} of {} guards around our own numbers are kept".format(*found[GUARD])
    return text + (f"; {silent} published values are shown and not compared." if silent else ".")


def _index(folder: Path) -> str:
    lines = [
        "# Evidence", "",
        "The experiments of the papers, run again. Each page has the published numbers beside",
        "ours, and the command. *Agree*: ours lies within bounds around the published value that",
        "were derived from the paper before running; *in words*: within our reading of what the",
        "paper says without a number. *Guards* are bounds around our own numbers, which say that",
        "nothing broke since, and nothing of the paper.",
        "*In part*: something that the paper prints or claims does not agree; the page says what.",
        "", "| experiment | state | numbers agree | in words | guards kept | took |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for path in sorted(folder.glob("*.json")):
        said = json.loads(path.read_text("utf-8"))
        if "findings" not in said:  # something else's file
            continue
        state = said["state"] + (" (quick)" if said["quick"] else "")
        counts = " | ".join(f"{held} of {n}" for held, n in tally(said["findings"]).values())
        lines.append(
            f"| [{said['title']}]({path.stem}.md) | {state} | {counts} | {_seconds(said)} |"
        )
    return "\n".join(lines) + "\n"
