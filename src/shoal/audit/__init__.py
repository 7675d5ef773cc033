"""Attack what we publish."""

from shoal.audit._attack_result import AttackResult, wilson
from shoal.audit._bracketing import bracket, bracketing_attack, interpolate
from shoal.audit._frequency_attack import frequency_attack, guess_aliases
from shoal.audit._membership import distance_to_published, membership_attack
from shoal.audit._reconstruction import (
    estimate_basis,
    exact_attack,
    feature_bounds,
    linear_view,
    possible_people,
    reconstruction_attack,
)
from shoal.audit._transform_attacks import attack_kernel, attack_table

__all__ = [
    "AttackResult",
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
    "membership_attack",
    "possible_people",
    "reconstruction_attack",
    "wilson",
]
