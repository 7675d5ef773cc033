"""Visits, several rows for each of 700 patients: people are counted, by code of its own here."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from shoal import release
from shoal.anonymize import Mondrian, check_table
from shoal.anonymize._registry import METHODS, method_class
from shoal.anonymize._subjects import pseudonyms
from shoal.errors import GuaranteeError, InfeasibleError, SchemaError, TableError
from shoal.privacy import (
    AlphaKAnonymity,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    PSensitive,
    RecursiveDiversity,
    TCloseness,
)
from shoal.schema import Schema
from shoal.tables import RowOptions, open_table
from tests.extras import need

pd = need("pandas")

ILL = ["flu", "gout", "cold", "asthma"]
SCHEMA = Schema(
    {
        "patient": {"role": "subject"},
        "age": {
            "role": "quasi-identifier",
            "kind": "numeric",
            "hierarchy": {"intervals": [5, 10, 20, 40]},
        },
        "sex": {"role": "quasi-identifier", "hierarchy": "flat"},
        "town": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"L": ["a", "b", "c"], "R": ["d", "e", "f"]}},
        },
        "ill": {"role": "sensitive"},
        "row": {"role": "insensitive"},
    }
)
MODELS = {
    "k": KAnonymity(5),
    "distinct": KAnonymity(5) & DistinctDiversity(2),
    "p-sensitive": PSensitive(2, 4),
    "alpha": AlphaKAnonymity(0.9, 4),
    "entropy": KAnonymity(4) & EntropyDiversity(1.5),
    "recursive": KAnonymity(4) & RecursiveDiversity(4, 2),
    "closeness": KAnonymity(4) & TCloseness(0.5),
}


def visits(n_patients=700, seed=0):
    """A row knows its number, so that whoever owns the data can tell whose it was."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), rng.integers(1, 7, n_patients))
    rng.shuffle(patient)
    ages, sexes = rng.integers(20, 90, n_patients), rng.choice(list("mf"), n_patients)
    towns = rng.choice(list("abcdef"), n_patients)
    return pd.DataFrame(
        {
            "patient": [f"p{one:04}" for one in patient],
            "age": ages[patient] + rng.integers(0, 3, len(patient)),
            "sex": sexes[patient],
            "town": towns[patient],
            "ill": rng.choice(ILL, len(patient), p=[0.4, 0.2, 0.3, 0.1]),
            "row": np.arange(len(patient)),
        }
    )


VISITS = visits()


def groups_of(released, visited):
    """Illnesses of each patient in each group, from the rows as they are written."""
    groups = defaultdict(lambda: defaultdict(set))
    for age, sex, town, ill, row in released[["age", "sex", "town", "ill", "row"]].itertuples(
        index=False
    ):
        groups[str(age), str(sex), str(town)][visited.patient[int(row)]].add(ill)
    return groups


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("asked", MODELS)
def test_every_group_has_k_patients(method, asked):
    model = MODELS[asked]
    release = method_class(method)(SCHEMA, model).fit(VISITS).release_
    released = pd.DataFrame(release.table)
    assert "patient" not in released
    groups = groups_of(released, VISITS)
    assert min(map(len, groups.values())) >= model.minimum_size
    assert len(groups) > 1
    assert len(released) + release.n_suppressed == len(VISITS)
    for patients in groups.values():
        for ill in ILL:
            share = sum(ill in had for had in patients.values()) / len(patients)
            if asked == "alpha":
                assert share <= 0.9
            elif asked in ("distinct", "p-sensitive", "entropy", "recursive"):
                assert share < 1  # nobody in a group is sure to have had an illness
    manifest = release.to_dict()
    assert manifest["counts"] == "people"
    assert "rows" not in manifest["guarantee"]
    assert f"at least {model.minimum_size} people" in str(manifest["reached"])
    assert all(part["holds"] for part in manifest["reached"])
    assert any("700 people" in note for note in manifest["notes"])
    assert manifest["risk"]["after"]["prosecutor"]["highest"] <= 1 / model.minimum_size


@pytest.mark.parametrize(
    "asked", [AlphaKAnonymity(0.9, 4), TCloseness(0.9), EntropyDiversity(1.01)]
)
def test_a_manifest_does_not_tell_which_rows_are_one_persons(asked):
    """The same released rows of the same number of people: who of them has which is not told."""
    age = {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [20]}}
    schema = Schema({"who": {"role": "subject"}, "age": age, "ill": {"role": "sensitive"}})
    ill = ["flu", "gout", "flu", "cold", "cold", *["gout"] * 5, *ILL, *ILL, *ILL[:2]]
    ages = [31] * 10 + [61] * 10
    manifests, cells = [], []
    for twice in ([0, 2], [1, 5]):  # who has gout besides: those with the flu, or those with gout
        first = [*range(8), *twice]
        who = [*first, *(10 + one for one in range(10))]
        table = pd.DataFrame({"who": who, "age": ages, "ill": ill})
        model = KAnonymity(4) & asked
        made = release(table, schema, privacy=model, output=RowOptions(keep_order=True))
        manifests.append(made.to_dict()["reached"])
        cells.append(made.table.to_csv())
    assert cells[0] == cells[1]
    assert manifests[0] == manifests[1]
    assert all(part["holds"] for part in manifests[0])
    assert manifests[0][0]["reached"] >= 4


def test_counting_rows_would_not_have_done():
    """The same method without the role: some groups of k rows are one or two patients."""
    schema = SCHEMA.replace(patient={"role": "identifier"})
    release = Mondrian(schema, 5).fit(VISITS).release_
    assert min(map(len, groups_of(pd.DataFrame(release.table), VISITS).values())) < 5
    (note,) = [note for note in release.to_dict()["notes"] if "rows were counted" in note]
    assert "'patient'" in note
    assert "subject" in note


def test_a_table_with_one_row_per_person_says_nothing_and_counts_the_same():
    first = VISITS.drop_duplicates("patient")
    counted = Mondrian(SCHEMA, 5).fit(first).release_
    plain = Mondrian(SCHEMA.replace(patient={"role": "identifier"}), 5).fit(first).release_
    assert plain.to_dict()["counts"] == "rows"
    assert not [note for note in plain.notes if "counted" in note]
    assert counted.counted.sizes.tolist() == plain.counted.sizes.tolist()
    assert counted.metrics == plain.metrics


def test_rows_without_a_person_are_refused():
    table = VISITS.assign(patient=VISITS.patient.where(VISITS.index > 3))
    with pytest.raises(TableError, match=r"'patient' names the person .* missing in 4 rows"):
        Mondrian(SCHEMA, 5).fit(table)


def test_fewer_people_than_k_are_refused_however_many_rows_they_have():
    few = VISITS[VISITS.patient.isin(sorted(set(VISITS.patient))[:4])]
    assert len(few) > 5
    with pytest.raises(InfeasibleError):
        Mondrian(SCHEMA, 5).fit(few)


def with_pseudonym(table):
    numbers = {name: f"x{7919 * i % 1009}" for i, name in enumerate(sorted(set(table.patient)))}
    return table.assign(pseudonym=table.patient.map(numbers))


PSEUDONYM = SCHEMA.replace(pseudonym={"role": "insensitive"})


def test_tied_rows_single_people_out_although_every_group_has_k_people():
    """What a kept pseudonym tells: the groups of a person's rows, intersected."""
    table = with_pseudonym(VISITS)
    release = Mondrian(SCHEMA, 5).fit(VISITS).release_
    released = pd.DataFrame(release.table)
    groups = groups_of(released, VISITS)
    assert min(map(len, groups.values())) >= 5
    seen = defaultdict(list)
    for key, patients in groups.items():
        for patient in patients:
            seen[patient].append(set(groups[key]))
    alone = [patient for patient, sets in seen.items() if len(set.intersection(*sets)) == 1]
    assert alone  # whoever can tie rows finds them
    with pytest.raises(SchemaError, match="'pseudonym' belong to one person each"):
        Mondrian(PSEUDONYM, 5).fit(table)


def test_a_pseudonym_is_kept_where_all_rows_of_a_person_look_alike():
    same = VISITS.assign(age=VISITS.groupby("patient").age.transform("min"))
    table = with_pseudonym(same)
    release = Mondrian(PSEUDONYM, 5).fit(table).release_
    released = pd.DataFrame(release.table)
    looks = released.groupby("pseudonym")[["age", "sex", "town"]].nunique()
    assert (looks == 1).all(axis=None)
    assert min(map(len, groups_of(released, table).values())) >= 5
    assert any("'pseudonym' ties the rows" in note for note in release.notes)


def test_only_what_names_each_person_is_a_pseudonym():
    table = with_pseudonym(VISITS)
    assert pseudonyms(open_table(table), PSEUDONYM) == ("pseudonym",)
    plain = SCHEMA.replace(patient={"role": "identifier"})
    assert pseudonyms(open_table(VISITS), plain) == ()
    # an episode has several visits of one patient; a measurement comes back once by chance
    number = VISITS.groupby("patient").cumcount()
    table["pseudonym"] = VISITS.patient + "-" + (number // 3).astype(str)
    assert pseudonyms(open_table(table), PSEUDONYM) == ("pseudonym",)
    table["pseudonym"] = VISITS.patient + "-" + number.replace(5, 4).astype(str)
    assert pseudonyms(open_table(table), PSEUDONYM) == ()


def test_starred_rows_are_kept_only_as_a_group_of_their_own():
    release = (
        method_class("constrained")(SCHEMA, 5)
        .fit(VISITS, output=RowOptions(keep_suppressed=True, keep_order=True))
        .release_
    )
    groups = groups_of(pd.DataFrame(release.table), VISITS)
    assert min(map(len, groups.values())) >= 5


def test_one_persons_starred_rows_are_refused_with_advice():
    table = {"patient": [*"abcdefgh", "i", "i"], "town": ["Kiel"] * 8 + ["Ulm"] * 2}
    schema = Schema(
        {
            "patient": {"role": "subject"},
            "town": {"role": "quasi-identifier", "hierarchy": "flat"},
        }
    )
    method = method_class("full-domain")(schema, 2, max_suppression=0.5)
    assert method.fit(pd.DataFrame(table)).release_.n_suppressed == 2
    with pytest.raises(GuaranteeError, match=r"2 suppressed rows.*do not keep suppressed rows"):
        _ = method.fit(pd.DataFrame(table), output=RowOptions(keep_suppressed=True)).release_.table


def test_a_check_counts_people_where_the_table_names_them():
    five = pd.DataFrame({"patient": list("aaabb"), "ill": list("xyxyx"), "age": ["*"] * 5})
    schema = Schema(
        {
            "patient": {"role": "subject"},
            "ill": {"role": "sensitive"},
            "age": {"role": "quasi-identifier"},
        }
    )
    named = check_table(five, schema, KAnonymity(2))
    assert named.n_failing_groups == 0
    assert named.never_released == ("patient",)
    verdict = check_table(five, schema, KAnonymity(3))
    assert verdict.n_failing_groups == 1
    assert verdict.smallest_group == 2
    assert verdict.reached[0].description == "every group has at least 3 people"
    # by rows x has a share of 3/5; asked about x, both people have it
    assert check_table(five, schema, AlphaKAnonymity(0.7, 1)).n_failing_groups == 1
    unnamed = check_table(five.drop(columns="patient"), schema, AlphaKAnonymity(0.7, 3))
    assert unnamed.holds  # as far as can be told
    assert "does not say whose" in unnamed.notes[0]
    with pytest.raises(TableError, match="missing in 1 rows"):
        check_table(five.assign(patient=["a", "a", "a", "b", None]), schema, KAnonymity(2))


def test_equal_numbers_name_one_person_in_the_judges_count_too(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("patient,age\n1,30\n1.0,30\n2,30\n", "utf-8")
    schema = Schema({"patient": {"role": "subject"}, "age": {"role": "quasi-identifier"}})
    assert check_table(path, schema, KAnonymity(2)).smallest_group == 2
    with pytest.raises(InfeasibleError):
        Mondrian(schema, 3).fit(path)


def test_the_written_file_is_judged_by_people(tmp_path):
    release = Mondrian(SCHEMA, 5).fit(VISITS).release_
    release.write(tmp_path / "release.csv")
    with pytest.raises(GuaranteeError, match="fewer than 6 people"):
        replace(release, privacy=KAnonymity(6)).write(tmp_path / "other.csv")
    assert not (tmp_path / "other.csv").exists()


@pytest.mark.parametrize(
    "ids", [("P01", "P01 "), ("P01", "P01\u200b"), ("Zü", "Zu\u0308"), ("1", "01")]
)
def test_spellings_of_one_name_are_one_person(ids):
    table = {"who": [*ids, *ids, "a", "b", "c", "d"], "city": ["Ulm"] * 4 + ["Kiel"] * 4}
    schema = Schema({"who": {"role": "subject"}, "city": {"role": "quasi-identifier"}})
    assert check_table(table, schema, 2).n_failing_groups == 1
    with pytest.raises(TableError, match="1 of its texts are other spellings"):
        _ = release(table, schema, 2).table
    other = table | {"who": ["P01", "p01", *ids, "a", "b", "c", "d"]}  # capitals tell apart
    assert release(other, schema, 2).table is not None
