import pytest

from shoal.discover.columns._coarsen import coarsen
from shoal.discover.columns._decide import decide
from shoal.discover.columns._facts import Facts
from shoal.schema._builders import Flat, Intervals


@pytest.mark.parametrize("name", ["sex", "Familienstand", "ethnie", "nationality"])
def test_numbers_that_stand_for_kinds_are_joined_to_no_bands(name):
    facts = Facts(name, "number", [1, 2, 3, 9], 400, missing=False)
    shape = coarsen(facts, decide(facts))
    assert (shape.kind, shape.recipe) == ("categorical", Flat())


@pytest.mark.parametrize(
    ("name", "values"), [("age", [1, 2, 3, 9]), ("kids", range(12)), ("nationality", range(200))]
)
def test_numbers_that_count_something_keep_their_bands(name, values):
    facts = Facts(name, "number", list(values), 400, missing=False)
    assert isinstance(coarsen(facts, decide(facts)).recipe, Intervals)
