import io
import threading
from collections import defaultdict

import numpy as np
import pytest

from shoal.audit._insides import inside, inside_of_class

ROWS = [[1.5, 2.5], [3.5, 4.5]]


class Own:
    rows = ROWS

    def method(self):
        return self.rows


def test_a_class_of_ones_own_is_opened_and_those_of_libraries_are_not():
    assert inside_of_class(Own) == [("rows", ROWS), ("method", Own.method)]
    assert inside_of_class(np.ndarray) == inside_of_class(dict) == []


def test_compiled_objects_are_opened_by_what_a_file_of_them_would_hold():
    ((_, state),) = inside(io.StringIO("1.5,2.5"))
    assert "1.5,2.5" in state[1]
    assert inside(threading.Lock()) is None


def test_mappings_have_keys_and_what_they_make_of_new_ones():
    found = dict(inside(defaultdict(Own, {"a": 1})))
    assert found == {"keys": ["a"], "a": 1, "default": Own}


def test_constants_of_code_are_in_it():
    found = dict(inside((lambda: (1.5, 2.5)).__code__))
    assert (1.5, 2.5) in found["constants"]


@pytest.mark.parametrize("home", ["sklearn.tree._classes", "xgboost", "collections", "builtins"])
def test_code_that_only_says_that_it_is_of_a_library_is_opened(home):
    class Claimed:
        rows = ROWS

    def remembers(rows=ROWS):
        return rows

    Claimed.__module__ = remembers.__module__ = home
    assert inside_of_class(Claimed) == [("rows", ROWS)]
    assert dict(inside(remembers))["defaults"] == (ROWS,)
