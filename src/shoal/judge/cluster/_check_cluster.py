"""What the groups of a table on a cluster reach; none of its rows is collected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from shoal.judge.cluster._group_judge import GroupJudge, figures_of
from shoal.judge.cluster._judge_cluster import ClusterVerdict, add_up, ask_workers, make_judge
from shoal.privacy import PrivacyModel, check
from shoal.schema import Schema
from shoal.tables import FrequencyTable
from shoal.typing import Native

SHOWN = 100
"""Failing groups that each worker tells of, the smallest first."""


class ClusterCheck(NamedTuple):
    """What the groups reach, and which fail.

    `failing` has rows and the numbers of the broken conditions for the smallest failing groups.
    """

    verdict: ClusterVerdict
    n_rows: int
    n_failing_groups: int
    n_failing_rows: int
    failing: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True, eq=False)
class GroupCheck(GroupJudge):
    """A judge who tells which groups fail."""

    def judge(self, groups: FrequencyTable) -> dict[str, Any]:
        """The same figures, and sizes of failing groups with what they break."""
        broken = np.array([~part.holds(groups) for part in self.privacy.parts], np.bool_)
        failing = np.flatnonzero(broken.any(axis=0))
        worst = failing[np.argsort(groups.sizes[failing], kind="stable")][:SHOWN]
        told = [[int(groups.sizes[g]), np.flatnonzero(broken[:, g]).tolist()] for g in worst]
        counts = [len(failing), int(groups.sizes[failing].sum())]
        return figures_of(groups, check(self.privacy, groups)) | {"failing": [*counts, told]}


def check_cluster(
    frame: Native, schema: Schema, settle: Callable[[FrequencyTable], PrivacyModel]
) -> ClusterCheck:
    """Count the groups of a Spark DataFrame and ask the model about each, where they are.

    Parameters
    ----------
    frame : Spark DataFrame
        Raw or released, with at least one row.
    schema : Schema
        What the columns are.
    settle : callable
        The promise about groups, made from the whole table as one group.
    """
    judge, n_rows = make_judge(GroupCheck, frame, schema, settle)
    said = ask_workers(frame, judge, n_rows)
    groups = sum(one["failing"][0] for one in said)
    rows = sum(one["failing"][1] for one in said)
    told = nsmallest(SHOWN, chain.from_iterable(one["failing"][2] for one in said))
    failing = tuple((size, tuple(broken)) for size, broken in told)
    return ClusterCheck(add_up(judge.privacy, said), n_rows, groups, rows, failing)
