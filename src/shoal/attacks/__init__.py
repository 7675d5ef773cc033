"""Attack what we publish: releases, transforms and random kernels."""

from shoal.attacks._attack_result import AttackResult
from shoal.attacks._linking import linking_attack
from shoal.attacks._membership import membership_attack
from shoal.attacks._refine import refine_attack
from shoal.attacks.transforms._bracketing import bracketing_attack
from shoal.attacks.transforms._frequency_attack import frequency_attack
from shoal.attacks.transforms._reconstruction import exact_attack, reconstruction_attack
from shoal.attacks.transforms._transform_attacks import attack_kernel, attack_table

__all__ = [
    "AttackResult",
    "attack_kernel",
    "attack_table",
    "bracketing_attack",
    "exact_attack",
    "frequency_attack",
    "linking_attack",
    "membership_attack",
    "reconstruction_attack",
    "refine_attack",
]
