"""One step of a greedy method: its cost and what it reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from shoal.anonymize.cuts._cut_kernels import class_summary
from shoal.anonymize.cuts._cut_problem import CutProblem
from shoal.typing import Codes, Counts


@dataclass(frozen=True)
class Step:
    """A generalization or specialization that was carried out.

    Parameters
    ----------
    number : int
        1, 2, ...
    column, node : str
        Where: the node whose children were joined, or that was split into its children.
    children : tuple of str
        The children concerned.
    score : float
        What the step was chosen by; lower is better bottom-up, higher is better top-down.
    information : float
        Information (or the metric chosen) lost or gained by it.
    privacy : float
        Anonymity (or allowed rows) won or lost by it.
    anonymity : int
        Rows of the smallest group after it.
    failing : int
        Rows in groups that are not allowed after it.
    groups : int
        Number of groups after it.
    metrics : mapping
        `ncp`, `discernibility`, and with a target `class_entropy` (bits a row within groups) and
        `classification_errors` (rows outside their group's majority), after it.
    """

    number: int
    column: str
    node: str
    children: tuple[str, ...] = field(repr=False)  # of the least nodes, raw values
    score: float
    information: float
    privacy: float
    anonymity: int
    failing: int
    groups: int
    metrics: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self) | {"metrics": dict(self.metrics), "children": list(self.children)}


def cut_metrics(
    problem: CutProblem, cut: Sequence[Codes], squares: float, classes: Counts
) -> dict[str, float]:
    """What a step reports: loss, discernibility, and class loss when there is a target.

    `squares` and `classes` are of the groups that the cut makes.
    """
    metrics = {"ncp": problem.total_loss(cut), "discernibility": squares}
    if classes.shape[1]:
        bits, errors = class_summary(classes)
        metrics |= {"class_entropy": bits / problem.cells.n_rows, "classification_errors": errors}
    return metrics
