"""Blocks of cells that are solved by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize._anonymizer import ceilings_per_cell
from shoal.anonymize.bounds._unprotectable import thin_out
from shoal.privacy import PrivacyModel
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.tables import FrequencyTable
from shoal.tables._frequency import group_keys
from shoal.typing import Flags, Progress

Block = NDArray[np.int64]
"""Numbers of cells."""


class Parts(NamedTuple):
    """The table cut by its limits, without the rows that no grouping protects."""

    blocks: list[Block]  # cells that may share a group
    kept: Flags  # one per cell
    compiled: CompiledModel  # for the cells that are kept


def parts_within_limits(cells: FrequencyTable, privacy: PrivacyModel, *, thin: bool) -> Parts:
    """Cut the table by its limits; :mod:`~shoal.anonymize.bounds._unprotectable` says why.

    A part that is not allowed is left out; with `thin`, only as many of its cells as it takes.
    """
    block_of, n_blocks = np.zeros(cells.n_groups, np.int64), 1
    if any(coding.is_limited for coding in cells.codings):
        block_of, n_blocks = group_keys(ceilings_per_cell(cells))
    kept = np.ones(cells.n_groups, np.bool_)
    while True:
        compiled = compile_model(privacy, cells, kept=kept)
        fine = allowed_groups(compiled, np.where(kept, block_of, -1), n_blocks)
        failing = np.unique(block_of[kept & ~fine[block_of]])
        if not len(failing):
            break
        for block in failing:
            members = np.flatnonzero((block_of == block) & kept)
            lost = thin_out(cells, compiled, members) if thin else members
            kept[lost] = False
    blocks = [np.flatnonzero(kept & (block_of == block)) for block in range(n_blocks)]
    return Parts([block for block in blocks if len(block)], kept, compiled)


def solve_each(
    blocks: Sequence[Block],
    n_cells: int,
    solve: Callable[[Block], NDArray[np.int64]],
    progress: Progress,
    what: str,
) -> NDArray[np.int64]:
    """Group of each cell; `solve` numbers the groups of one block from 0.

    Blocks are solved at the same time, since kernels let go of the interpreter, and the largest
    first, so that no processor waits for it in the end; groups are numbered block by block, so the
    result does not depend on which block is ready first.
    """
    group_of = np.full(n_cells, -1, np.int64)
    n_groups = done = 0
    sizes = np.array(list(map(len, blocks)), np.int64)
    block_of: dict[Future[NDArray[np.int64]], int] = {}
    with ThreadPoolExecutor(n_threads()) as pool:
        for n in np.argsort(-sizes, kind="stable").tolist():
            block_of[pool.submit(solve, blocks[n])] = n
        for future in as_completed(block_of):
            group_of[blocks[block_of[future]]] = future.result()
            done += int(sizes[block_of[future]])
            progress(done, int(sizes.sum()), what)
    for block in blocks:
        n_own = int(group_of[block].max(initial=-1)) + 1
        group_of[block] += n_groups
        n_groups += n_own
    return group_of


def is_allowed(compiled: CompiledModel, block: Block) -> bool:
    """Whether the cells of a block may be one group."""
    group_of = np.full(len(compiled.sizes), -1, np.int64)
    group_of[block] = 0
    return bool(allowed_groups(compiled, group_of, 1)[0])


def take_cells(compiled: CompiledModel, block: Block) -> CompiledModel:
    """The same model over the cells of a block, numbered as they are listed."""
    lengths = np.diff(compiled.start)[block]
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    entry = np.repeat(compiled.start[block] - start[:-1], lengths) + np.arange(start[-1])
    return compiled._replace(
        sizes=compiled.sizes[block],
        start=start,
        codes=compiled.codes[entry],
        counts=compiled.counts[entry],
    )
