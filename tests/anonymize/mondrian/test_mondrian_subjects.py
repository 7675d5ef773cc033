import random
from collections import defaultdict

import pytest

from shoal import Schema
from shoal.anonymize import Mondrian

SCHEMA = Schema(
    {name: {"role": "quasi-identifier", "hierarchy": "flat"} for name in "abcd"}
    | {"who": {"role": "subject"}, "row": {"role": "insensitive", "kind": "numeric"}}
)


@pytest.mark.parametrize("seed", range(20))
def test_cells_of_which_no_row_counts_are_cut_like_others(seed):
    rng = random.Random(seed)
    table = {name: [rng.choice("uvwxyz") for _ in range(30)] for name in "abcd"}
    table |= {"who": [f"p{rng.randrange(20)}" for _ in range(30)], "row": list(range(30))}
    released = Mondrian(SCHEMA, 2).fit(table).release_.table
    people = defaultdict(set)
    for *labels, row in zip(*(released[name] for name in "abcd"), released["row"], strict=True):
        people[tuple(labels)].add(table["who"][int(row)])
    assert min(map(len, people.values())) >= 2
