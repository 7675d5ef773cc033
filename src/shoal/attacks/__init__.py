"""Attack what we publish: releases, transforms and random kernels."""

from shoal.attacks._linking import linking_attack
from shoal.attacks._refine import refine_attack
from shoal.attacks.rows._closest import closest_attack
from shoal.attacks.rows._inference import inference_attack
from shoal.attacks.rows._linkability import linkability_attack
from shoal.attacks.rows._shadow import shadow_attack
from shoal.attacks.rows._singling_out import singling_out_attack
from shoal.attacks.transforms._transform_attacks import attack_kernel, attack_table

__all__ = [
    "attack_kernel",
    "attack_table",
    "closest_attack",
    "inference_attack",
    "linkability_attack",
    "linking_attack",
    "refine_attack",
    "shadow_attack",
    "singling_out_attack",
]
