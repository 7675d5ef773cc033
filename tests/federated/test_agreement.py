import contextlib
import subprocess
import sys

import pytest

from shoal import federated
from shoal.errors import ParameterError, SchemaError
from shoal.federated._agreement import make_kernel, make_key, read_agreement

KEY = """
[columns.age]
low = 15
high = 90
groups = 5

[columns.dose]
breaks = [0, 0.5, 2]
decimals = 2

[columns.disease]
categories = ["flu", "cold"]
prefix = "Illness"
"""


def test_a_key_is_made_from_what_was_agreed(tmp_path):
    (tmp_path / "a.toml").write_text(KEY)
    key = make_key(read_agreement(tmp_path / "a.toml"))
    assert key.to_dict()["columns"] == {"age": "graded", "dose": "graded", "disease": "mapped"}
    assert key.columns["age"].encode([58]).round(3) == 3.867
    assert set(key.columns["disease"].aliases) == {"Illness_1", "Illness_2"}


def test_a_kernel_is_made_from_what_was_agreed():
    features = {name: {"low": 0, "high": 10} for name in "abcd"}
    kernel = make_kernel({"features": features, "kernel": {"components": 2, "kernel": "gaussian"}})
    assert kernel.basis_.shape == (2, 4)
    assert kernel.kernel == "gaussian"
    assert make_kernel({"features": features}).fingerprint != kernel.fingerprint


@pytest.mark.parametrize(
    ("agreement", "match"),
    [
        ({}, "one table per column"),
        ({"columns": {"age": 5}}, "'age' needs a table"),
        ({"columns": {"age": {"low": 1}}}, "'age' needs categories, breaks, or low and high"),
        ({"columns": {"age": {"low": 1, "hihg": 2}}}, "unknown setting 'hihg'"),
    ],
)
def test_a_key_without_agreement_is_refused(agreement, match):
    with pytest.raises(SchemaError, match=match):
        make_key(agreement)


@pytest.mark.parametrize(
    ("agreement", "match"),
    [
        ({}, "one table per feature"),
        ({"features": {"age": {"low": 1}}}, "'age' needs low and high"),
        ({"features": {"age": {"low": 1, "high": 2}}, "kernel": {"m": 3}}, "unknown setting 'm'"),
    ],
)
def test_a_kernel_without_agreement_is_refused(agreement, match):
    with pytest.raises(SchemaError, match=match):
        make_kernel(agreement)


ODD = [None, True, -1, 0, 10**400, 1.5, float("nan"), float("inf"), "", "x", [], [[]], ["x", 1], {}]


@pytest.mark.parametrize(
    "setting", ["low", "high", "groups", "decimals", "breaks", "categories", "prefix"]
)
@pytest.mark.parametrize("kind", [{"low": 1, "high": 9}, {"breaks": [1, 5]}, {"categories": ["a"]}])
def test_a_setting_of_another_type_is_an_error_of_ours(kind, setting):
    for odd in ODD:
        with contextlib.suppress(ParameterError, SchemaError):
            make_key({"columns": {"age": {**kind, setting: odd}}})


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_a_kernel_setting_of_another_type_is_an_error_of_ours(odd):
    features = {name: {"low": 0, "high": 10} for name in "abcd"}
    for agreement in (
        {"features": odd},
        {"features": {**features, "a": odd}},
        {"features": {**features, "a": {"low": odd, "high": 10}}},
        {"features": features, "kernel": odd},
        *({"features": features, "kernel": {s: odd}} for s in ("components", "kernel", "gamma")),
    ):
        with contextlib.suppress(ParameterError, SchemaError):
            make_kernel(agreement)
        with contextlib.suppress(ParameterError, SchemaError):
            make_key(agreement)


def test_an_unreadable_agreement_is_an_error(tmp_path):
    with pytest.raises(ParameterError, match=r"cannot read 'none\.toml'"):
        read_agreement(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[columns")
    with pytest.raises(ParameterError, match="not valid TOML"):
        read_agreement(tmp_path / "bad.toml")


def test_a_key_needs_no_machine_learning_library():
    code = (
        "import sys; from shoal.federated import TransformKey, decode_tree;"
        "from shoal.federated._agreement import make_key;"
        "make_key({'columns': {'age': {'low': 15, 'high': 90}}});"
        "slow = {'lifelines', 'pandas', 'pyarrow', 'scipy', 'sklearn'} & set(sys.modules);"
        "assert not slow, slow"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_loads_from_its_home():
    assert set(federated.__all__) == set(federated._HOMES)
    assert all(getattr(federated, name).__name__ == name for name in federated.__all__)
    assert set(federated.__all__) <= set(dir(federated))
    with pytest.raises(AttributeError, match="no attribute 'eqd2'"):
        federated.eqd2  # noqa: B018
