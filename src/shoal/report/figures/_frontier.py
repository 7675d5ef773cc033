"""Privacy against utility: what is lost as groups have to be larger, method by method."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from shoal._atomic import atomic_path
from shoal._figure import (
    COLOURS,
    MARKERS,
    figure_path,
    for_the_house,
    new_figure,
    plain_log_ticks,
    save_figure,
)
from shoal.anonymize._anonymizer import Anonymizer
from shoal.errors import InfeasibleError, ParameterError, ShoalError
from shoal.tables import RowOptions
from shoal.typing import Native, PathText, Progress


@dataclass(frozen=True)
class FrontierPoint:
    """One method at one k.

    Parameters
    ----------
    method : str
        As it was called.
    k : int
        What was asked for.
    gcp, discernibility, groups, average_group_size, suppressed_rows
        Measures of the release; None when there is none.
    highest_risk : float or None
        Chance to pick the right row for somebody in the smallest group.
    seconds : float
        Time that the method took.
    failure : str or None
        Why there is no release.
    """

    method: str
    k: int
    gcp: float | None = None
    discernibility: int | None = None
    groups: int | None = None
    average_group_size: float | None = None
    suppressed_rows: int | None = None
    highest_risk: float | None = None
    seconds: float = 0.0
    failure: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Frontier:
    """Methods over a grid of k."""

    points: tuple[FrontierPoint, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"points": [point.to_dict() for point in self.points]}

    def write_csv(self, path: PathText) -> Path:
        """Write one line per point."""
        path = Path(path)
        names = list(FrontierPoint.__dataclass_fields__)
        with atomic_path(path) as part, part.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(point.to_dict() for point in self.points)
        return path


def measure_frontier(
    table: Native,
    methods: Mapping[str, Callable[[int], Anonymizer]],
    ks: Sequence[int],
    *,
    n_jobs: int = 2,
    progress: Progress | None = None,
    **options: Any,
) -> Frontier:
    """Release a table with every method at every k, and measure each release.

    Parameters
    ----------
    table : table or path
        As for `fit` of a method.
    methods : mapping of str to callable
        Makes the estimator for a k.
    ks : sequence of int
        At least one.
    n_jobs : int
        Fits that run at the same time, in threads.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    **options
        Passed on to `fit`.

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> from shoal.schema import Schema
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> methods = {"mondrian": lambda k: Mondrian(schema, k)}
    >>> frontier = measure_frontier({"age": [30, 31, 40, 41, 50, 51, 60, 61]}, methods, [2, 4])
    >>> [(point.k, point.groups) for point in frontier.points]
    [(2, 4), (4, 2)]
    """
    if not ks or not methods:
        raise ParameterError("a frontier needs at least one k and one method.")
    if n_jobs < 1 or any(k < 1 for k in ks):
        raise ParameterError("every k, and the number of jobs, must be at least 1.")
    jobs = [(name, k) for name in methods for k in sorted(set(ks))]
    done, lock = 0, Lock()

    def run(job: tuple[str, int]) -> FrontierPoint:
        nonlocal done
        name, k = job
        point = _measure(table, name, k, methods[name], options)
        with lock:
            done += 1
            if progress is not None:
                progress(done, len(jobs), "releasing")
        return point

    with ThreadPoolExecutor(n_jobs) as pool:
        return Frontier(tuple(pool.map(run, jobs)))


def _measure(
    table: Native, name: str, k: int, make: Callable[[int], Anonymizer], options: dict[str, Any]
) -> FrontierPoint:
    started = time.perf_counter()
    try:
        release = make(k).fit(table, output=RowOptions(), **options).release_
    except InfeasibleError as error:
        return FrontierPoint(name, k, seconds=time.perf_counter() - started, failure=str(error))
    seconds = time.perf_counter() - started
    measured = release.metrics
    return FrontierPoint(
        name,
        k,
        gcp=measured.gcp,
        discernibility=measured.discernibility,
        groups=measured.n_groups,
        average_group_size=measured.average_group_size,
        suppressed_rows=measured.n_suppressed,
        highest_risk=1 / measured.smallest_group if measured.smallest_group else None,
        seconds=round(seconds, 4),
    )


def plot_frontier(frontier: Frontier, path: PathText) -> Path:
    """Draw the detail lost and the discernibility of every method over k.

    Parameters
    ----------
    frontier : Frontier
        What :func:`measure_frontier` measured.
    path : path
        File to write; its suffix tells the format (PNG, SVG or PDF).
    """
    path = figure_path(path)
    if all(point.failure is not None for point in frontier.points):
        raise ShoalError("no method made a release at any k, so there is nothing to draw.")
    figure = _draw(frontier)
    return save_figure(figure, path)


def _draw(frontier: Frontier) -> Any:
    figure = new_figure(9, 4, "drawing a frontier")
    lost, told = figure.subplots(1, 2)
    for index, name in enumerate(dict.fromkeys(point.method for point in frontier.points)):
        points = [p for p in frontier.points if p.method == name and p.failure is None]
        ks = [point.k for point in points]
        # later markers are smaller, so that methods that lose alike are all seen
        size = max(3.0, 9.0 - index)
        style = {"marker": MARKERS[index % len(MARKERS)], "markersize": size, "label": name}
        style |= {"color": COLOURS[index % len(COLOURS)], "linewidth": max(1.0, size / 3)}
        lost.plot(ks, [100 * (point.gcp or 0.0) for point in points], **style)
        told.plot(ks, [point.discernibility for point in points], **style)
    ticks = sorted({point.k for point in frontier.points})
    for axes in (lost, told):
        axes.set_xscale("log")
        axes.set_xticks(ticks, [str(k) for k in ticks])
        axes.minorticks_off()
        axes.set_xlabel("k: people in the smallest group")
        axes.grid(alpha=0.3)
    told.set_yscale("log")
    plain_log_ticks(told.yaxis)
    lost.set_ylim(bottom=0)
    lost.set_ylabel("detail lost (GCP), %")
    told.set_ylabel("discernibility")
    handles, names = lost.get_legend_handles_labels()
    # beside the lines, never over them
    figure.legend(handles, names, loc="outside right center", frameon=False)
    for_the_house(figure)
    return figure
