"""Which column each region is cut along.  Arrays in, arrays out."""

import numpy as np

from shoal._jit import kernel
from shoal.anonymize.mondrian._condition_split_kernels import cut_by_rules
from shoal.anonymize.mondrian._partition_kernels import loss_drop
from shoal.anonymize.mondrian._region_arrays import Frontier, RegionColumns, RegionWork, Scratch
from shoal.anonymize.mondrian._split_kernels import cut_by_size
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.typing import Codes, Counts, Floats

TIE = 1e-12
"""Scores that differ by less differ by rounding only."""


@kernel
def cut_best(
    columns: RegionColumns, sizes: Counts, least: int, rules: CompiledModel | None,
    work: RegionWork, frontier: Frontier, low: Codes, high: Codes,
    score: Floats, loss: float, weight: Floats,
    scratch: Scratch, counts: Counts, partial: bool, relaxed: bool,
) -> None:  # fmt: skip
    """Cut each region along the column with the highest score that may be cut.

    The score is `score` (-inf: not to be cut) and `loss` times the drop in loss.  Ties go to the
    larger drop, then to the first column.  Without `rules` only sizes count.
    """
    for region in range(frontier.begin.shape[0]):
        begin, end = frontier.begin[region], frontier.end[region]
        frontier.n_parts[region], frontier.pivot[region] = 0, -1
        left = score[region].copy()  # of columns that were not tried
        best, best_score, best_drop, last = -1, -np.inf, -1.0, -1
        floor, n_tied = _next_ties(left, loss)
        while n_tied > 0:
            column = _next_column(left, floor)
            again = column < 0 and best >= 0
            if again:
                column = best  # its parts have been written over
            if column < 0:
                floor, n_tied = _next_ties(left, loss)
                continue
            least_code, most_code = int(low[region, column]), int(high[region, column])
            if rules is None:
                n_parts, pivot = cut_by_size(
                    columns, sizes, least, work, scratch,
                    begin, end, column, least_code, most_code, partial, relaxed,
                )  # fmt: skip
            else:
                n_parts, pivot = cut_by_rules(
                    columns, rules, work, scratch, counts,
                    begin, end, column, least_code, most_code, partial, relaxed,
                )  # fmt: skip
            own, drop = left[column], 0.0
            left[column] = -np.inf
            if n_parts > 0 and n_tied > 1 and not again:
                drop = loss_drop(
                    columns, sizes, work, begin, end, n_parts, low[region], high[region], weight
                )
                own += loss * drop
            if n_parts > 0 and (
                again
                or own > best_score + TIE
                or (own >= best_score - TIE and drop > best_drop + TIE)
            ):
                best, best_score, best_drop = column, own, drop
                frontier.column[region] = column
                frontier.n_parts[region], frontier.pivot[region] = n_parts, pivot
            last = column
            if best == last and _next_column(left, floor) < 0:
                break


@kernel
def _next_ties(left: Floats, loss: float) -> tuple[float, int]:
    """Least score of the columns to be compared next, and how many those are.

    These are the ones with the highest score; all of them when the loss decides, too.
    """
    highest, n_left = -np.inf, 0
    for own in left:
        highest = max(highest, own)
        n_left += own > -np.inf
    if loss > 0.0:
        return -np.inf, n_left
    n_tied = 0
    for own in left:
        n_tied += own > -np.inf and own >= highest - TIE
    return highest - TIE, n_tied


@kernel
def _next_column(left: Floats, floor: float) -> int:
    """First column that was not tried and has this score; -1 when there is none."""
    for column in range(left.shape[0]):
        if left[column] > -np.inf and left[column] >= floor:
            return column
    return -1
