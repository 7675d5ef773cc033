"""Agreements that somebody has changed: an error of ours, or another run that can be made."""

import random
from dataclasses import replace

import pytest

from shoal.errors import ParameterError, ShoalError
from shoal.parties import make_keys
from shoal.secure.owners._agreement import Agreement, check_agreement, read_agreement
from shoal.secure.owners._terms import Terms

NAMES = ("first", "second", "north", "south")
COLUMNS = {"a": ["x", "y"], "b": ["x", "y"], "c": ["no", "yes"]}
TASKS = {
    "id3": {"target": "c", "max_depth": 2},
    "bayes-net": {"order": ["a", "b", "c"], "max_parents": 1},
}
ODD = [
    "true", "-1", "0", "1.5", "nan", "inf", "1e300", '""', '"é"', "[]", "[1]", "[[]]", "{}",
    "{x=1}", "1979-05-27", "1979-05-27T07:32:00Z", "99999999999999999999", '["a", "a"]',
    '["north", "south", "north"]', '"nobody"', '["first", "second"]', '"cells"', '"strict"',
]  # fmt: skip


@pytest.fixture(scope="module")
def agreements(tmp_path_factory):
    folder = tmp_path_factory.mktemp("agreement")
    pems = {name: make_keys(name, folder)[1].read_text() for name in NAMES}
    addresses = {"first": "127.0.0.1:1", "second": "127.0.0.1:2"}
    terms = Terms(["north", "south"], 50)
    return [
        Agreement(task, parameters, terms, COLUMNS, "rows", addresses, pems)
        for task, parameters in TASKS.items()
    ]


def test_an_agreement_comes_back_as_it_was_written(agreements, tmp_path):
    for agreement in agreements:
        (tmp_path / "a.toml").write_text(agreement.to_toml(), "utf-8")
        assert read_agreement(tmp_path / "a.toml").digest == agreement.digest


def test_one_certificate_is_not_two_participants(agreements):
    for names in (("north", "south"), ("first", "north"), ("first", "second")):
        agreement = agreements[0]
        twice = {**agreement.certificates, names[1]: agreement.certificates[names[0]]}
        with pytest.raises(ParameterError, match="same certificate"):
            check_agreement(replace(agreement, certificates=twice))


def test_changed_entries_are_refused_or_make_another_agreement(agreements, tmp_path):
    rng, path, taken = random.Random(0), tmp_path / "a.toml", 0
    for number in range(600):
        agreement = agreements[number % 2]
        lines = agreement.to_toml().splitlines()
        spot = rng.choice([i for i, line in enumerate(lines) if " = " in line])
        name = lines[spot].split(" = ")[0]
        lines[spot] = f"{name} = {rng.choice(ODD)}" if rng.random() < 0.9 else '"zeal" = 1'
        path.write_text("\n".join(lines), "utf-8")
        try:
            read = read_agreement(path)
        except ShoalError:
            continue
        taken += 1
        # What is taken can be used, and is another agreement unless it says the same.
        assert all(isinstance(address, str) for address in read.addresses.values())
        assert read.digest != agreement.digest or read.to_dict() == agreement.to_dict()
        read.miner()
        read.schema()
        assert read.public_part().names == list(COLUMNS)
    assert 0 < taken < 300
