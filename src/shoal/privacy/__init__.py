"""Privacy models: conditions on the groups of a table, alone or joined with ``&``."""

from shoal.privacy._model import PrivacyModel, check
from shoal.privacy.models._alpha import AlphaKAnonymity, PSensitive
from shoal.privacy.models._average_risk import AverageRisk, CorrectGuesses
from shoal.privacy.models._closeness import TCloseness
from shoal.privacy.models._disclosure import DeltaDisclosure
from shoal.privacy.models._diversity import (
    ConfidenceLimit,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
)
from shoal.privacy.models._k_anonymity import KAnonymity
from shoal.privacy.models._k_map import KMap
from shoal.privacy.models._likeness import BetaLikeness
from shoal.privacy.models._lkc import LKCPrivacy
from shoal.privacy.models._presence import DeltaPresence
from shoal.privacy.models._proximity import Proximity
from shoal.privacy.models._records_at_risk import RecordsAtRisk, RiskThresholds
from shoal.privacy.models._requirement import Requirement
from shoal.privacy.models._uniqueness import Uniqueness

__all__ = [
    "AlphaKAnonymity",
    "AverageRisk",
    "BetaLikeness",
    "ConfidenceLimit",
    "CorrectGuesses",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctDiversity",
    "EntropyDiversity",
    "KAnonymity",
    "KMap",
    "LKCPrivacy",
    "PSensitive",
    "PrivacyModel",
    "Proximity",
    "RecordsAtRisk",
    "RecursiveDiversity",
    "Requirement",
    "RiskThresholds",
    "TCloseness",
    "Uniqueness",
    "check",
]
