"""The loops of `_priced_bound`."""

import numba
import numpy as np

_HASH = np.uint64(0x9E3779B97F4A7C15)


@numba.njit(cache=True, nogil=True)
def _find(slot, word_at, word):
    """Where a word stands in a table, or may be put."""
    mask = slot.shape[0] - 1
    at = np.int64((np.uint64(word) * _HASH) >> np.uint64(34)) & mask
    while slot[at] >= 0 and word_at[slot[at]] != word:
        at = (at + 1) & mask
    return at


@numba.njit(cache=True, nogil=True)
def weigh_nodes(first, second, nodes, numbers, sizes, k, prices, order, lack):
    """The boxes of some nodes; `order` lists cells by falling price.

    Rows of one cell may be taken apart, which only lowers the bound.
    """
    n, n_slots = sizes.shape[0], 1024
    while n_slots < 2 * n:
        n_slots *= 2
    slot, word_at = np.full(n_slots, -1, np.int64), np.empty(n, np.int64)
    place, rows, worth = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n)
    width, total, n_found = second.part.max() + 1, 0.0, 0
    node, word = np.empty(1024, np.int64), np.empty(1024, np.int64)
    for number in numbers:
        a, b = nodes[number]
        least, n_boxes, n_small = first.least[a] + second.least[b], 0, 0
        one, two, loss_one, loss_two = first.part[a], second.part[b], first.loss[a], second.loss[b]
        for cell in order:  # what pays by itself
            if prices[cell] <= least:
                break
            gain = prices[cell] - loss_one[cell] - loss_two[cell]
            if gain <= 0:
                continue
            own = one[cell] * width + two[cell]
            at = _find(slot, word_at, own)
            if slot[at] < 0:
                slot[at], word_at[n_boxes], place[n_boxes] = n_boxes, own, at
                rows[n_boxes], worth[n_boxes] = 0, 0.0
                n_boxes += 1
            box = slot[at]
            rows[box] += sizes[cell]
            worth[box] += sizes[cell] * gain
        for box in range(n_boxes):
            n_small += rows[box] < k
        if n_small > 0:
            for cell in order:  # boxes that are too small take others, the dearest first
                gain = prices[cell] - loss_one[cell] - loss_two[cell]
                if gain > 0:
                    continue
                box = slot[_find(slot, word_at, one[cell] * width + two[cell])]
                if box < 0 or rows[box] >= k:
                    continue
                some = min(sizes[cell], k - rows[box])
                rows[box] += some
                worth[box] += some * gain
                n_small -= rows[box] >= k
                if n_small == 0:
                    break
        for box in range(n_boxes):
            slot[place[box]] = -1
            if rows[box] < k or worth[box] <= -lack:
                continue
            total += max(0.0, worth[box])
            if n_found == node.shape[0]:
                node = np.append(node, np.empty(n_found, np.int64))
                word = np.append(word, np.empty(n_found, np.int64))
            node[n_found], word[n_found] = number, word_at[box]
            n_found += 1
    return total, node[:n_found], word[:n_found]


@numba.njit(cache=True, nogil=True)
def weigh_boxes(boxes, sizes, k, prices, worth, begin, end):
    """What some listed boxes are worth; returns how often rows are in those worth something."""
    taken = np.zeros(sizes.shape[0], np.int64)
    for box in range(begin, end):
        cells, loss = boxes.cell[boxes.start[box] : boxes.start[box + 1]], boxes.loss[box]
        rows, own = 0, 0.0
        for cell in cells:
            if prices[cell] > loss:
                rows += sizes[cell]
                own += sizes[cell] * (prices[cell] - loss)
        if rows >= k:
            worth[box] = own
            if own > 0:
                for cell in cells:
                    if prices[cell] > loss:
                        taken[cell] += sizes[cell]
            continue
        if own <= 0:
            worth[box] = -np.inf  # nobody is dearer than the box
            continue
        others = cells[prices[cells] <= loss]
        others = others[np.argsort(-prices[others])]
        lacking, n = k - rows, 0
        while lacking > 0 and n < others.shape[0]:
            some = min(lacking, sizes[others[n]])
            own += some * (prices[others[n]] - loss)
            lacking -= some
            n += 1
        worth[box] = own if lacking == 0 else -np.inf
        if worth[box] <= 0:
            continue
        lacking = k - rows
        for cell in cells:
            if prices[cell] > loss:
                taken[cell] += sizes[cell]
        for cell in others[:n]:
            some = min(lacking, sizes[cell])
            taken[cell] += some
            lacking -= some
    return taken
