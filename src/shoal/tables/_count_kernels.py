"""Counting loops.  Arrays in, arrays out; no objects, no errors, no I/O."""

import numpy as np
from numpy.typing import NDArray

from shoal._jit import kernel
from shoal.typing import Codes, Counts


@kernel
def _mix(word: np.uint64) -> np.uint64:
    """Scatter a word's bits (the finalizer of SplitMix64).

    The loops below hash a column of words by themselves: a kernel for it costs them a fifth.
    """
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def pack_groups(words: NDArray[np.uint64]) -> tuple[NDArray[np.int64], int]:
    """Number the columns of `words` by equality, in order of first appearance.

    Open addressing with linear probing; the table doubles when it is half full, so memory
    follows the number of distinct columns.
    """
    n_words, n = words.shape
    group = np.empty(n, np.int64)
    capacity = 1024
    slots = np.full(capacity, -1, np.int64)
    first = np.empty(512, np.int64)  # half of the capacity: there is always room for one more
    n_groups = 0
    for i in range(n):
        mixed = np.uint64(0)
        for w in range(n_words):
            # `+` binds first: the golden ratio's bits keep words of zeros from hashing to zero
            mixed = _mix(mixed ^ words[w, i] + np.uint64(0x9E3779B97F4A7C15))
        slot = np.int64(mixed & np.uint64(capacity - 1))
        while True:
            candidate = slots[slot]
            if candidate < 0:
                break
            # hashes may collide: the words themselves decide
            same = True
            row = first[candidate]
            for w in range(n_words):
                if words[w, row] != words[w, i]:
                    same = False
                    break
            if same:
                break
            slot = (slot + 1) & (capacity - 1)
        if candidate >= 0:
            group[i] = candidate
            continue
        slots[slot] = n_groups
        first[n_groups] = i
        group[i] = n_groups
        n_groups += 1
        if 2 * n_groups >= capacity:
            capacity *= 2
            slots = np.full(capacity, -1, np.int64)
            larger = np.empty(capacity // 2, np.int64)
            larger[:n_groups] = first[:n_groups]
            first = larger
            # every group's first column stands for it; the numbers of groups stay as they are
            for g in range(n_groups):
                mixed = np.uint64(0)
                for w in range(n_words):
                    mixed = _mix(mixed ^ words[w, first[g]] + np.uint64(0x9E3779B97F4A7C15))
                slot = np.int64(mixed & np.uint64(capacity - 1))
                while slots[slot] >= 0:  # groups differ, so only an empty slot is looked for
                    slot = (slot + 1) & (capacity - 1)
                slots[slot] = g
    return group, n_groups


@kernel
def table_size(n: int) -> int:
    """Slots for `n` entries to look up: a power of two, at most half of it filled."""
    capacity = 1024
    while capacity < 2 * n:
        capacity *= 2
    return capacity


@kernel
def group_members(
    group_of: NDArray[np.int64], n_groups: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Members of each group: group g owns ``member[first[g]]`` to ``member[first[g + 1] - 1]``.

    A counting sort; what is in group -1 is left out.
    """
    first = np.zeros(n_groups + 1, np.int64)
    for group in group_of:
        if group >= 0:
            first[group + 1] += 1
    for group in range(n_groups):
        first[group + 1] += first[group]
    member = np.empty(first[n_groups], np.int64)
    free = first[:n_groups].copy()
    for item in range(group_of.shape[0]):
        group = group_of[item]
        if group >= 0:
            member[free[group]] = item
            free[group] += 1
    return first, member


@kernel
def merge_entries(
    start: NDArray[np.int64],
    codes: Codes,
    counts: Counts,
    group_of: NDArray[np.int64],
    n_groups: int,
    n_codes: int,
) -> tuple[NDArray[np.int64], Codes, Counts]:
    """Add up sparse histograms of groups that become one; codes of a group come out rising."""
    first, member = group_members(group_of, n_groups)
    total = np.zeros(n_codes, np.int64)
    touched = np.empty(n_codes, np.int32)
    new_start = np.zeros(n_groups + 1, np.int64)
    new_codes = np.empty(codes.shape[0], np.int32)
    new_counts = np.empty(codes.shape[0], np.int64)
    n_entries = 0
    for group in range(n_groups):
        n_touched = 0
        for m in range(first[group], first[group + 1]):
            old = member[m]
            for e in range(start[old], start[old + 1]):
                if total[codes[e]] == 0:
                    touched[n_touched] = codes[e]
                    n_touched += 1
                total[codes[e]] += counts[e]
        # only codes that occur are visited and set back to zero: columns may have many
        for code in np.sort(touched[:n_touched]):
            new_codes[n_entries] = code
            new_counts[n_entries] = total[code]
            total[code] = 0
            n_entries += 1
        new_start[group + 1] = n_entries
    return new_start, new_codes[:n_entries].copy(), new_counts[:n_entries].copy()


@kernel
def match_words(known: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Index of each column of `wanted` among the distinct columns of `known`; -1 when absent."""
    n_words, n_known = known.shape
    capacity = table_size(n_known)
    slots = np.full(capacity, -1, np.int64)
    for g in range(n_known):
        mixed = np.uint64(0)
        for w in range(n_words):
            mixed = _mix(mixed ^ known[w, g] + np.uint64(0x9E3779B97F4A7C15))
        slot = np.int64(mixed & np.uint64(capacity - 1))
        while slots[slot] >= 0:
            slot = (slot + 1) & (capacity - 1)
        slots[slot] = g  # columns of `known` differ, so this slot is new
    n = wanted.shape[1]
    index = np.full(n, -1, np.int64)
    for i in range(n):
        mixed = np.uint64(0)
        for w in range(n_words):
            mixed = _mix(mixed ^ wanted[w, i] + np.uint64(0x9E3779B97F4A7C15))
        slot = np.int64(mixed & np.uint64(capacity - 1))
        while slots[slot] >= 0:
            candidate = slots[slot]
            same = True
            for w in range(n_words):
                if known[w, candidate] != wanted[w, i]:
                    same = False
                    break
            if same:
                index[i] = candidate
                break
            slot = (slot + 1) & (capacity - 1)
    return index
