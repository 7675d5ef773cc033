import csv

import pytest

from shoal.anonymize import BottomUpGeneralization
from shoal.attacks import linking_attack
from shoal.errors import MissingExtraError, SchemaError
from shoal.privacy import KAnonymity
from shoal.report import release_report
from shoal.report.release.facts import _attacks
from shoal.report.release.facts._original import open_original
from shoal.report.release.facts._release_file import read_release
from shoal.schema import Schema
from tests.extras import need

need("pandas")

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}},
        "shoe": {"role": "insensitive"},
        "illness": {"role": "sensitive"},
    }
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release in two groups of ten, one of which agrees on its illness, and the raw table."""
    folder = tmp_path_factory.mktemp("attacked")
    raw = folder / "raw.csv"
    rows = [(30 + i % 10, 36 + i % 10, "flu" if i % 2 else "cold") for i in range(10)]
    rows += [(40 + i % 10, 36 + i % 10, "flu") for i in range(10)]
    with raw.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([SCHEMA, *rows])
    path = folder / "release.csv"
    BottomUpGeneralization(SCHEMA, KAnonymity(10)).fit(raw).release_.write(path)
    return path, raw


def test_homogeneity_is_counted_and_said(made):
    report = release_report(*made)
    [attack] = report.attacks
    # the group of the forties agrees; of the thirties half are guessed, and guessing gives 15 of 20
    assert attack.certain == 10
    assert attack.risk == pytest.approx(0.75)
    assert attack.baseline == pytest.approx(0.75)
    assert attack.smallest == 10
    assert attack.found == pytest.approx(0.1)
    assert (attack.several, attack.none) == (0, 0)
    assert "For 10 people (50.0\u00a0%) it is no guess" in report.html
    assert "no advantage that could be told from luck" in report.html
    assert '&#34;alike&#34;]">1</data>' in report.html


def test_the_rows_alone_give_the_same_where_everybody_is_in_one_group(made):
    linked, alone = (release_report(made[0], raw).attacks[0].to_dict() for raw in (made[1], None))
    assert alone.pop("found") == pytest.approx(linked.pop("found"))
    assert alone == linked


def test_knowing_the_insensitive_columns_is_a_second_attack(made):
    report = release_report(*made)
    assert "knowing more" in report.html
    assert "on 20 of these people" in report.html
    assert '&#34;wider&#34;, &#34;illness&#34;, &#34;smallest&#34;]">1</data>' in report.html
    assert "knowing more" not in release_report(made[0]).html


def test_a_sample_that_lacks_a_value_is_attacked_and_judged_by_those_drawn(made):
    """One person of twenty is drawn: the other value of the release is not among theirs."""
    original = open_original(made[1], read_release(made[0]), None)
    rows, n_drawn = original.sample(["age", "illness"], "illness", 1, 0)
    found = rows.fetchall()
    assert n_drawn == 1
    assert len(found) == 2
    assert {value for _, value in found} == {"flu", "cold"}
    [attack] = release_report(*made, n_people=1).attacks
    assert attack.n_people == 1
    assert attack.risk in (0.0, 0.5, 1.0)


def test_a_sample_is_what_the_attack_gives_for_those_people(made):
    original = open_original(made[1], read_release(made[0]), None)
    rows, n_drawn = original.sample(["age", "illness"], "illness", 12, 5)
    people = rows.limit(n_drawn).to_df()
    roles = Schema({name: SCHEMA[name] for name in ("age", "illness")})
    expected = linking_attack(str(made[0]), people, roles, column="illness").summary
    [attack] = release_report(*made, n_people=12, random_state=5).attacks
    assert n_drawn == attack.n_people == expected.trials == 12
    assert (attack.risk, attack.low, attack.high) == (expected.risk, expected.low, expected.high)
    assert attack.certain == expected.details["certain"]


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (MissingExtraError("pandas", "pandas", "it"), "needs pandas or Polars"),
        (SchemaError("no"), "could not be matched"),
    ],
)
def test_an_attack_that_cannot_be_made_is_said_and_the_rows_have_to_do(
    made, monkeypatch, error, says
):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(_attacks, "attack_people", fail)
    report = release_report(*made)
    assert says in report.html
    assert report.attacks[0].n_people == 20


def test_a_release_too_long_for_memory_is_not_linked(made, monkeypatch):
    monkeypatch.setattr(_attacks, "MOST_ROWS", 19)
    report = release_report(*made)
    assert "more than this report links" in report.html
    assert report.attacks[0].certain == 10


def test_without_a_sensitive_column_there_is_nothing_to_guess(tmp_path):
    schema = Schema({"age": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}}})
    raw = tmp_path / "raw.csv"
    raw.write_text("age\n" + "31\n34\n" * 4, "utf-8")
    path = tmp_path / "release.csv"
    BottomUpGeneralization(schema, KAnonymity(8)).fit(raw).release_.write(path)
    report = release_report(path, raw)
    assert report.attacks == ()
    assert "there is nothing to guess" in report.html


def test_people_with_several_rows_are_attacked_once_and_the_promise_is_left_to_the_manifest(
    tmp_path,
):
    schema = SCHEMA.replace(patient={"role": "subject"})
    raw = tmp_path / "visits.csv"
    visits = [(30 + 10 * (i % 2), 36 + i, "flu" if i % 3 else "cold", i) for i in range(40)]
    with raw.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([schema, *visits, *visits])
    path = tmp_path / "release.csv"
    BottomUpGeneralization(schema, KAnonymity(10)).fit(raw).release_.write(path)
    report = release_report(path, raw)
    attack = report.attacks[0]
    assert attack.n_people == 40
    assert attack.smallest == 20
    assert attack.certain == 0
    page = report.html
    assert "people were counted, not rows" in page
