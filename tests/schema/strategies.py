"""Random trees and schemas."""

from hypothesis import strategies as st

from shoal.schema import Column, Hierarchy, Schema
from shoal.schema._bands import Breaks, EqualFrequency, EqualWidth
from shoal.schema._builders import Auto, Flat, Intervals, Prefix, Tree
from shoal.schema._days import Dates

labels = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=0, max_size=6
) | st.sampled_from(['"', "a.b", "[x]", "#", "é\n", "'", "\\", "\x00", "\x7f", "=", "{}", "naïve"])


@st.composite
def parent_maps(draw, max_inner=5, max_leaves=10):
    """Parents of a random tree with root `*`; inner nodes all have children."""
    n_inner = draw(st.integers(0, max_inner))
    parents, inner = {}, ["*"]
    for i in range(n_inner):
        parents[f"n{i}"] = draw(st.sampled_from(inner))
        inner.append(f"n{i}")
    n = draw(st.integers(1, max_leaves))
    for i in range(n):
        parents[f"v{i}"] = draw(st.sampled_from(inner))
    childless = [label for label in inner[1:] if label not in parents.values()]
    for i, label in enumerate(childless):
        parents[f"w{i}"] = label
    if "*" not in parents.values():
        parents["w*"] = "*"
    return parents


numbers = st.integers(1, 50) | st.floats(0.25, 99, allow_nan=False)


@st.composite
def intervals(draw):
    widths = [draw(numbers)]
    for _ in range(draw(st.integers(0, 2))):
        widths.append(widths[-1] * draw(st.integers(2, 4)))
    return Intervals(widths, draw(st.integers(-5, 5)))


@st.composite
def trees(draw):
    names = draw(st.lists(labels.filter(lambda s: s != "*"), min_size=1, max_size=8, unique=True))
    cut = draw(st.integers(0, len(names) - 1))
    groups = {name: [] for name in names[:cut]}
    for leaf in names[cut:]:
        if cut and draw(st.booleans()):
            groups[draw(st.sampled_from(names[:cut]))].append(leaf)
        else:
            groups[leaf] = {}
    return Tree(groups)


hierarchies = parent_maps().map(Hierarchy.from_parents)

recipes = (
    intervals()
    | st.lists(numbers, min_size=1, max_size=5, unique=True).map(lambda p: Breaks(sorted(p)))
    | st.integers(2, 9).map(EqualWidth)
    | st.integers(2, 9).map(EqualFrequency)
    | st.lists(st.integers(1, 5), min_size=1, max_size=3).map(Prefix)
    | st.lists(st.sampled_from(["month", "quarter", "year", "decade"]), min_size=1).map(Dates)
    | trees()
    | st.sampled_from([Auto(), Flat()])
    | hierarchies
)


@st.composite
def columns(draw, target=False):
    role = draw(st.sampled_from(["identifier", "quasi-identifier", "sensitive", "insensitive"]))
    kind = draw(st.sampled_from(["categorical", "ordinal", "numeric", "date"]))
    hierarchy = draw(st.none() | recipes)
    limit, level = (), None
    if hierarchy is not None:
        limit = tuple(draw(st.lists(labels, max_size=2)))
        level = None if limit else draw(st.none() | st.integers(0, 3))
    order = tuple(draw(st.lists(labels, max_size=3))) if kind == "ordinal" else ()
    return Column(
        role,
        kind,
        hierarchy,
        weight=draw(st.just(1.0) | st.floats(0, 1e6)),
        limit=limit,
        limit_level=level,
        target=target and role != "identifier",
        order=order,
    )


@st.composite
def schemas(draw):
    names = draw(st.lists(labels, min_size=1, max_size=5, unique=True))
    target = draw(st.none() | st.sampled_from(names))
    return Schema({name: draw(columns(target=name == target)) for name in names})
