"""Public survival data as three sites: stand-ins for the paper's hospitals, which are not public.

The files come from scikit-survival, which is GPL-3: a source of data here and nothing else, never
imported.  `shoal datasets fetch gbsg2 whas500 flchain` takes them out of its published archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal.datasets import lung_sites
from shoal.datasets._public import LUNG_RANGES
from shoal.datasets._sources import find_data
from shoal.federated.kernels._survival import survival_target
from shoal.typing import Counts, Floats

Sites = dict[str, tuple[Floats, Floats]]
"""Features and survival of the people of each site."""

PAPER_SIZES = (70, 37, 23)
"""People of the paper's three hospitals whose survival at two years is known."""
_CODES = {"F": 0.0, "M": 1.0, "no": 0.0, "yes": 1.0, "Pre": 0.0, "Post": 1.0, "I": 1.0, "II": 2.0,
          "III": 3.0, "alive": 0.0, "dead": 1.0}  # fmt: skip


@dataclass(frozen=True)
class Cohort:
    """A data set cut into sites.

    Parameters
    ----------
    sites : dict
        People of each site.
    ranges : mapping
        Features and the ranges that the sites agreed on.
    horizon : float
        Days at which survival is predicted.
    """

    sites: Sites
    ranges: Mapping[str, tuple[float, float]]
    horizon: float


@dataclass(frozen=True)
class _Source:
    """A file, what is taken of it, and how it becomes sites."""

    file: str
    features: tuple[str, ...]
    time: str
    event: str
    horizon: float
    n_rows: int | None = None
    by: str | None = None  # a column whose values, in three runs, are the sites; else at random


_SOURCES = {
    "gbsg2": _Source(
        "GBSG2",
        ("age", "tsize", "tgrade", "pnodes", "progrec", "estrec", "horTh", "menostat"),
        "time",
        "cens",
        3 * 365,
    ),
    "whas500": _Source(
        "whas500",
        ("age", "gender", "hr", "sysbp", "diasbp", "bmi", "cvd", "afb", "sho", "chf"),
        "lenfol",
        "fstat",
        365,
    ),
    "flchain": _Source(
        "flchain",
        ("age", "creatinine", "kappa", "lambda"),
        "futime",
        "death",
        5 * 365,
        n_rows=3_900,
        by="sample.yr",
    ),
}
COHORTS = tuple(_SOURCES)
"""Data sets beside NCCTG lung."""


def lung_cohort() -> Cohort:
    """NCCTG lung, cut into three sites by institution."""
    sites = {
        name: (
            np.column_stack([np.asarray(data[n], np.float64) for n in LUNG_RANGES]),
            survival_target(np.asarray(data["time"]), np.asarray(data["status"])),
        )
        for name, data in lung_sites().items()
    }
    return Cohort(sites, LUNG_RANGES, 365)


def of_paper_sizes(cohort: Cohort, seed: int) -> Cohort:
    """As many people of each site, drawn at random, as the paper's hospitals had."""
    rng = np.random.default_rng(seed)
    sites = {}
    for (name, (rows, target)), size in zip(cohort.sites.items(), PAPER_SIZES, strict=True):
        chosen = rng.permutation(len(rows))[:size]
        sites[name] = rows[chosen], target[chosen]
    return Cohort(sites, cohort.ranges, cohort.horizon)


def load_cohort(name: str, seed: int) -> Cohort:
    """A data set of scikit-survival: complete rows, cut into three sites."""
    source = _SOURCES[name]
    inside = f"datasets/data/{source.file}.arff"
    path = find_data(
        f"survival/{source.file}.arff",
        package="sksurv",
        inside=inside,
        how=f"Run `shoal datasets fetch {name}`",
    )
    wanted = [*source.features, source.time, source.event, *([source.by] if source.by else [])]
    numbers = np.array(list(_complete_rows(path, wanted)))
    numbers = numbers[np.random.default_rng(seed).permutation(len(numbers))[: source.n_rows]]
    n = len(source.features)
    target = survival_target(numbers[:, n], numbers[:, n + 1])
    part = _thirds(numbers[:, n + 2]) if source.by else np.arange(len(numbers)) % 3
    ranges = {
        feature: (float(own.min()), float(own.max()))
        for feature, own in zip(source.features, numbers.T, strict=False)
    }
    sites = {
        site: (numbers[part == i, :n], target[part == i]) for i, site in enumerate(("A", "B", "C"))
    }
    return Cohort(sites, ranges, source.horizon)


def _complete_rows(path: Path, wanted: list[str]) -> Iterator[list[float]]:
    """Some columns of an ARFF file without quoted commas, as numbers, of rows without gaps."""
    names: list[str] = []
    for line in map(str.strip, path.read_text("utf-8").splitlines()):
        if line.lower().startswith("@attribute"):
            names.append(line.split()[1].strip("'\""))
        elif line and line[0] not in "@%":
            row = dict(
                zip(names, (cell.strip().strip("'\"") for cell in line.split(",")), strict=True)
            )
            cells = [row[name] for name in wanted]
            if "?" not in cells:
                yield [_CODES.get(cell) if cell in _CODES else float(cell) for cell in cells]  # type: ignore[misc]


def _thirds(values: Floats) -> Counts:
    """Which third of the rows, by value: as equal as whole values allow."""
    ends = np.quantile(values, [1 / 3, 2 / 3], method="lower")
    return np.searchsorted(ends, values, side="left").astype(np.int64)
