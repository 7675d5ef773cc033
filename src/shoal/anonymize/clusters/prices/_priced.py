"""First groups by the generalization that pays best for the rows left, at a price that rises."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal._resources import n_threads
from shoal.anonymize.clusters._local_plan import (
    MOST_NODES,
    Ladder,
    cheapest_that_fit,
    halves,
    number_parts,
    thinned,
)
from shoal.anonymize.clusters.prices._priced_kernels import (
    Nodes,
    take_best_nodes,
    weigh_nodes,
)
from shoal.privacy.compiled._condition_kernels import CompiledModel
from shoal.typing import Codes, Floats

PRICES = 40  # even steps up to the loss of a row of which nothing is released
_ROWS_OF_A_SAMPLED_GROUP = 3  # parts of the sample should be this large before they count
_WEIGHED = 400  # nodes at one price, times the root of the smallest group
_LEAST_SAMPLE = 2_048
_ABOVE_THE_PRICE = 1.25  # nodes with a higher average loss hardly have a part below the price
_WORTH_A_THREAD = 200_000  # nodes times cells: about a millisecond


class Lattice(NamedTuple):
    """The nodes that groups are made at."""

    nodes: Nodes
    losses: Floats  # of each node, on average
    highest: float  # loss of a row of which nothing is released


def priced_groups(
    ladders: Sequence[Ladder], keys: Codes, compiled: CompiledModel, deadline: float
) -> tuple[NDArray[np.int64], bool]:
    """Group of each cell, -1 for none, and whether the time sufficed."""
    nodes, losses, highest = make_lattice(ladders, keys, compiled)
    group_of = np.full(len(keys), -1, np.int64)
    wakes = np.zeros(len(losses))
    draw = np.random.default_rng(0)
    # the larger groups are, the fewer there are, and the longer each may be searched for
    smallest = compiled.minimum_size
    most_weighed = int(_WEIGHED * math.sqrt(max(1, smallest)))
    n_groups = 0
    for price in np.linspace(0, highest, PRICES + 1)[1:]:
        free = np.flatnonzero(group_of < 0)
        rows = int(compiled.sizes[free].sum())
        if rows < max(1, smallest):
            break
        if time.perf_counter() > deadline:
            return group_of, False
        wanted = max(_LEAST_SAMPLE, _ROWS_OF_A_SAMPLED_GROUP * len(free) // max(1, smallest))
        sampled = np.sort(draw.choice(free, min(len(free), wanted), replace=False))
        sample = take_nodes(nodes, sampled)
        least = max(1.0, smallest * int(sample.sizes.sum()) / rows)
        # parts only shrink, so a node sleeps until the price reaches what its parts cost
        chosen = np.flatnonzero((wakes < price) & (losses < _ABOVE_THE_PRICE * price))
        if len(chosen) > most_weighed:
            chosen = np.sort(draw.choice(chosen, most_weighed, replace=False))
        values = np.zeros(len(losses))
        everyone = np.arange(len(sampled))
        if len(chosen) * len(everyone) < _WORTH_A_THREAD:
            weigh_nodes(sample, chosen, everyone, least, price, values, wakes)
        else:
            _weigh_together(sample, chosen, everyone, least, price, values, wakes)
        n_groups = take_best_nodes(
            compiled, nodes, sample, sampled, least, price, values, group_of, n_groups
        )
    return group_of, True


def _weigh_together(
    sample: Nodes,
    chosen: NDArray[np.int64],
    cells: NDArray[np.int64],
    least: float,
    price: float,
    values: Floats,
    wakes: Floats,
) -> None:
    """Weigh nodes on every processor; each has numbers of its own, so the order is no matter."""

    def weigh(nodes: NDArray[np.int64]) -> None:
        weigh_nodes(sample, nodes, cells, least, price, values, wakes)

    with ThreadPoolExecutor(n_threads()) as pool:
        list(pool.map(weigh, np.array_split(chosen, n_threads())))


def make_lattice(ladders: Sequence[Ladder], keys: Codes, compiled: CompiledModel) -> Lattice:
    """All nodes of a lattice of some levels, or those with least average loss."""
    ladders = thinned(ladders, MOST_NODES)
    first, second = halves([len(ladder.losses) for ladder in ladders])
    rising = [np.array(ladder.losses) for ladder in ladders]
    levels, losses = cheapest_that_fit(rising, (first, second), 1, len(keys))
    node_of = [
        [level[codes] for level in ladder.nodes]
        for ladder, codes in zip(ladders, keys.T, strict=True)
    ]
    first_part, _, first_of = number_parts(levels, node_of, first, len(keys))
    second_part, n_second, second_of = number_parts(levels, node_of, second, len(keys))
    start = np.zeros((len(ladders), max(len(ladder.nodes) for ladder in ladders)), np.int64)
    costs: list[NDArray[np.float64]] = []
    filled = 0
    for column, ladder in enumerate(ladders):
        for level, cost in enumerate(ladder.costs):
            start[column, level] = filled
            costs.append(cost)
            filled += len(cost)
    nodes = Nodes(
        first_part,
        second_part,
        n_second,
        first_of,
        second_of,
        np.ascontiguousarray(levels, np.int32),
        start,
        np.concatenate(costs),
        keys,
        compiled.sizes,
    )
    return Lattice(nodes, losses, sum(ladder.losses[-1] for ladder in ladders))


def take_nodes(nodes: Nodes, cells: NDArray[np.int64]) -> Nodes:
    """The same nodes over some of the cells, numbered as they are listed."""
    return nodes._replace(
        first_part=np.ascontiguousarray(nodes.first_part[:, cells]),
        second_part=np.ascontiguousarray(nodes.second_part[:, cells]),
        keys=np.ascontiguousarray(nodes.keys[cells]),
        sizes=nodes.sizes[cells],
    )
