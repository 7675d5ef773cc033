"""What the attack concludes is true, of every table that was tried."""

import numpy as np
import pandas as pd
import pytest

from shoal.anonymize import ConstrainedKMember, LocalRecoding, Mondrian, TopDownSpecialization
from shoal.attacks import refine_attack
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables._label_cover import covers

TREE = {"north": {"n1": ["a", "b"], "n2": ["c", "d"]}, "south": {"s1": ["e", "f"], "s2": ["g"]}}
SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "born": {"role": "quasi-identifier", "kind": "date"},
        "score": {
            "role": "quasi-identifier",
            "kind": "numeric",
            "hierarchy": {"intervals": [5, 20]},
        },
        "place": {"role": "quasi-identifier", "hierarchy": {"tree": TREE}},
    }
)
METHODS = [
    (Mondrian, {"ranges": "lines"}),
    (Mondrian, {"ranges": "exact"}),
    (LocalRecoding, {"ranges": "lines"}),
    (LocalRecoding, {"ranges": "exact"}),
    (LocalRecoding, {"ranges": "nodes"}),
    (ConstrainedKMember, {}),
]


def people(seed, n=24):
    rng = np.random.default_rng(seed)
    spread = int(rng.choice([6, 40, 400]))
    days = pd.to_datetime("1980-01-01") + pd.to_timedelta(rng.integers(0, 20 * spread, n), "D")
    return pd.DataFrame(
        {
            "age": rng.integers(20, 20 + spread, n),
            "born": days.date,
            "score": rng.integers(0, 60, n),
            "place": rng.choice([*"abcdefg"], n),
        }
    )


def example_refine():
    table = people(0)
    release = Mondrian(SCHEMA, KAnonymity(3), ranges="exact").fit(table).release_
    return (release, SCHEMA), {"truth": table, "register": table}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("method", "parameters"), METHODS)
def test_somebody_in_the_group_has_a_value_in_every_part_concluded(method, parameters, seed):
    table = people(seed)
    release = method(SCHEMA, KAnonymity(3), **parameters).fit(table).release_
    told = refine_attack(release, SCHEMA, truth=table, register=table)
    recoded = release.recoded
    texts = [labels.texts for labels in recoded.labels]
    members = {}  # labels of a group: its raw rows, from the codes and not from the release
    for key, group in zip(recoded.cells.keys, recoded.group_of, strict=True):
        if group >= 0:
            written = tuple(texts[c][code] for c, code in enumerate(recoded.codes[group]))
            codings = recoded.cells.codings
            raw = [coding.texts[code] for coding, code in zip(codings, key, strict=True)]
            members.setdefault(written, []).append(raw)
    names = list(SCHEMA.quasi_identifiers)
    for one in told.conclusions:
        column = names.index(one.column)
        groups = [rows for written, rows in members.items() if written[column] == one.label]
        inside = [
            covers(one.column, [one.part], [row[column] for row in rows], SCHEMA).any()
            for rows in groups
        ]
        assert all(inside), one
    singled, placed = told.results[1], told.results[2]
    assert 0 <= singled.risk <= 1
    assert placed.risk >= placed.baseline


def test_exact_ends_tell_and_lines_tell_less():
    table = people(3, 200)[["age"]]
    schema = Schema({"age": SCHEMA["age"]})
    tight = refine_attack(
        Mondrian(schema, KAnonymity(5), ranges="exact").fit(table).release_, schema, truth=table
    )
    wide = refine_attack(Mondrian(schema, KAnonymity(5)).fit(table).release_, schema, truth=table)
    assert tight.results[0].details["exact_values"] > 0
    assert wide.results[0].details["exact_values"] == 0
    assert len(wide.conclusions) <= len(tight.conclusions)


def test_nothing_is_concluded_from_labels_that_are_not_least():
    release = TopDownSpecialization(SCHEMA, KAnonymity(3)).fit(people(1)).release_
    assert refine_attack(release, SCHEMA).conclusions == ()


def test_a_register_is_narrowed_down_by_who_must_be_at_an_end():
    schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    release = pd.DataFrame({"age": ["[31-40]"] * 3})
    register = pd.DataFrame({"age": [31, 33, 35, 37, 40, 60]})
    told = refine_attack(release, schema, ranges="exact", register=register)
    placed = told.results[-1]
    assert placed.details == {"placed": 2, "placed_by_labels_alone": 0}
