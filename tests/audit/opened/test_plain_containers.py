"""What containers hold, whatever their methods say."""

import collections

import numpy as np
import pytest

from shoal.audit.opened._plain_containers import plain, slots_of


@pytest.mark.parametrize("base", [list, tuple, set, frozenset, collections.deque, dict])
def test_methods_do_not_hide_entries(base):
    hides = {name: lambda *_: iter(()) for name in ("__iter__", "items", "keys", "values")}
    kind = type("Own", (base,), hides)
    given = {1: 2, 3: 4} if base is dict else [1, 3]
    assert plain(kind(given)) == base(given)
    assert type(plain(kind(given))) is base


def test_arrays_are_seen_as_they_are():
    kind = type("Own", (np.ndarray,), {"shape": (0,), "size": 0})
    assert plain(np.arange(3).view(kind)).tolist() == [0, 1, 2]


def test_slots_of_all_classes_with_their_hidden_names():
    class Base:
        __slots__ = ("__rows", "a")

    class Own(Base):
        __slots__ = "b"

    assert sorted(slots_of(Own)) == ["_Base__rows", "a", "b"]
