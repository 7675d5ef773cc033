"""No value of a person leaves through an error, a log, a warning, a repr or a manifest."""

import json
import logging
import warnings

import pytest

from shoal.anonymize import BottomUpGeneralization
from shoal.anonymize._registry import METHODS, make_method
from shoal.errors import ShoalError
from shoal.privacy import DistinctDiversity, KAnonymity, TCloseness
from shoal.schema import Schema
from shoal.tables import open_table
from tests.anonymize.people import relation

CANARY = "Xq7canary"  # in every identifying and sensitive cell
NAMES = ("name", "city", "age", "illness")
SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "city": {"role": "quasi-identifier", "hierarchy": "flat"},
        "age": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}},
        "illness": {"role": "sensitive"},
    }
)
INFEASIBLE = {
    "too few rows": KAnonymity(13),
    "not diverse": DistinctDiversity(3),
    "not close and not diverse": TCloseness(0.0) & DistinctDiversity(3),
}
CASES = [(method, reason) for method in METHODS for reason in INFEASIBLE]


def people(n=12):
    return relation(
        [
            (f"{CANARY}-name-{i}", f"city{i % 3}", str(30 + i % 4), f"{CANARY}-ill-{i % 2}")
            for i in range(n)
        ],
        NAMES,
    )


def everything_said(action, capfd, caplog):
    """Text of whatever an action prints, logs, warns, raises or returns."""
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.WARNING, "numba")  # it describes code, at great length
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = repr(action())
        except ShoalError as error:
            result = f"{error} {error.__cause__} {error!r} {error.args}"
    out, err = capfd.readouterr()
    return " ".join([result, out, err, caplog.text, *(str(w.message) for w in caught)])


@pytest.mark.parametrize("method", METHODS)
def test_a_fit_and_its_manifest_say_nothing_of_a_person(method, capfd, caplog):
    def fit():
        made = make_method(method, SCHEMA, 2).fit(people())
        release = made.release_
        manifest = json.dumps(release.to_dict())
        fitted = [value for name, value in vars(made).items() if name.endswith("_")]
        return made, release, manifest, fitted, release.metrics, release.risk

    assert CANARY not in everything_said(fit, capfd, caplog)


@pytest.mark.parametrize("method", METHODS)
def test_what_a_fitted_method_holds_says_nothing_of_a_person(method):
    cells = [(f"{CANARY}-city-{i % 3}", 30.125 + i % 7, f"{CANARY}-ill-{i % 2}") for i in range(24)]
    schema = Schema(
        {
            "city": {"role": "quasi-identifier", "hierarchy": "flat"},
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "illness": {"role": "sensitive", "target": True},
        }
    )
    fitted = make_method(method, schema, KAnonymity(3)).fit(
        relation(cells, ("city", "age", "illness"))
    )
    release = fitted.release_
    held = {name: value for name, value in vars(fitted).items() if not callable(value)}
    held |= {name: getattr(release, name) for name in ("recoding", "recoded", "compressed")}
    shown = {name: repr(value) for name, value in held.items() if name != "schema"}
    assert [name for name, text in shown.items() if CANARY in text or ".125" in text] == []


@pytest.mark.parametrize(("method", "reason"), CASES)
def test_an_infeasible_request_says_nothing_of_a_person(method, reason, capfd, caplog):
    odd = people().filter("age <> '30' OR illness NOT LIKE '%-0'")

    def fit():
        return make_method(method, SCHEMA, INFEASIBLE[reason]).fit(odd)

    said = everything_said(fit, capfd, caplog)
    assert "InfeasibleError" in said
    assert CANARY not in said


def test_every_method_is_covered():
    """The guard: a method that no case names would be watched by nobody."""
    assert {method for method, _ in CASES} == set(METHODS)
    assert len(CASES) >= 18


def test_a_column_of_the_wrong_kind_says_nothing_of_a_person(capfd, caplog):
    schema = SCHEMA.replace(illness={"role": "sensitive", "kind": "numeric"})

    def compress():
        return open_table(people()).compress(schema)

    said = everything_said(compress, capfd, caplog)
    assert "illness" in said
    assert CANARY not in said


def test_a_damaged_file_says_nothing_of_a_person(tmp_path, capfd, caplog):
    path = tmp_path / "people.csv"
    rows = "\n".join(f"{i},{CANARY},{i}" for i in range(50))
    path.write_text(f'name,city,age\n{rows}\n"{CANARY},unclosed\n1,2\n', "utf-8")
    schema = Schema({n: {"role": "quasi-identifier"} for n in ("name", "city", "age")})

    def read():
        open_table(str(path)).compress(schema)

    assert CANARY not in everything_said(read, capfd, caplog)


def test_a_saved_recoding_holds_no_identifying_or_sensitive_value(tmp_path):
    made = BottomUpGeneralization(SCHEMA, KAnonymity(2)).fit(people())
    paths = made.release_.write(tmp_path / "out.csv")
    for name in ("manifest", "recoding", "schema"):
        assert CANARY not in paths[name].read_text("utf-8")
    table = paths["table"].read_text("utf-8")
    assert f"{CANARY}-name" not in table
    assert f"{CANARY}-ill" in table  # sensitive values are released, that is their point
