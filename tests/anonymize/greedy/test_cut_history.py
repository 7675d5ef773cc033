import numpy as np
import pytest

from shoal.anonymize.greedy._cut_history import CutHistory


@pytest.fixture
def cuts():
    rng = np.random.default_rng(3)
    now = [np.zeros(5, np.int32), np.zeros(3, np.int32)]
    found = [[nodes.copy() for nodes in now]]
    for _ in range(20):
        column = int(rng.integers(2))
        now[column][rng.integers(len(now[column]))] = rng.integers(9)
        found.append([nodes.copy() for nodes in now])
    return found


def test_every_cut_comes_back_as_it_was(cuts):
    history = CutHistory(cuts[0])
    for cut in cuts[1:]:
        history.append(cut)
    assert len(history) == len(cuts)
    for kept, cut in zip(history, cuts, strict=True):
        assert [nodes.tolist() for nodes in kept] == [nodes.tolist() for nodes in cut]
    assert [n.tolist() for n in history[-1]] == [n.tolist() for n in cuts[-1]]
    assert [n.tolist() for n in next(reversed(history))] == [n.tolist() for n in cuts[-1]]


def test_what_it_hands_out_is_a_copy(cuts):
    history = CutHistory(cuts[0])
    history[0][0][:] = 7
    assert history[0][0].tolist() == cuts[0][0].tolist()


def test_a_step_that_was_not_taken_is_an_error(cuts):
    with pytest.raises(IndexError):
        CutHistory(cuts[0])[1]
