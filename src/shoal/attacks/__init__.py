"""Attack what we publish: releases, transforms and random kernels."""

from shoal.attacks._attack_result import AttackResult, wilson
from shoal.attacks._linking import LinkingAttack, linking_attack
from shoal.attacks._membership import distance_to_published, membership_attack
from shoal.attacks.transforms._bracketing import bracket, bracketing_attack, interpolate
from shoal.attacks.transforms._frequency_attack import frequency_attack, guess_aliases
from shoal.attacks.transforms._reconstruction import (
    estimate_basis,
    exact_attack,
    feature_bounds,
    linear_view,
    possible_people,
    reconstruction_attack,
)
from shoal.attacks.transforms._transform_attacks import attack_kernel, attack_table

__all__ = [
    "AttackResult",
    "LinkingAttack",
    "attack_kernel",
    "attack_table",
    "bracket",
    "bracketing_attack",
    "distance_to_published",
    "estimate_basis",
    "exact_attack",
    "feature_bounds",
    "frequency_attack",
    "guess_aliases",
    "interpolate",
    "linear_view",
    "linking_attack",
    "membership_attack",
    "possible_people",
    "reconstruction_attack",
    "wilson",
]
