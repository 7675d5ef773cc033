"""Prioritized Mondrian beside plain Mondrian, over a grid of k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reproduce._evidence import Chart, Line
from reproduce._experiment import Setup
from shoal.anonymize import Mondrian
from shoal.datasets._dataset import Dataset
from shoal.metrics import measure, weighted_discernibility
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables._recoded import Recoded

PRIORITIES = (
    "L. Xiong, K. Rangachari. Towards application-oriented data anonymization. SIAM Workshop on "
    "Practical Privacy-Preserving Data Mining, 2008."
)


class Pair(NamedTuple):
    """The release of plain Mondrian and that of prioritized Mondrian."""

    plain: Recoded
    chosen: Recoded

    def general(self) -> tuple[float, float]:
        """Discernibility of whole groups, plain and prioritized."""
        return float(measure(self.plain).discernibility), float(measure(self.chosen).discernibility)

    def weighted(self, weights: Mapping[str, float], *, overlapping: bool) -> tuple[float, float]:
        """Discernibility of single columns, weighted, plain and prioritized."""
        plain, chosen = (
            weighted_discernibility(recoded, weights, overlapping=overlapping) for recoded in self
        )
        return plain, chosen

    def covered(self, name: str) -> tuple[float, float]:
        """Rows times the values that their label of a column covers, plain and prioritized."""
        plain, chosen = (_values_covered(recoded, name) for recoded in self)
        return plain, chosen

    def is_raw(self, name: str) -> bool:
        """Whether plain Mondrian released a column as it is, so that no priority can help it."""
        return measure(self.plain).ncp[name] == 0


def _values_covered(recoded: Recoded, name: str) -> float:
    column = recoded.cells.names.index(name)
    covered = recoded.labels[column].covered[recoded.codes[:, column]]
    whole = recoded.labels[column].coding.n_codes
    return float((covered * recoded.groups.sizes).sum() + recoded.n_suppressed * whole)


def release_pairs(
    setup: Setup,
    data: Dataset,
    schema: Schema,
    weights: Mapping[str, Mapping[str, float]],
    ks: Sequence[int],
) -> dict[str, list[Pair]]:
    """For each named set of weights the pair of releases at every k."""
    table = data.path()
    found: dict[str, list[Pair]] = {name: [] for name in weights}
    for done, k in enumerate(ks):
        setup.progress(done, len(ks), f"partitions, k = {k}")
        plain = Mondrian(schema, KAnonymity(k), ranges="exact").fit(table).release_.recoded
        for name, own in weights.items():
            method = Mondrian(schema, KAnonymity(k), weights=own, ranges="exact").fit(table)
            found[name].append(Pair(plain, method.release_.recoded))
    return found


def pair_chart(
    where: str, title: str, y_label: str, ks: Sequence[int], values: Sequence[tuple[float, float]]
) -> Chart:
    """Plain and prioritized against k."""
    lines = [
        Line("Mondrian", ks, [plain for plain, _ in values]),
        Line("prioritized", ks, [chosen for _, chosen in values]),
    ]
    return Chart(where, title, "k", y_label, lines, log_x=True)
