"""What another process says of spans is checked before it is believed."""

import numpy as np
import pytest

from shoal.audit._model_spans import ModelSpans
from shoal.audit._training_table import read_training_table
from shoal.audit.files._told_spans import read_spans, write_spans
from shoal.privacy.spans._spans import Bins, Spans
from shoal.schema import Schema

TABLE = read_training_table(
    {"age": [30, 40, 50], "car": ["a", "b", "a"]},
    Schema({"age": {"role": "quasi-identifier"}, "car": {"role": "sensitive"}}),
)
WRONG = "not what an audit sends|invalid literal"


def told():
    reach = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], bool)
    spans, own = Spans.from_reach(reach, TABLE.columns)
    bins = Bins(("a", "b", "c"), np.array([1, 1, 1]))
    read = ModelSpans("tree", spans, own, bins, lambda span: (f"leaf {span}",), notes=("so",))
    return write_spans(read, [0])


def test_spans_come_as_they_were_sent():
    back = read_spans(*told(), TABLE)
    assert back.spans.population.tolist() == [2, 1]
    assert back.spans.is_single.tolist() == [False, True]
    assert [*back.spans.groups.histograms] == ["car"]
    assert (back.kind, back.method, back.notes) == ("tree", "exact", ("so",))
    assert back.bins.names == ("a", "b", "c")
    assert (back.explain(0), back.explain(1)) == (("leaf 0",), ())


@pytest.mark.parametrize(
    ("place", "numbers"),
    [
        (0, [0, 0]), (0, [0, 0, 2]), (0, [0, 0, -1]), (0, []), (1, [0, 2]), (1, [0, 2, 9]),
        (1, [1, 2, 3]), (1, [0, 3, 2, 3]), (1, [0]), (1, [0, 0, 3]), (2, [0, 1, 3]),
        (2, [0, 1, -1]), (3, [1, 1]), (3, [1, 1, -1]),
    ],
)  # fmt: skip
def test_arrays_that_are_no_spans_are_refused(place, numbers):
    header, arrays = told()
    arrays[place] = np.array(numbers, "<i8").tobytes()
    with pytest.raises(ValueError, match=WRONG):
        read_spans(header, arrays, TABLE)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kind", 3), ("method", None), ("names", ["a"]), ("names", "abc"), ("notes", [1]),
        ("held", {}), ("unread", "x"), ("causes", []), ("causes", {"0": "leaf"}),
        ("causes", {"x": []}),
    ],
)  # fmt: skip
def test_words_that_are_none_are_refused(name, said):
    header, arrays = told()
    with pytest.raises(ValueError, match=WRONG):
        read_spans({**header, name: said}, arrays, TABLE)
