import json

import pytest

from shoal.anonymize import perturb_table
from shoal.errors import GuaranteeError
from shoal.judge._read_files import read_texts
from shoal.judge.numbers._perturbed import judge_perturbed
from tests.anonymize.perturbed.test_perturb import CHANGES, SCHEMA, people


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_manifest_promises_nothing(tmp_path, suffix):
    made = perturb_table(people(80), SCHEMA, **CHANGES, random_state=0)
    paths = made.write(tmp_path / f"out.{suffix}")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in paths.values()
    )
    manifest = json.loads(paths["manifest"].read_text())
    assert manifest["shoal"] == "perturbed"
    assert manifest["linkage"]["after"] == made.after.to_dict()
    assert "person1" not in paths["table"].read_bytes().decode("latin-1")
    assert "found again" in repr(made)


def judged(spoil):
    made = perturb_table(people(80), SCHEMA, **CHANGES, random_state=0)
    table = made.frame.native.copy()
    given = spoil(table)
    table = table if given is None else given
    texts = read_texts(table), read_texts(made.source.eager)
    judge_perturbed(*texts, made.order, SCHEMA, CHANGES)


def a_name(table):
    table["name"] = "person1"


def a_row_less(table):
    return table.drop(index=0)


def another_illness(table):
    table.loc[0, "ill"] = "ill1" if table.loc[0, "ill"] != "ill1" else "ill2"


def a_new_town(table):
    table.loc[0, "town"] = "Q"


def an_age_twice(table):
    table.loc[0, "age"] = table.loc[1, "age"] + 1


def ages_turned(table):
    table["age"] = table["age"].sort_values().to_numpy()


def no_number(table):
    table["pay"] = table["pay"].astype(object)
    table.loc[0, "pay"] = "much"


def a_dose(table):
    table.loc[0, "dose"] += 1


def test_what_was_made_passes():
    judged(lambda table: None)


@pytest.mark.parametrize(
    "spoil",
    [a_name, a_row_less, another_illness, a_new_town, an_age_twice, ages_turned, no_number, a_dose],
    ids=lambda spoil: spoil.__name__,
)
def test_everything_that_can_be_told_is_withheld(spoil):
    with pytest.raises(GuaranteeError, match="withheld"):
        judged(spoil)
