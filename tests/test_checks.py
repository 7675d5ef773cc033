import inspect

import pytest
from sklearn.base import clone

import shoal
from shoal._checks import SaysWhatItTakes, check_choice, did_you_mean
from shoal.anonymize import LocalRecoding, Mondrian
from shoal.anonymize._registry import method_class
from shoal.discover.sources._checks import check_columns
from shoal.errors import HierarchyError, ParameterError, SchemaError
from shoal.models import KAnonymousRules, KAnonymousTreeClassifier
from shoal.privacy._words import read_condition
from shoal.schema import Ready, Schema


def test_the_nearest_word_is_named_and_none_where_none_is_near():
    assert did_you_mean("Mondrain", ["local", "mondrian"]) == "Did you mean 'mondrian'? "
    assert did_you_mean("zebra", ["local", "mondrian"]) == ""
    assert did_you_mean(7, ["local"]) == ""


@pytest.mark.parametrize(
    ("ask", "error", "meant"),
    [
        (lambda: method_class("mondrain"), ParameterError, "mondrian"),
        (lambda: read_condition("distnct:2"), ParameterError, "distinct"),
        (lambda: check_columns(["agee"], ["age", "zip"]), ParameterError, "age"),
        (lambda: Schema({"a": {"role": "sensitve"}}), SchemaError, "sensitive"),
        (lambda: Schema({"a": {"role": "sensitive", "kind": "numerc"}}), SchemaError, "numeric"),
        (lambda: Schema({"a": {"rolle": "sensitive"}}), SchemaError, "role"),
        (lambda: Schema({"a": {"role": "QI"}}), SchemaError, "quasi-identifier"),
        (lambda: Schema({"a": {"role": "quasi_identifier"}}), SchemaError, "quasi-identifier"),
        (lambda: Schema({"a": {"role": "confidential"}}), SchemaError, "sensitive"),
        (lambda: Schema({"a": {"role": "sensitive", "kind": int}}), SchemaError, "numeric"),
        (lambda: Schema({"a": {"role": "sensitive", "kind": "Integer"}}), SchemaError, "numeric"),
        (
            lambda: Schema({"a": {"role": "sensitive", "kind": "string"}}),
            SchemaError,
            "categorical",
        ),
        (lambda: Schema({"a": {"role": "sensitive", "kind": "datetime"}}), SchemaError, "date"),
        (lambda: Schema({"a": {"type": "sensitive"}}), SchemaError, "kind"),
        (lambda: method_class(Mondrian), ParameterError, "mondrian"),
        (lambda: method_class("LocalRecoding"), ParameterError, "local"),
        (lambda: shoal.anonymise, AttributeError, "anonymize"),
        (lambda: Ready("postcode").build(["1"]), HierarchyError, "postcodes"),
        (lambda: check_choice("form", "interval", ["intervals"]), ParameterError, "intervals"),
    ],
)
def test_a_word_that_nearly_is_one_is_told_what_is_meant(ask, error, meant):
    with pytest.raises(error, match=f"Did you mean '{meant}'\\?"):
        ask()


def test_what_fitting_makes_is_missing_before_it_in_words():
    method = Mondrian(Schema({"a": {"role": "quasi-identifier"}}), 5)
    with pytest.raises(AttributeError, match="this Mondrian is not fitted yet, so it has no rele"):
        _ = method.release_
    with pytest.raises(AttributeError, match="'Mondrian' object has no attribute 'nothing'"):
        _ = method.nothing
    assert not hasattr(method, "release_")


def _schema():
    return Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})


@pytest.mark.parametrize(
    "estimator", [Mondrian, LocalRecoding, KAnonymousTreeClassifier, KAnonymousRules]
)
def test_a_wrong_parameter_is_told_what_there_is(estimator):
    """Python's own error names the one that is wrong, and nothing else."""
    with pytest.raises(TypeError, match=r"has no parameter 'k'. Did you mean 'privacy'\?") as told:
        estimator(_schema(), k=10)
    assert "privacy=10 asks for k = 10" in str(told.value)
    with pytest.raises(TypeError, match=r"has no parameter 'my_privacy'. Did you mean 'privacy'"):
        estimator(_schema(), my_privacy=10)


def test_a_missing_parameter_is_told_what_to_write():
    with pytest.raises(TypeError, match="Mondrian needs privacy: privacy=10 asks for k = 10"):
        Mondrian(_schema())
    with pytest.raises(TypeError, match=r"Mondrian needs schema: `suggest_schema\(table\)"):
        Mondrian(privacy=10)


def test_parameters_by_position_beyond_the_first_are_asked_for_by_name():
    with pytest.raises(TypeError, match="by name"):
        Mondrian(_schema(), 10, 3)


def test_an_error_within_a_constructor_keeps_its_own_words():
    class Odd(SaysWhatItTakes):
        def __init__(self, size):
            self.size = len(size)

    with pytest.raises(TypeError, match="has no len"):
        Odd(3)
    with pytest.raises(TypeError, match="Odd needs size"):
        Odd()


def test_scikit_learn_and_help_see_the_parameters_as_written():
    assert list(inspect.signature(Mondrian).parameters)[:2] == ["schema", "privacy"]
    tree = clone(KAnonymousTreeClassifier(privacy=20, max_depth=3))
    assert (tree.privacy, tree.max_depth) == (20, 3)
    assert clone(Mondrian(_schema(), 5)).privacy == 5


def test_k_in_the_place_of_the_schema_is_told_where_it_belongs():
    with pytest.raises(SchemaError, match=r"schema must be a Schema, got int.*privacy="):
        KAnonymousTreeClassifier(10).fit([[1.0]] * 30, ["a", "b"] * 15)
