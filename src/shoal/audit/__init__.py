"""Attack what we publish."""

from shoal.audit._attack_result import AttackResult, wilson
from shoal.audit._audit import audit
from shoal.audit._bracketing import bracket, bracketing_attack, interpolate
from shoal.audit._frequency_attack import frequency_attack, guess_aliases
from shoal.audit._linking import LinkingAttack, linking_attack
from shoal.audit._load import load_model
from shoal.audit._membership import distance_to_published, membership_attack
from shoal.audit._model_audit import Breach, ModelAudit
from shoal.audit._reconstruction import (
    estimate_basis,
    exact_attack,
    feature_bounds,
    linear_view,
    possible_people,
    reconstruction_attack,
)
from shoal.audit._rule_reading import item_schema
from shoal.audit._transform_attacks import attack_kernel, attack_table

__all__ = [
    "AttackResult",
    "Breach",
    "LinkingAttack",
    "ModelAudit",
    "attack_kernel",
    "attack_table",
    "audit",
    "bracket",
    "bracketing_attack",
    "distance_to_published",
    "estimate_basis",
    "exact_attack",
    "feature_bounds",
    "frequency_attack",
    "guess_aliases",
    "interpolate",
    "item_schema",
    "linear_view",
    "linking_attack",
    "load_model",
    "membership_attack",
    "possible_people",
    "reconstruction_attack",
    "wilson",
]
