"""Whatever takes a table and a schema reads the file as the schema's `[reading]` says."""

import importlib
import inspect

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import shoal
from shoal import Schema, anonymize, attacks, metrics, models, risk
from shoal.audit import audit
from shoal.errors import ShoalError

COLUMNS = {
    "column1": {"role": "quasi-identifier", "kind": "numeric"},
    "column2": {"role": "sensitive"},
    "column3": {"role": "insensitive", "kind": "numeric"},
}
BASKETS = {"column1": {"role": "quasi-identifier", "separator": "+"}}
ROWS = [f"{20 + n % 5};{'flu' if n % 2 else 'gout'};{1 + n % 3}" for n in range(60)]


def halves(people):
    """Something that makes a release."""
    return people


CALLS = {
    "apply_recoding": lambda file, schema: anonymize.apply_recoding(
        anonymize.Mondrian(schema, 2).fit(file).recoding_, file, schema
    ),
    "audit": lambda file, schema: audit(
        DecisionTreeClassifier(max_depth=2).fit(np.array([[20, 1], [24, 3]]), ["flu", "gout"]),
        file,
        schema.replace(
            column2={"role": "sensitive", "target": True},
            column3={"role": "quasi-identifier", "kind": "numeric"},
        ),
        check_table=False,
    ),
    "check_table": lambda file, schema: shoal.check_table(file, schema, 2),
    "closest_attack": lambda file, schema: attacks.closest_attack(
        released(), file, file, schema=schema
    ),
    "compare_methods": lambda file, schema: shoal.compare_methods(
        file, schema, 2, methods=["mondrian"], test=file
    ),
    "compare_tables": lambda file, schema: metrics.compare_tables(
        file, released(), schema, test=file
    ),
    "group_values": lambda file, schema: anonymize.group_values(file, schema, 2),
    "inference_attack": lambda file, schema: attacks.inference_attack(
        released(), file, "column2", control=file, schema=schema
    ),
    "linkability_attack": lambda file, schema: attacks.linkability_attack(
        released(), file, ["column1"], ["column2"], control=file, schema=schema
    ),
    "linking_attack": lambda file, schema: attacks.linking_attack(
        shoal.open_table(released()), file, schema
    ),
    "open_table": lambda file, schema: schema.require(shoal.open_table(file, schema=schema).names),
    "perturb_table": lambda file, schema: anonymize.perturb_table(
        file, schema, noise={"column1": 1}, keep=["column2", "column3"], random_state=0
    ),
    "population_of": lambda file, schema: risk.population_of(file, schema, "column3"),
    "read_survey": lambda file, schema: risk.read_survey(file, schema),
    "refine_attack": lambda file, schema: attacks.refine_attack(released(), schema, truth=file),
    "release": lambda file, schema: shoal.release(file, schema, 2, method="mondrian"),
    "shadow_attack": lambda file, schema: attacks.shadow_attack(
        halves, file, schema=schema, n_shadows=6
    ),
    "singling_out_attack": lambda file, schema: attacks.singling_out_attack(
        released(), file, control=file, schema=schema
    ),
    "survey_risk": lambda file, schema: risk.survey_risk(file, schema, fraction=0.1),
}
SETS = {
    "check_sets": lambda file, schema: anonymize.check_sets(file, schema, 2),
    "release_sets": lambda file, schema: anonymize.release_sets(file, schema, 2),
}
LIKE_NO_SCHEMA = {"read_release"}  # a release, which is read as its manifest says
FITS = [anonymize.Mondrian, models.KAnonymousTreeClassifier, models.KAnonymousClustering]


def released():
    """A table in memory, which no schema reads."""
    cells = [row.split(";") for row in ROWS]
    return {
        "column1": [int(age) for age, _, _ in cells],
        "column2": [ill for _, ill, _ in cells],
        "column3": [int(number) for *_, number in cells],
    }


def test_every_public_function_of_a_table_and_a_schema_is_here():
    found = set()
    for package in ("", ".anonymize", ".attacks", ".audit", ".metrics", ".risk"):
        module = importlib.import_module(f"shoal{package}")
        for name in module.__all__:
            one = getattr(module, name)
            if inspect.isfunction(one):
                asked = inspect.signature(one).parameters
                tables = {"table", "original", "people", "release", "source"}
                if "schema" in asked and tables & asked.keys():
                    found.add(name)
    assert found == CALLS.keys() | SETS.keys() | LIKE_NO_SCHEMA


@pytest.fixture
def write(tmp_path):
    def written(rows):
        path = tmp_path / "people.csv"  # without names, which nobody may take the first row for
        path.write_text("\n".join(rows) + "\n")
        return path

    return written


@pytest.mark.parametrize("name", CALLS)
def test_a_file_is_read_as_its_schema_says(write, name):
    path = write(ROWS)
    CALLS[name](path, Schema(COLUMNS, reading={"header": False, "delimiter": ";"}))
    with pytest.raises(ShoalError):
        CALLS[name](path, Schema(COLUMNS))


@pytest.mark.parametrize("name", SETS)
def test_a_file_of_sets_is_read_as_its_schema_says(write, name):
    path = write(["milk+rye", "milk+rye", "rye", "rye"])
    SETS[name](path, Schema(BASKETS, reading={"header": False}))
    with pytest.raises(ShoalError):
        SETS[name](path, Schema(BASKETS))


@pytest.mark.parametrize("kind", FITS)
def test_estimators_read_files_as_their_schema_says(write, kind):
    path, classes = write(ROWS), np.array([row.split(";")[1] for row in ROWS])
    said = Schema(COLUMNS, reading={"header": False, "delimiter": ";"})
    fitted = kind(schema=said, privacy=2).fit(path, classes)
    assert set(getattr(fitted, "feature_names_in_", COLUMNS)) <= COLUMNS.keys()
    with pytest.raises(ShoalError):
        kind(schema=Schema(COLUMNS), privacy=2).fit(path, classes)


def test_a_release_is_checked_as_its_manifest_says_and_any_other_file_as_the_schema_does(write):
    said = Schema(COLUMNS, reading={"header": False, "delimiter": ";"})
    path = write(ROWS)
    assert shoal.check_table(path, said, 60).n_rows == 60
    made = shoal.release(path, said, 5, method="mondrian")
    written = made.write(path.with_name("people-5.csv"))["table"]
    assert shoal.check_table(str(written), said, 5).n_rows == 60
