import pytest

from shoal.anonymize._choose import choose_method
from shoal.errors import ParameterError
from shoal.schema import Schema

SCHEMA = Schema({"age": {"role": "quasi-identifier"}})


def test_the_purpose_decides():
    assert choose_method(SCHEMA, 1000).method == "local"
    assert choose_method(SCHEMA, 10**9).method == "top-down"
    assert choose_method(SCHEMA, 1000, "queries").method == "mondrian"
    with_target = SCHEMA.replace(income={"role": "sensitive", "target": True})
    choice = choose_method(with_target, 1000, "classification")
    assert choice.to_dict() == {"method": "local", "reason": choice.reason, "note": ""}


def test_a_purpose_that_cannot_be_served_is_refused():
    with pytest.raises(ParameterError, match="target = true"):
        choose_method(SCHEMA, 1000, "classification")
    with pytest.raises(ParameterError, match="purpose must be one of general, classification"):
        choose_method(SCHEMA, 1000, "fun")


@pytest.mark.parametrize("name", ["suppress", "max_supression"])
def test_a_parameter_that_no_method_has_is_told_which_was_meant(name):
    schema = Schema({"age": {"role": "quasi-identifier"}})
    with pytest.raises(ParameterError, match=f"{name}'. Did you mean 'max_suppression'"):
        choose_method(schema, 1000, parameters=[name])
