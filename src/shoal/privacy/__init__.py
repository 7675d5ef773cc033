"""Privacy models: conditions on the groups of a table, alone or joined with ``&``."""

from shoal.privacy._model import POPULATION, All, PrivacyModel, Reached, Rule, check
from shoal.privacy.compiled._compile import allowed_groups, compile_rules
from shoal.privacy.compiled._condition_kernels import Rules, add_cell, allowed
from shoal.privacy.compiled._sparse_condition_kernels import allowed_present, touch_cell
from shoal.privacy.models._alpha import AlphaKAnonymity, PSensitive
from shoal.privacy.models._closeness import TCloseness
from shoal.privacy.models._diversity import (
    ConfidenceLimit,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    confidence_to_l,
)
from shoal.privacy.models._k_anonymity import KAnonymity
from shoal.privacy.models._likeness import BetaLikeness
from shoal.privacy.models._presence import DeltaPresence, with_population
from shoal.privacy.models._proximity import Proximity
from shoal.privacy.spans._linear_spans import Winners
from shoal.privacy.spans._rule_spans import (
    ItemRule,
    RuleSpans,
    count_classes,
    read_rules,
    rule_spans,
)
from shoal.privacy.spans._spans import Bins, PrivateColumns, Spans, count_groups

__all__ = [
    "POPULATION",
    "All",
    "AlphaKAnonymity",
    "BetaLikeness",
    "Bins",
    "ConfidenceLimit",
    "DeltaPresence",
    "DistinctDiversity",
    "EntropyDiversity",
    "ItemRule",
    "KAnonymity",
    "PSensitive",
    "PrivacyModel",
    "PrivateColumns",
    "Proximity",
    "Reached",
    "RecursiveDiversity",
    "Rule",
    "RuleSpans",
    "Rules",
    "Spans",
    "TCloseness",
    "Winners",
    "add_cell",
    "allowed",
    "allowed_groups",
    "allowed_present",
    "check",
    "compile_rules",
    "confidence_to_l",
    "count_classes",
    "count_groups",
    "read_rules",
    "rule_spans",
    "touch_cell",
    "with_population",
]
