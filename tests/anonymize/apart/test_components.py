from collections import Counter

import numpy as np
import pytest

from shoal.anonymize import Mondrian, load_recoding
from shoal.anonymize._registry import make_method
from shoal.anonymize.apart._components import Component, find_components
from shoal.anonymize.apart._joined_recoding import JoinedRecoding
from shoal.errors import GuaranteeError
from shoal.privacy import DistinctDiversity, KAnonymity, LKCPrivacy, Requirement
from shoal.schema import Schema

NAMES = tuple("abcde")
SCHEMA = Schema(
    {name: {"role": "quasi-identifier", "kind": "numeric"} for name in NAMES}
    | {"s": {"role": "sensitive"}}
)


def table(seed, n=120):
    rng = np.random.default_rng(seed)
    numbers = {name: rng.integers(0, 30, n).tolist() for name in NAMES}
    return numbers | {"s": rng.choice(["x", "y"], n).tolist()}


def fewest(released, *names):
    return min(Counter(zip(*(released[name] for name in names), strict=True)).values())


def test_columns_that_nothing_ties_together_are_apart():
    promise = Requirement(("a", "b"), 3) & Requirement(("b", "c"), 4) & Requirement(("e",), 5)
    tied, free, alone = find_components(promise, NAMES)
    assert tied == Component((0, 1, 2), Requirement(("a", "b"), 3) & Requirement(("b", "c"), 4))
    assert free == Component((3,), None)
    assert alone == Component((4,), KAnonymity(5))  # over all its columns: no requirement any more


@pytest.mark.parametrize(
    "promise",
    [
        KAnonymity(3),
        KAnonymity(2) & Requirement(("a",), 5),
        LKCPrivacy(2, 3),
        Requirement(("a", "b", "c"), 2) & Requirement(("c", "d", "e"), 2),
    ],
)
def test_what_ties_all_columns_is_one_component(promise):
    assert find_components(promise, NAMES) == [Component((0, 1, 2, 3, 4), promise)]


def test_any_one_column_ties_none():
    assert [one.asked for one in find_components(LKCPrivacy(1, 7), NAMES)] == [KAnonymity(7)] * 5


@pytest.mark.parametrize("method", ["mondrian", "local", "constrained"])
def test_columns_apart_keep_more(method):
    """Groups over the columns of one requirement lose less than groups over all columns."""
    promise = Requirement(("a", "b"), 6) & Requirement(
        ("d", "e"), KAnonymity(4) & DistinctDiversity(2)
    )
    data = table(0)
    release = make_method(method, SCHEMA, promise).fit(data).release_
    released = release.table
    assert fewest(released, "a", "b") >= 6
    assert fewest(released, "d", "e") >= 4
    assert Counter(released["c"]) == Counter(data["c"])  # nobody asked for it
    over_all = make_method(method, SCHEMA, KAnonymity(6) & DistinctDiversity(2)).fit(data).release_
    assert release.metrics.gcp < 0.7 * over_all.metrics.gcp
    assert "searched apart: 'a', 'b'; 'd', 'e'" in release.notes[-1]


@pytest.mark.parametrize("method", ["mondrian", "full-domain"])
def test_a_column_that_nothing_is_asked_of_is_told(method):
    some = Requirement(("a", "b"), 3) & Requirement(("d", "e"), 2)
    for promise, told in ((some, True), (some & KAnonymity(2), False), (LKCPrivacy(1, 2), False)):
        notes = make_method(method, SCHEMA, promise).fit(table(0)).release_.notes
        assert any("no requirement names 'c':" in note for note in notes) is told


def test_the_recoding_is_saved_and_applied(tmp_path):
    promise = Requirement(("a", "b"), 6) & Requirement(("d", "e"), 4)
    method = Mondrian(SCHEMA, promise).fit(table(1))
    method.save_private(tmp_path / "recoding.json")
    loaded = load_recoding(tmp_path / "recoding.json")
    assert isinstance(loaded, JoinedRecoding)
    again = Mondrian(SCHEMA, promise).load_private(tmp_path / "recoding.json")
    new = table(2, 50)
    for name in NAMES:
        assert again.transform(new)[name].tolist() == method.transform(new)[name].tolist()


def test_the_judge_withholds_what_breaks_a_requirement(monkeypatch):
    """A search that forgets a requirement releases nothing."""
    monkeypatch.setattr(
        "shoal.anonymize.apart._components.keeps", lambda privacy, recoded, people: True
    )
    monkeypatch.setattr(Mondrian, "_solve", _of_two(Mondrian._solve))
    release = Mondrian(SCHEMA, Requirement(("a", "b"), 6) & Requirement(("d",), 4)).fit(table(3))
    with pytest.raises(GuaranteeError, match="by 'a', 'b' alone"):
        release.release_.table  # noqa: B018


def _of_two(solve):
    return lambda self, cells, privacy, progress: solve(self, cells, KAnonymity(2), progress)
