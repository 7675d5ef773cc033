"""All attacks: what each is on, what its attacker knows, and how it is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal

from shoal.attacks._attack_result import AttackResult
from shoal.attacks._linking import linking_attack
from shoal.attacks._membership import membership_attack
from shoal.attacks._refine import refine_attack
from shoal.attacks.rows._closest import closest_attack
from shoal.attacks.rows._inference import inference_attack
from shoal.attacks.rows._linkability import linkability_attack
from shoal.attacks.rows._shadow import shadow_attack
from shoal.attacks.rows._singling_out import singling_out_attack
from shoal.attacks.transforms._bracketing import bracketing_attack
from shoal.attacks.transforms._frequency_attack import frequency_attack
from shoal.attacks.transforms._reconstruction import exact_attack, reconstruction_attack
from shoal.attacks.transforms._unfolding import unfolding_attack
from shoal.errors import ParameterError

Target = Literal["release", "any", "table", "kernel"]
"""What is attacked: a released table or model, any table made of people's rows (noise and synthetic
rows included), a keyed table, the projections of a kernel."""


@dataclass(frozen=True)
class Attack:
    """One attack, as commands, reports and pages name it.

    Parameters
    ----------
    name : str
        One word.
    targets : tuple of {"release", "any", "table", "kernel"}
        What it is an attack on; ``shoal attack TARGET`` carries it out, or else a command of the
        attack's own name.
    summary : str
        What the attacker does.
    knows : str
        What the attacker has beside what is published.
    run : callable
        Carries it out; its parameters are those of the function of that name.
    """

    name: str
    targets: tuple[Target, ...]
    summary: str
    knows: str
    run: Callable[..., AttackResult]


@wraps(linking_attack)
def _link(*given: Any, **named: Any) -> AttackResult:
    return linking_attack(*given, **named).summary


@wraps(refine_attack)
def _refine(*given: Any, **named: Any) -> AttackResult:
    return refine_attack(*given, **named).results[-1]


ATTACKS: tuple[Attack, ...] = (
    Attack(
        "linking",
        ("release",),
        "joins a release with a public table and guesses what is private",
        "the public columns of everybody, and the private values of some",
        _link,
    ),
    Attack(
        "refine",
        ("release",),
        "concludes from least labels what people behind them have",
        "method, hierarchies and lines; perhaps a register of people",
        _refine,
    ),
    Attack(
        "singling",
        ("any",),
        "asks for what is rare in the release and finds one person alone",
        "nothing; counting who is found takes the original",
        singling_out_attack,
    ),
    Attack(
        "linkability",
        ("any",),
        "joins two sources on a person through the nearest released rows",
        "some columns of a person, and elsewhere others",
        linkability_attack,
    ),
    Attack(
        "inference",
        ("any",),
        "guesses a column from the released row nearest in the others",
        "all columns of a person but one",
        inference_attack,
    ),
    Attack(
        "closest",
        ("any",),
        "tells who is in a table by the distance to the closest released row",
        "the whole row of a person",
        closest_attack,
    ),
    Attack(
        "shadow",
        ("any",),
        "tells who is in a table by releases made with and without each person",
        "the program, and rows of people such as those in the table",
        shadow_attack,
    ),
    Attack(
        "frequency",
        ("table",),
        "matches aliases with categories that are as frequent",
        "how frequent each category is",
        frequency_attack,
    ),
    Attack(
        "bracketing",
        ("table",),
        "bounds everybody's number by those of known people next to it",
        "the numbers of some people, and which rows are theirs",
        bracketing_attack,
    ),
    Attack(
        "unfolding",
        ("table",),
        "reads the widths of graded ranges off the fractions, and every number but for a shift",
        "the number of one person, and which row is theirs",
        unfolding_attack,
    ),
    Attack(
        "reconstruction",
        ("kernel",),
        "solves for people's features behind their projections",
        "the whole rows of some people, and perhaps the random basis",
        reconstruction_attack,
    ),
    Attack(
        "exact",
        ("kernel",),
        "tries which rows of whole numbers have a given projection",
        "the random basis, and the steps in which features are stored",
        exact_attack,
    ),
    Attack(
        "membership",
        ("table", "kernel"),
        "tells whether a person's row is among those published",
        "the whole row of that person",
        membership_attack,
    ),
)


def find_attack(name: str) -> Attack:
    """The attack called `name`."""
    for attack in ATTACKS:
        if attack.name == name:
            return attack
    known = ", ".join(attack.name for attack in ATTACKS)
    raise ParameterError(f"there is no attack {name!r}. There are {known}.")


def attacks_on(target: Target) -> tuple[Attack, ...]:
    """The attacks on one kind of target."""
    return tuple(attack for attack in ATTACKS if target in attack.targets)
