"""A search that does not look at sensitive values tells nothing about them."""

from itertools import product

import pytest

from shoal import Schema
from shoal.anonymize import BottomUpGeneralization, FullDomain, Mondrian, TopDownSpecialization
from shoal.privacy import KAnonymity
from tests.extras import need

pd = need("pandas")

SCHEMA = Schema(
    {
        "a": {"role": "quasi-identifier", "hierarchy": "flat"},
        "b": {"role": "quasi-identifier", "hierarchy": "flat"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "ill": {"role": "sensitive", "target": True},
    }
)
PEOPLE = {"a": list("yxyxx"), "b": list("uvvvu"), "age": [31, 44, 52, 58, 33]}
METHODS = (TopDownSpecialization, BottomUpGeneralization, FullDomain, Mondrian)


def labels(method, ill, **parameters):
    """Labels of each person, and what was left out: all that a search decides."""
    fitted = method(SCHEMA, KAnonymity(2), **parameters).fit(pd.DataFrame({**PEOPLE, "ill": ill}))
    recoded = fitted.release_.recoded
    group = recoded.group_of
    texts = [own.texts for own in recoded.labels]
    return sorted(
        (key.tolist(), [texts[c][code] for c, code in enumerate(recoded.codes[g])] if g >= 0 else g)
        for key, g in zip(recoded.cells.keys, group, strict=True)
    )


@pytest.mark.parametrize("method", METHODS)
def test_labels_are_the_same_whatever_the_sensitive_values_are(method):
    seen = [labels(method, ill) for ill in product(["HIV", "no"], repeat=5) if len(set(ill)) == 2]
    assert all(one == seen[0] for one in seen)


@pytest.mark.parametrize("method", [TopDownSpecialization, BottomUpGeneralization])
def test_a_search_that_looks_says_so(method):
    table = pd.DataFrame({**PEOPLE, "ill": ["HIV", "HIV", "HIV", "HIV", "no"]})
    looking = method(SCHEMA, KAnonymity(2), metric="information").fit(table).release_
    assert any("'ill'" in note and "ncp" in note for note in looking.notes)
    assert not method(SCHEMA, KAnonymity(2)).fit(table).release_.notes
