"""Privacy models: conditions on the groups of a table, alone or joined with ``&``."""

from shoal.privacy._k_anonymity import KAnonymity
from shoal.privacy._model import All, PrivacyModel, Reached, check
from shoal.privacy._rule_kernels import Rules, add_cell, allowed, allowed_groups
from shoal.privacy._rules import compile_rules
from shoal.privacy._spans import Bins, PrivateColumns, Spans, count_groups

__all__ = [
    "All",
    "Bins",
    "KAnonymity",
    "PrivacyModel",
    "PrivateColumns",
    "Reached",
    "Rules",
    "Spans",
    "add_cell",
    "allowed",
    "allowed_groups",
    "check",
    "compile_rules",
    "count_groups",
]
