"""Every label above a number covers it, read by the judge's own code."""

from hypothesis import given, strategies as st

from shoal.schema._bands import Breaks, EqualFrequency, EqualWidth
from shoal.schema._builders import Intervals
from shoal.schema._text import text
from tests.judge.labels import Fact, covers
from tests.judge.values import plain

FACT = Fact("quasi-identifier", "numeric")
WHOLE = st.one_of(
    st.integers(-100, 100), st.integers(2**53 - 9, 2**53 + 9), st.integers(-(2**63), 2**63)
)
REAL = st.one_of(
    st.floats(-1e6, 1e6), st.integers(-500, 500).map(lambda n: n / 10), st.sampled_from([0.1 + 0.2])
)
NUMBERS = st.one_of(
    *(st.lists(kind, min_size=1, max_size=12, unique=True) for kind in (WHOLE, REAL))
)
RECIPES = st.sampled_from(
    [
        Intervals((5, 10)),
        Intervals((0.1, 0.5, 1)),
        Intervals((4, 12), origin=0.3),
        Breaks((0, 20, 65)),
        Breaks(((0.5, 10, 2**53 + 4), (10,))),
        EqualWidth(4),
        EqualFrequency(3),
    ]
)


@given(NUMBERS, RECIPES)
def test_labels_cover_their_values(numbers, recipe):
    values = sorted(set(numbers))
    tree = recipe.build(values)
    for value in values:
        leaf = tree.find(text(value))
        for node in tree.levels[leaf]:
            assert covers(str(tree.labels[node]), plain(value), FACT), (value, tree.labels[node])
