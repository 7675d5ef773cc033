"""The registry of privacy models, for command line, reports, guides and contract tests.

A new model is a file in ``models/``, a line in :data:`MODELS`, and its name in the package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.privacy._model import PrivacyModel
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

MODELS: tuple[type[PrivacyModel], ...] = (
    KAnonymity,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    ConfidenceLimit,
    TCloseness,
    AlphaKAnonymity,
    PSensitive,
    BetaLikeness,
    DeltaDisclosure,
    Proximity,
    DeltaPresence,
    KMap,
    AverageRisk,
    RecordsAtRisk,
    RiskThresholds,
    Uniqueness,
    CorrectGuesses,
    Requirement,
    LKCPrivacy,
)
"""Every model, in the order in which they are listed to people."""

LEFT_OPEN_BY_ALL = (
    "An attacker who knows the sensitive values of other people in a group can narrow it down.",
    "A second release of the same people can be combined with this one; the promise is about this "
    "release alone.",
    "Every person is taken to have one row. Where somebody has several, a group holds fewer people "
    "than rows.",
    "Each sensitive column is checked for itself. Who knows one of them of a person may learn "
    "another.",
    "The promise rests on the roles in the schema: a column that was called insensitive, but that "
    "outsiders know, is an open door.",
    "Columns that are neither quasi-identifiers nor identifiers are released as they are.",
)
"""What no condition on groups covers."""


def left_open(privacy: Any) -> list[str]:
    """What a model leaves open, given as plain values: its own gaps first, then everybody's.

    Examples
    --------
    >>> left_open(KAnonymity(5).to_dict())[0][:35]
    'A group whose rows all share one se'
    """
    known = {model.__name__: model for model in MODELS}
    own = [known[name].leaves_open for name in _names(privacy) if name in known]
    return [*dict.fromkeys(own), *LEFT_OPEN_BY_ALL]


def _names(privacy: Any) -> Iterator[str]:
    """Names of the models that make up a model, which is given as plain values."""
    if not isinstance(privacy, Mapping):
        return
    parts = privacy.get("models")
    if isinstance(parts, list):
        for part in parts:
            yield from _names(part)
    else:
        yield str(privacy.get("model"))
        if "asked" in privacy:  # of some columns
            yield from _names(privacy["asked"])
