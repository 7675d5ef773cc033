import pytest

from shoal.anonymize import METHODS, LocalRecoding, choose_method, make_method
from shoal.anonymize._registry import known_methods
from shoal.errors import ParameterError
from shoal.privacy import KAnonymity
from tests.anonymize.group_cases import SCHEMA


def test_every_name_makes_its_class():
    assert known_methods().keys() <= METHODS.keys()
    for name, kind in known_methods().items():
        made = make_method(name, SCHEMA, KAnonymity(3))
        assert type(made) is kind
        assert kind.__name__ == METHODS[name][0]


def test_parameters_reach_the_method_and_unknown_ones_are_refused():
    made = make_method("local", SCHEMA, KAnonymity(3), {"refine": False, "ranges": None})
    assert isinstance(made, LocalRecoding)
    assert (made.refine, made.ranges) == (False, True)
    with pytest.raises(ParameterError, match=r"no parameter 'depth'.*refine"):
        make_method("local", SCHEMA, KAnonymity(3), {"depth": 3})
    with pytest.raises(ParameterError, match="unknown method 'magic'"):
        make_method("magic", SCHEMA, KAnonymity(3))


def test_the_choice_depends_on_size_and_purpose():
    assert choose_method(SCHEMA, 1000).method == "local"
    assert choose_method(SCHEMA, 10**9).method == "top-down"
    assert choose_method(SCHEMA, 1000, "queries").method in ("mondrian", "local")
    with_target = SCHEMA.replace(s={"role": "sensitive", "target": True})
    assert choose_method(with_target, 1000, "classification").reason
    with pytest.raises(ParameterError, match="class column"):
        choose_method(SCHEMA, 1000, "classification")
    with pytest.raises(ParameterError, match="purpose must be"):
        choose_method(SCHEMA, 1000, "fun")
