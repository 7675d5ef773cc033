"""Time of bottom-up generalization on enlarged Adult, with and without pruning."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from reproduce._adult import BOTTOM_UP, TARGET
from reproduce._evidence import Chart, Evidence, Finding, Line
from reproduce._experiment import Experiment, Setup
from shoal.anonymize import BottomUpGeneralization
from shoal.anonymize.greedy._steps import Step
from shoal.datasets import adult, adult_schema, scale_up
from shoal.datasets._adult import SCALE_UP_COLUMNS
from shoal.privacy import KAnonymity
from shoal.schema import Schema

_WHERE = "Figure 4"
_PEOPLE = 45_222
_LARGEST = 730  # seconds that the paper's longest search took
_CELLS, _QUICK_CELLS = (440_000, 460_000), (90_000, 96_000)


class Scale(NamedTuple):
    """How the table is enlarged and what is asked of it."""

    sigma: int = 30
    rho: int = 3
    k: int = 150


class Search(NamedTuple):
    """What was measured at one scale."""

    scale: Scale
    rows: int
    cells: int
    smallest: int
    counting: float
    pruned: float
    unpruned: float
    differing: int


_FULL = {
    "scale factor": [Scale(sigma=sigma) for sigma in (5, 10, 20, 30)],
    "novelty factor": [Scale(rho=rho) for rho in (1, 3, 5)],
    "K": [Scale(k=k) for k in (50, 150, 500)],
}
_QUICK = {"scale factor": [Scale(sigma=sigma) for sigma in (2, 4)]}


def differing_steps(ours: list[Step], others: list[Step]) -> int:
    """Places at which two sequences of generalizations part."""
    taken, other = ([(step.column, step.node) for step in steps] for steps in (ours, others))
    return sum(a != b for a, b in zip(taken, other, strict=False)) + abs(len(taken) - len(other))


def _run(setup: Setup) -> Evidence:
    axes = _QUICK if setup.quick else _FULL
    scales = list(dict.fromkeys(scale for along in axes.values() for scale in along))
    found = {search.scale: search for search in _searches(setup, scales)}
    top = found[max(scales)] if setup.quick else found[Scale()]
    seconds = [max(search.pruned, search.unpruned) for search in found.values()]
    findings = [
        *(finding for search in found.values() for finding in _findings(search)),
        *_largest(top, quick=setup.quick),
        Finding(
            "Section 6.2",
            "longest search of all",
            max(seconds),
            "below 730",
            high=_LARGEST,
            unit="s",
        ),
        Finding(
            "Section 6.2",
            "times as long without pruning, at the largest scale",
            top.unpruned / top.pruned,
            "above 1",
        ),
    ]
    charts = [
        _chart(name, [found[scale] for scale in along], place)
        for place, (name, along) in enumerate(axes.items())
    ]
    return Evidence(
        findings,
        "Random values on three columns give us 450,000 distinct combinations, where the paper "
        "reports 127,831; on one column we get 125,331, so it may count the novelty factor "
        "otherwise. Times are of another machine and 20 years later, and bounded only by the "
        "paper's own.",
        charts,
        {"rows to start from": _PEOPLE, "hierarchies": "leaf and level counts of table 1"},
        unmet=[
            "The scaled-up table has 127,831 distinct combinations: ours has 450,463.",
        ],
    )


def _searches(setup: Setup, scales: list[Scale]) -> Iterator[Search]:
    """Each table once on disk, searched with and without pruning."""
    people = adult("all")
    schema = adult_schema("iyengar", quasi_identifiers=SCALE_UP_COLUMNS)
    schema = Schema({name: schema[name] for name in (*SCALE_UP_COLUMNS, TARGET)})
    with tempfile.TemporaryDirectory() as folder:
        for done, scale in enumerate(scales):
            setup.progress(done, len(scales), f"sigma {scale.sigma}, rho {scale.rho}, K {scale.k}")
            path = Path(folder) / f"{scale.sigma}-{scale.rho}.parquet"
            if not path.exists():
                scale_up(
                    people, path, sigma=scale.sigma, rho=scale.rho, random_state=setup.seed
                )  # fmt: skip
            yield _search(scale, path, schema)


def _search(scale: Scale, path: Path, schema: Schema) -> Search:
    model = KAnonymity(scale.k)
    pruned, unpruned = (
        BottomUpGeneralization(schema, model, metric="information", prune=prune).fit(path)
        for prune in (True, False)
    )
    recoded, seconds = pruned.release_.recoded, pruned.release_.seconds
    return Search(
        scale,
        recoded.cells.n_rows,
        recoded.cells.n_groups,
        int(recoded.groups.sizes.min()),
        seconds["compress"],
        seconds["solve"],
        unpruned.release_.seconds["solve"],
        differing_steps(pruned.steps_, unpruned.steps_),
    )


def _findings(search: Search) -> list[Finding]:
    sigma, rho, k = search.scale
    what = f"sigma {sigma}, rho {rho}, K {k}"
    return [
        Finding(_WHERE, f"{what}: with pruning", search.pruned, unit="s"),
        Finding(_WHERE, f"{what}: without", search.unpruned, unit="s"),
        Finding(_WHERE, f"{what}: smallest group", search.smallest, low=k, unit="rows"),
        Finding(_WHERE, f"{what}: steps that pruning changes", search.differing, None, 0, 0),
    ]


def _largest(search: Search, *, quick: bool) -> list[Finding]:
    rows = search.scale.sigma * _PEOPLE
    low, high = _QUICK_CELLS if quick else _CELLS
    return [
        Finding(
            "Section 6.2",
            "rows of the largest table",
            search.rows,
            None if quick else 1_356_660,
            rows,
            rows,
        ),
        Finding(
            "Section 6.2",
            "distinct combinations in it",
            search.cells,
            None if quick else 127_831,
            low,
            high,
        ),
        Finding("Section 6.2", "counting them", search.counting, "at most 50", unit="s"),
    ]


def _chart(name: str, searches: list[Search], place: int) -> Chart:
    values = [search.scale.k if name == "K" else search.scale[place] for search in searches]
    lines = [
        Line("with pruning", values, [search.pruned for search in searches]),
        Line("without pruning", values, [search.unpruned for search in searches]),
    ]
    title = f"Time of the search against the {name}" if name != "K" else "Time against K"
    return Chart(_WHERE, title, name, "seconds", lines)


EXPERIMENT = Experiment(
    title="Bottom-up generalization searches a million rows in seconds",
    reference=BOTTOM_UP,
    run=_run,
)
