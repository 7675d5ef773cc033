import pytest

from shoal.discover.columns._coarsen import coarsen
from shoal.discover.columns._decide import decide
from shoal.discover.columns._facts import Facts
from shoal.schema._builders import Flat, Intervals
from shoal.schema._days import Dates


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


def test_a_code_for_nothing_does_not_widen_the_bands_of_a_scale():
    """With -99 in it, bands of ten would have hidden a scale from 1 to 5."""
    shape = {}
    for nothing in ([], [-99.0], [999.0]):
        facts = Facts("q1", "number", [1.0, 2.0, 3.0, 4.0, 5.0, *nothing], 90, missing=False)
        shape[len(shape)] = coarsen(facts, decide(facts)).recipe
    assert shape[0] == shape[1] == shape[2] == Intervals((2.0,))


@pytest.mark.parametrize("form", ["{m:02d}/{y}", "{y}-{m:02d}", "{m:02d}.{y}"])
def test_months_coarsen_by_the_calendar(form):
    months = [form.format(m=m, y=y) for m in range(1, 13) for y in range(1950, 1990)]
    facts = Facts("x", "text", months, 900, missing=False)
    made = coarsen(facts, decide(facts)).recipe
    assert made == Dates(("month", "quarter", "year", "decade"))
    assert {"1950-01", "1950-Q1", "1950", "1950s"} <= set(made.build(months).labels)
