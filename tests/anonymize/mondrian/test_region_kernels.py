import itertools

import numpy as np
import pytest

from shoal.anonymize.mondrian._partition import partition
from shoal.anonymize.mondrian._preferences import Preferences
from shoal.anonymize.mondrian._region_kernels import UNKNOWN, walk
from shoal.privacy import KAnonymity
from shoal.privacy.compiled._compile import compile_model
from tests.anonymize.strategies import compress
from tests.reference import mondrian as twin


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_combinations_go_where_their_twins_go(seed, relaxed):
    rng = np.random.default_rng(seed)
    people = [
        (20 + a, "abcdefg"[p], "uvw"[s], ["yes", "no"][i])
        for a, p, s, i in rng.integers(0, [5, 7, 3, 2], (60, 4)).tolist()
    ]
    cells = compress(people)
    preferences = Preferences(np.ones(3), relaxed=relaxed)
    model = compile_model(KAnonymity(3), cells)
    regions, *_ = partition(cells, model, preferences, lambda *_: None)
    tree = {name: array.tolist() for name, array in regions._asdict().items()}
    keys = list(itertools.product(*(range(coding.n_codes) for coding in cells.codings)))
    leaf = walk(np.ascontiguousarray(2 * np.array(keys).T), regions)
    assert leaf.tolist() == [twin.home(tree, key) for key in keys]


def test_a_value_without_a_position_goes_to_the_last_child():
    cells = compress([(20 + i, "a", "u", "no") for i in range(8)])
    model = compile_model(KAnonymity(2), cells)
    regions, *_ = partition(cells, model, Preferences(np.ones(3)), lambda *_: None)
    node = 0
    while regions.n_children[node]:
        node = int(regions.first_child[node] + regions.n_children[node] - 1)
    positions = np.array([[UNKNOWN], [0], [0]], np.int64)
    assert walk(positions, regions).tolist() == [node]
