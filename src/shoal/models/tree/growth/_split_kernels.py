"""The best allowed split of one node."""

import numpy as np

from shoal._jit import kernel
from shoal.models.tree.growth._allow_kernels import breaks_model, names_rare, open_cuts
from shoal.models.tree.growth._kernel_types import (
    GAIN_RATIO,
    GrowthState,
    GrowthWork,
    Segments,
    Settings,
    Target,
    TreeColumns,
    Whole,
)
from shoal.models.tree.growth._score_kernels import score_cuts, score_groups
from shoal.models.tree.growth._subset_kernels import score_subsets
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.typing import Counts


@kernel
def _refuse(
    columns: TreeColumns, column: Whole, spans_allow_missing: bool, state: GrowthState
) -> None:
    """Note a refused split, and go on to the next level or to the cuts that are open."""
    last = state.n_refused[0]
    state.refused[last, 0], state.refused[last, 1] = column, state.level[column]
    state.cuts_refused[last] = state.threshold[column]
    state.n_refused[0] += 1
    state.stale[column] = True
    if columns.ordered[column]:
        # where missing values alone break the model, no cut can mend it
        more = columns.public[column] and spans_allow_missing
        state.level[column] = 1 if more and state.level[column] == 0 else -1
    elif state.level[column] == columns.n_levels[column]:  # after two subsets, all values
        state.level[column] = 0
    else:
        state.level[column] += 1
        if state.level[column] >= columns.n_levels[column]:
            state.level[column] = -1


@kernel
def _average_gain(columns: TreeColumns, settings: Settings, state: GrowthState) -> float:
    """Mean gain of the candidates; columns with a value for every few rows do not count."""
    summed, n_summed = 0.0, 0
    for column in range(state.level.shape[0]):
        # these constants, and the 1e-3 below, are those of C4.5
        few = columns.ordered[column] or columns.n_codes[column] < 0.3 * columns.codes.shape[1]
        if few and state.level[column] >= 0 and state.gain[column] > settings.min_gain:
            summed += state.gain[column]
            n_summed += 1
    return summed / n_summed if n_summed > 0 else 0.0


@kernel
def _choose(columns: TreeColumns, settings: Settings, average: float, state: GrowthState) -> Whole:
    """Column with the best candidate.

    With the gain ratio, first one that nobody has asked whether it is allowed: the average gain
    is that of allowed splits.  Then those of at least average gain come first.
    """
    best, best_tier = np.int64(-1), False
    for column in range(state.level.shape[0]):
        if state.level[column] < 0 or state.gain[column] <= settings.min_gain:
            continue
        if settings.criterion == GAIN_RATIO and not state.settled[column]:
            return np.int64(column)
        tier = settings.criterion != GAIN_RATIO or state.gain[column] >= average - 1e-3
        better = best < 0 or (tier and not best_tier)
        if better or (tier == best_tier and state.score[column] > state.score[best]):
            best, best_tier = np.int64(column), tier
    return best


@kernel
def best_split(
    columns: TreeColumns,
    target: Target,
    settings: Settings,
    compiled: CompiledModel,
    spans: Segments,
    rows: Counts,
    work: GrowthWork,
    state: GrowthState,
) -> tuple[Whole, float]:
    """Column of the best allowed split of a node, -1 without one; and the average gain.

    Candidates are taken best first.  A refused one is replaced by its generalization (two subsets
    by all values), or by the best cut that is allowed.
    """
    # then branches are spans: their sizes say everything, and no span has to be divided
    by_size = spans.own and compiled.size_only
    cut = np.int64(0)
    for column in range(state.level.shape[0]):
        state.stale[column] = True
        state.threshold[column] = np.nan
        if columns.ordered[column] and state.level[column] > 0:
            # which cuts are open was found for the node above
            state.level[column] = 0
    while True:
        for column in range(state.level.shape[0]):
            if state.level[column] < 0 or not state.stale[column]:
                continue
            state.stale[column] = False
            state.settled[column] = False
            least = compiled.minimum_size if by_size and columns.public[column] else np.int64(1)
            if not columns.ordered[column]:
                if state.level[column] == columns.n_levels[column]:
                    least = compiled.minimum_size if columns.public[column] else np.int64(1)
                    score_subsets(
                        columns,
                        target,
                        settings,
                        column,
                        spans,
                        rows,
                        least,
                        compiled.minimum_size,
                        work,
                        state,
                    )
                    if state.gain[column] < 0:  # no two sets are large enough
                        state.level[column] = 0
                if state.level[column] < columns.n_levels[column]:
                    score_groups(columns, target, settings, column, rows, work, state)
                continue
            restricted = state.level[column] == 1
            if restricted:
                open_cuts(columns, compiled, spans, column, work)
                state.settled[column] = True
            score_cuts(columns, target, settings, column, rows, least, restricted, work, state)

        average = _average_gain(columns, settings, state)
        best = _choose(columns, settings, average, state)
        if best < 0 or state.settled[best]:
            return best, average
        allows_missing = True
        if by_size and columns.public[best]:  # the smallest branch (of cuts: missing) says it all
            broken = state.least[best] < compiled.minimum_size
            allows_missing = not broken
        else:
            cut = state.cut[best]
            level = state.level[best]
            broken = breaks_model(columns, settings, compiled, spans, best, level, cut, rows, work)
            if not broken and not columns.ordered[best] and level < columns.n_levels[best]:
                broken = names_rare(columns, best, level, spans, rows, compiled.minimum_size)
            if broken and columns.ordered[best] and columns.missing[best] >= 0:
                cut = columns.n_codes[best]  # a cut beyond every value: only missing ones differ
                allows_missing = not breaks_model(
                    columns, settings, compiled, spans, best, level, cut, rows, work
                )
        if broken:
            _refuse(columns, best, allows_missing, state)
            continue
        state.settled[best] = True
        # with the gain ratio all candidates are asked first: the average is over allowed ones
        if settings.criterion != GAIN_RATIO:
            return best, average
