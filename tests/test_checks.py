import pytest

import shoal
from shoal._checks import check_choice, did_you_mean
from shoal.anonymize import Mondrian
from shoal.anonymize._registry import method_class
from shoal.discover.sources._checks import check_columns
from shoal.errors import HierarchyError, ParameterError, SchemaError
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
