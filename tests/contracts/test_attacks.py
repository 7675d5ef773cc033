"""Every attack of the registry, with the example that its own test file brings.

A new attack is one file, one line in the registry, and one test file with a function
`example_NAME` that gives the arguments of a run; this suite finds it there.
"""

import json
from importlib import import_module

import pytest

from shoal.attacks._attack_result import AttackResult
from shoal.attacks._registry import ATTACKS, attacks_on, find_attack
from shoal.cli.publish._attack import app
from shoal.errors import ParameterError

EVERY = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)

ROUNDING = 1e-12

OF_THEIR_OWN = {"refine", "shadow"}
"""Attacks with a command of their own name, beside that of what they attack."""


def run(attack):
    """The attack on the example of its test file."""
    folder, _, file = attack.run.__module__.removeprefix("shoal.").rpartition("._")
    tests = import_module(f"tests.{folder}.test_{file}")
    given, named = getattr(tests, f"example_{attack.name}")()
    return attack.run(*given, **named)


@EVERY
def test_a_result_holds_the_risk_within_its_interval_beside_a_baseline(attack):
    result = run(attack)
    assert isinstance(result, AttackResult)
    assert 0 <= result.low <= result.risk <= result.high + ROUNDING
    assert result.high <= 1
    assert 0 <= result.baseline <= 1
    assert result.trials > 0
    assert json.loads(json.dumps(result.to_dict()))["risk"] == result.risk


@EVERY
def test_the_same_attack_comes_out_the_same(attack):
    assert run(attack) == run(attack)


def test_every_command_of_shoal_attack_carries_out_some_and_no_attack_is_left_out():
    commands = {command.name for command in app.registered_commands}
    targets = {target for attack in ATTACKS for target in attack.targets}
    assert commands == targets | OF_THEIR_OWN
    assert all(attacks_on(target) for target in targets)
    assert {find_attack(name).name for name in OF_THEIR_OWN} == OF_THEIR_OWN
    assert len(ATTACKS) == 13


def test_an_attack_is_found_by_name():
    assert find_attack("linking").targets == ("release",)
    assert find_attack("refine").targets == ("release",)
    with pytest.raises(ParameterError, match="There are linking, refine, singling"):
        find_attack("luck")
