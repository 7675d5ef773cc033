import subprocess
import sys

import pytest

from shoal import anonymize
from shoal.anonymize import LocalRecoding, ModelBased
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._registry import METHODS_WITH_TARGET, known_methods, make_method, method_class
from shoal.errors import ParameterError
from shoal.privacy import KAnonymity
from shoal.schema import Schema

SCHEMA = Schema({"age": {"role": "quasi-identifier"}})


def test_every_method_carries_its_name_and_sentences():
    for name, kind in known_methods().items():
        assert kind.name == name
        assert kind.summary
        assert kind.explanation.endswith(".")
        made = make_method(name, SCHEMA, KAnonymity(3))
        assert made.schema is SCHEMA
        assert made.privacy == KAnonymity(3)


def test_every_anonymizer_is_registered():
    known_methods()
    of_shoal = {
        kind
        for kind in _descendants(Anonymizer)
        if kind.__module__.startswith("shoal.") and not kind.__name__.startswith("_")
    }
    by_name = {method_class(name) for name in METHODS_WITH_TARGET}
    assert of_shoal == {*known_methods().values(), *by_name, ModelBased}  # which takes a tree
    assert ModelBased.name is None
    assert ModelBased.explanation


def _descendants(kind):
    return {below for child in kind.__subclasses__() for below in {child, *_descendants(child)}}


def test_parameters_of_a_method_are_checked():
    made = make_method("local", SCHEMA, KAnonymity(3), {"refine": False, "ranges": None})
    assert isinstance(made, LocalRecoding)
    assert made.refine is False
    with pytest.raises(ParameterError, match=r"method local has no parameter 'depth'. It has "):
        make_method("local", SCHEMA, KAnonymity(3), {"depth": 3})
    suppress = r"no parameter 'suppress'. It has .* 'max_suppression' is known to bottom-up"
    with pytest.raises(ParameterError, match=suppress):
        make_method("mondrian", SCHEMA, KAnonymity(3), {"suppress": 0.1})
    with pytest.raises(ParameterError, match=r"Did you mean 'max_suppression'\? It has"):
        make_method("top-down", SCHEMA, KAnonymity(3), {"suppress": 0.1})
    with pytest.raises(ParameterError, match=r"Did you mean 'privacy', as in privacy=Distinct"):
        make_method("local", SCHEMA, KAnonymity(3), {"diversity": "distinct:2"})
    with pytest.raises(ParameterError, match=r"unknown method 'magic'. Choose from bottom-up, top"):
        method_class("magic")


def test_listing_the_methods_loads_none_of_them():
    code = (
        "import sys; from shoal.anonymize import METHODS; assert METHODS;"
        "sys.exit(', '.join({'numpy', 'duckdb', 'narwhals'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_public_name_loads():
    assert all(getattr(anonymize, name) is not None for name in anonymize.__all__)
    assert set(anonymize.__all__) <= set(dir(anonymize))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = anonymize.nothing


def test_who_asks_a_method_for_what_another_has_is_told_of_it():
    with pytest.raises(ParameterError, match=r"'time_limit' is known to .*top-down"):
        make_method("bottom-up", SCHEMA, 2, {"time_limit": 1.0})
