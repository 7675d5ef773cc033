"""Attack what we publish: releases, transforms and random kernels.

Names load on first use: a report asks one attack, and needs no library of models for it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {
    "attack_kernel": "transforms._transform_attacks",
    "attack_table": "transforms._transform_attacks",
    "closest_attack": "rows._closest",
    "inference_attack": "rows._inference",
    "linkability_attack": "rows._linkability",
    "linking_attack": "_linking",
    "refine_attack": "_refine",
    "shadow_attack": "rows._shadow",
    "singling_out_attack": "rows._singling_out",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
