import datetime
import pickle

import numpy as np
import pytest

from shoal.anonymize import Mondrian
from shoal.anonymize._registry import make_method
from shoal.datasets import hospital
from shoal.datasets._hospital import hospital_schema
from shoal.errors import ParameterError
from shoal.privacy import KAnonymity
from shoal.schema import Column
from shoal.schema._builders import Tree
from shoal.schema._coding import make_coding
from shoal.tables import RowOptions
from shoal.tables._recoded import node_labels, range_labels
from tests.anonymize.strategies import SCHEMA, frame
from tests.extras import need

EVERY = np.array([0, 1]), np.array([2, 1])  # all three values, and the one in the middle


def bounds_of(coding):
    low, high = (ends.astype(np.int32) for ends in EVERY)
    return range_labels(coding, low, high).bounds.tolist()


def test_bounds_of_a_numeric_column_are_its_numbers():
    coding = make_coding("n", Column("quasi-identifier", "numeric"), [1, 4, 10])
    assert bounds_of(coding) == [[1, 10], [4, 4]]


def test_ranks_of_an_ordinal_column_are_not_what_its_digits_say():
    column = Column("quasi-identifier", "ordinal", order=("5", "4", "10"))
    coding = make_coding("grade", column, ["4", "5", "10"])
    assert coding.texts == ("5", "4", "10")
    assert bounds_of(coding) == [[0, 2], [1, 1]]


def test_a_decade_of_a_date_column_is_not_a_number_of_years():
    tree = {"1990-1999": ["1991-05-01", "1998-05-01"], "2000-2009": ["2003-05-01"]}
    column = Column("quasi-identifier", "date", Tree(tree))
    days = [datetime.date.fromisoformat(day) for decade in tree.values() for day in decade]
    coding = make_coding("day", column, days)
    labels = node_labels(coding)
    decade = labels.texts.index("1990-1999")
    assert labels.bounds[decade].tolist() == coding.numbers[:2].tolist()


def test_ranges_are_for_numbers_and_dates():
    method = Mondrian(SCHEMA, KAnonymity(2))
    people = frame([(20, "a", "u", "no"), (21, "b", "v", "no")])
    with pytest.raises(ParameterError, match="'shape' is neither a numeric nor a date"):
        method.fit(people, output=RowOptions(ranges=("shape",))).release_.table  # noqa: B018


def test_labels_of_nodes_are_made_once_and_not_pickled():
    coding = make_coding("c", Column("quasi-identifier", hierarchy=Tree({"x": ["a", "b"]})), ["a"])
    assert node_labels(coding) is node_labels(coding)
    again = pickle.loads(pickle.dumps(coding))
    assert again.texts == coding.texts
    assert set(vars(again)) == set(coding.__dataclass_fields__)
    assert node_labels(again).texts == node_labels(coding).texts


def test_cells_in_parts_become_the_groups_that_cells_become():
    need("pandas")  # makes a table of columns
    random = np.random.default_rng(8)
    schema = hospital_schema()
    for _ in range(8):
        method = make_method("mondrian", schema, int(random.integers(2, 9)))
        people = hospital(60, random_state=int(random.integers(99)))
        recoding = method.fit(people.columns).recoding_
        cells = method.release_.recoded.cells
        fast = recoding.recode(cells)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(recoding), "_by_region", lambda *given: None)
            slow = recoding.recode(cells)
        assert fast.group_of.tolist() == slow.group_of.tolist()
        assert fast.codes.shape == slow.codes.shape
        for column, (own, other) in enumerate(zip(fast.labels, slow.labels, strict=True)):
            written = [own.texts[code] for code in fast.codes[:, column]]
            assert written == [other.texts[code] for code in slow.codes[:, column]]
