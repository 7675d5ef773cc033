"""What a pickled method, a pickled model and a manifest tell of people: nothing."""

import copy
import json
import pickle
import stat

import pytest
from sklearn.base import clone

from shoal.anonymize import FullDomain, LocalRecoding, Mondrian, load_recoding
from shoal.anonymize._registry import METHODS, make_method
from shoal.errors import ParameterError, SchemaError
from shoal.privacy import AlphaKAnonymity, DeltaPresence, KAnonymity, PrivacyModel
from shoal.schema import Schema
from shoal.tables import open_table
from tests.extras import need

pd = need("pandas")

SCHEMA = Schema(
    {
        "town": {"role": "quasi-identifier", "hierarchy": "flat"},
        "job": {"role": "quasi-identifier", "hierarchy": "flat"},
        "ill": {"role": "sensitive"},
    }
)
PEOPLE = pd.DataFrame(
    {
        "town": ["A"] * 10 + ["B"] * 10 + ["CANARYTOWN"],
        "job": ["cook"] * 10 + ["clerk"] * 10 + ["CANARYJOB"],
        "ill": ["flu", "gout", "CANARYILL", "none"] * 5 + ["flu"],
    }
)
POPULATION = pd.concat(
    [PEOPLE, pd.DataFrame({"town": ["CANARYOUT"], "job": ["CANARYOUT"], "ill": ["flu"]})]
)


@pytest.mark.parametrize("name", METHODS)
def test_no_pickled_method_knows_a_value(name):
    fitted = make_method(name, SCHEMA, KAnonymity(5), {}).fit(PEOPLE)
    stored = pickle.dumps(fitted)
    assert b"CANARY" not in stored
    assert b"clerk" not in stored
    assert pickle.loads(stored).get_params().keys() == fitted.get_params().keys()


def with_population():
    return DeltaPresence(0, 1, open_table(POPULATION).compress(SCHEMA).cells)


PROTECTED = AlphaKAnonymity(0.5, 2, "ill", ("CANARYILL",))
MODELS = {
    "DeltaPresence": with_population,  # counts, so not while tests are collected
    "AlphaKAnonymity": lambda: PROTECTED,
    "several": lambda: KAnonymity(2) & PROTECTED & DeltaPresence(0, 1),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_keep_people_and_protected_values_out_of_pickles_and_manifests(name):
    model = MODELS[name]()
    method = FullDomain(SCHEMA, model)
    assert b"CANARY" not in pickle.dumps(method)
    assert "CANARY" not in json.dumps(model.to_dict())
    assert "CANARY" not in model.describe()


def test_a_fitted_release_says_how_many_values_are_protected():
    model = AlphaKAnonymity(0.5, 2, "ill", ("CANARYILL",))
    release = FullDomain(SCHEMA, model, max_suppression=0.1).fit(PEOPLE).release_
    assert release.to_dict()["privacy"]["protected_values"] == 1
    assert "CANARY" not in json.dumps(release.to_dict())


def test_a_model_that_lost_its_values_says_so_and_does_not_guess():
    model = AlphaKAnonymity(0.5, 2, "ill", ("CANARYILL",))
    again = pickle.loads(pickle.dumps(model))
    assert again.describe() == model.describe()
    with pytest.raises(ParameterError, match="not pickled"):
        FullDomain(SCHEMA, again, max_suppression=0.1).fit(PEOPLE)
    lost = pickle.loads(pickle.dumps(with_population()))
    with pytest.raises(SchemaError, match="needs a population"):
        FullDomain(SCHEMA, lost).fit(PEOPLE)


def test_what_stays_in_the_house_is_whole():
    model = AlphaKAnonymity(0.5, 2, "ill", ("CANARYILL",))
    assert (
        PrivacyModel.from_dict((KAnonymity(2) & model).to_dict(private=True))
        == KAnonymity(2) & model
    )
    with pytest.raises(ParameterError, match="protected_values"):
        PrivacyModel.from_dict(model.to_dict())
    assert clone(FullDomain(SCHEMA, model)).privacy.values == ("CANARYILL",)
    assert copy.deepcopy(with_population()).population is not None


@pytest.mark.parametrize("kind", [FullDomain, LocalRecoding, Mondrian])
def test_a_private_recoding_is_its_owners_only(kind, tmp_path):
    fitted = kind(SCHEMA, KAnonymity(5)).fit(PEOPLE)
    fitted.save_private(tmp_path / "recoding.json")
    assert stat.S_IMODE((tmp_path / "recoding.json").stat().st_mode) == 0o600
    assert load_recoding(tmp_path / "recoding.json").kind == fitted.recoding_.kind
