import pytest

from shoal.anonymize import BottomUpGeneralization, Mondrian, check_table
from shoal.anonymize.perturbed._perturb import perturb_table
from shoal.errors import ParameterError, SchemaError
from shoal.models import KAnonymousClustering, KAnonymousTreeClassifier
from shoal.privacy import DistinctDiversity, KAnonymity, LKCPrivacy, Requirement
from shoal.privacy._promise import bind_promise
from shoal.schema import Schema

COLUMNS = {name: {"role": "quasi-identifier"} for name in ("zip", "age")}
COLUMNS |= {"illness": {"role": "sensitive"}}
SCHEMA = Schema(COLUMNS, [{"columns": ["zip"], "k": 4}])
TABLE = {"zip": list("ab") * 4, "age": list("xxyyzzuu"), "illness": list("ffggffgg")}


def test_the_schemas_requirements_are_promised_besides():
    required = Requirement(("zip",), 4)
    assert bind_promise(None, SCHEMA) == required
    assert bind_promise(2, SCHEMA) == KAnonymity(2) & required
    # the manifest says it, and the schema beside it
    assert bind_promise(bind_promise(2, SCHEMA), SCHEMA) == bind_promise(2, SCHEMA)
    with pytest.raises(ParameterError, match="nothing is asked for"):
        bind_promise(None, Schema(COLUMNS))


def test_what_is_asked_of_all_columns_is_no_requirement():
    everything = Requirement(("age", "zip"), KAnonymity(3) & DistinctDiversity(2))
    bound = bind_promise(everything, Schema(COLUMNS))
    assert bound == KAnonymity(3) & DistinctDiversity(2, "illness")
    assert bound.minimum_size == 3
    assert bind_promise(LKCPrivacy(2, 5), Schema(COLUMNS)) == KAnonymity(5)
    assert bind_promise(LKCPrivacy(1, 5), Schema(COLUMNS)) == LKCPrivacy(1, 5)


def test_columns_that_are_no_quasi_identifiers_are_refused():
    with pytest.raises(SchemaError, match="'illness' not among the quasi-identifiers"):
        Mondrian(Schema(COLUMNS), Requirement(("illness",), 2)).fit(TABLE)
    with pytest.raises(SchemaError, match="'job' not among"):
        check_table(TABLE, Schema(COLUMNS), Requirement(("job",), 2))


@pytest.mark.parametrize("role", ["subject", "household"])
def test_people_with_several_rows_are_refused(role):
    """Somebody with rows in two groups would be counted twice where these agree on a column."""
    named = Schema({**COLUMNS, "id": {"role": role}}, SCHEMA.requirements)
    with pytest.raises(SchemaError, match="counts rows"):
        Mondrian(named, 2).fit({**TABLE, "id": list("ppqqrrss")})
    with pytest.raises(SchemaError, match="counts rows"):
        check_table({**TABLE, "id": list("ppqqrrss")}, named, 2)


def test_a_model_is_not_asked_about_some_columns():
    tree = KAnonymousTreeClassifier(privacy=LKCPrivacy(1, 2))
    with pytest.raises(ParameterError, match="about tables"):
        tree.fit([[0.0], [1.0]] * 4, list("abab") * 2)


def test_a_schema_that_requires_more_than_is_asked_of_a_model_is_refused():
    rows = {"zip": [0.0, 1.0] * 4, "age": [0.0, 1.0] * 4}
    schema = Schema(
        {name: {"role": "quasi-identifier", "kind": "numeric"} for name in rows},
        [{"columns": ["zip"], "k": 4}],
    )
    with pytest.raises(ParameterError, match="k of at least 4"):
        KAnonymousTreeClassifier(schema, 2).fit(rows, list("abab") * 2)
    with pytest.raises(ParameterError, match="k of at least 4"):
        KAnonymousClustering(schema, 2).fit(rows)
    assert KAnonymousTreeClassifier(schema, 4).fit(rows, list("abab") * 2).privacy_.k == 4


def test_regions_are_not_asked_about_some_columns():
    with pytest.raises(ParameterError, match="some of the columns"):
        Mondrian(SCHEMA, 2).fit(TABLE, regions=2)


def test_changed_values_keep_no_requirement():
    with pytest.raises(ParameterError, match="Take the requirements out"):
        perturb_table(TABLE, SCHEMA, pram={"zip": 0.5, "age": 0.5, "illness": 0.5})


def test_a_check_asks_what_the_schema_requires():
    assert check_table(TABLE, SCHEMA, None).holds
    verdict = check_table(TABLE, SCHEMA.replace(), 2)
    assert [part.holds for part in verdict.reached] == [False, True]
    strict = Schema(COLUMNS, [{"columns": ["age"], "k": 3}])
    assert not check_table(TABLE, strict, None).holds


def test_the_manifest_says_what_was_required():
    made = BottomUpGeneralization(SCHEMA, None).fit(TABLE).release_
    assert made.to_dict()["privacy"]["model"] == "Requirement"
    assert made.to_dict()["schema"]["requirements"] == [{"columns": ["zip"], "k": 4}]
    assert "by 'zip' alone" in made.to_dict()["guarantee"]
