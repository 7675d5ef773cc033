"""No label of a hardened release depends on anybody else's row."""

import numpy as np
import pytest

from shoal.anonymize import FullDomain, LocalRecoding, Mondrian
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from tests.extras import need

pd = need("pandas")

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric", "lines": 10},
        "score": {
            "role": "quasi-identifier",
            "kind": "numeric",
            "hierarchy": {"intervals": [5, 10]},
        },
        "town": {"role": "quasi-identifier", "hierarchy": {"tree": {"N": ["a", "b"], "S": ["c"]}}},
    }
)


def labels(method, table):
    """Labels by the person's number in the first table; None for who is left out."""
    recoded = method.fit(table.reset_index(drop=True)).release_.recoded
    written = {}
    for key, group in zip(recoded.cells.keys, recoded.group_of, strict=True):
        raw = tuple(c.texts[code] for c, code in zip(recoded.cells.codings, key, strict=True))
        codes = recoded.codes[group]
        texts = tuple(own.texts[i] for own, i in zip(recoded.labels, codes, strict=True))
        written[raw] = texts if group >= 0 else None
    return written


def people(seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 45, 9),
            "score": rng.integers(0, 12, 9),
            "town": rng.choice([*"abc"], 9),
        }
    )


def changed(make, table):
    """Whether taking some row away changes the label of a row that is released both times."""
    before = labels(make(), table)
    for row in range(len(table)):
        try:
            after = labels(make(), table.drop(index=row))
        except InfeasibleError:  # everybody is left out: nothing is published
            continue
        if any(own and before[raw] and own != before[raw] for raw, own in after.items()):
            return True
    return False


def test_taking_any_row_away_changes_no_label():
    tried = 0
    for seed in range(12):
        try:
            assert not changed(
                lambda: FullDomain(SCHEMA, KAnonymity(2), hardened=True, levels={"score": 2}),
                people(seed),
            )
            tried += 1
        except InfeasibleError:
            continue
    assert tried >= 5


@pytest.mark.parametrize("method", [Mondrian, LocalRecoding, FullDomain])
def test_methods_that_look_at_rows_cannot_promise_that(method):
    assert any(changed(lambda: method(SCHEMA, KAnonymity(2)), people(seed)) for seed in range(6))


def test_what_depends_on_the_data_is_refused():
    auto = Schema({"age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": "auto"}})
    with pytest.raises(SchemaError, match="'age' would coarsen"):
        FullDomain(auto, KAnonymity(2), hardened=True).fit(people(0)[["age"]])
    with pytest.raises(ParameterError, match="hardened=True"):
        FullDomain(SCHEMA, KAnonymity(2), levels={"age": 1}).fit(people(0))
    with pytest.raises(ParameterError, match="levels 0 to"):
        FullDomain(SCHEMA, KAnonymity(2), hardened=True, levels={"town": 9}).fit(people(0))
