"""What privacy models and methods mean, for people who read no code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.report.release.facts._release_file import ReleaseFile

NOT_COVERED: dict[str, str] = {
    "KAnonymity": "A group whose rows all share one sensitive value gives that value away, "
    "although nobody in it can be told apart.",
    "DistinctDiversity": "Different values are counted, not weighed: 99 of 100 rows of a group "
    "may still agree.",
    "EntropyDiversity": "With more than two sensitive values, one of them may still have a large "
    "share of a group.",
    "ConfidenceLimit": "It bounds how sure a guess can be, for columns of two values only.",
    "RecursiveDiversity": "Values that mean nearly the same count as different.",
    "AlphaKAnonymity": "Values below the limit are not protected further, nor are values outside "
    "the protected ones where such were named.",
    "PSensitive": "Different values are counted, not weighed: one may be far more frequent than "
    "the others.",
    "TCloseness": "A small distance can hide a large relative gain of a rare value.",
    "BetaLikeness": "What the whole release tells of everybody is not limited, only what a group "
    "adds to it.",
    "Proximity": "Only closeness of numbers is limited.",
    "DeltaPresence": "It holds against attackers who know the population that was given, and no "
    "other.",
}
"""For each privacy model, what it leaves open."""

ALWAYS = (
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

METHODS: dict[str, str] = {
    "BottomUpGeneralization": "Values were made coarser step by step, the best step first, until "
    "the promise held.",
    "TopDownSpecialization": "Everything was made as coarse as possible, then finer step by step "
    "as long as the promise held.",
    "FullDomain": "Every column was brought to one level of its hierarchy; the best combination of "
    "levels was searched for.",
    "Mondrian": "The rows were cut into ever smaller regions as long as the promise held.",
    "ConstrainedKMember": "Similar rows were gathered into groups and each group was given common "
    "labels within the limits of the schema.",
    "LocalRecoding": "Similar rows were gathered into groups and each group was given the least "
    "general labels that cover it.",
    "ModelBased": "A decision tree was grown under the promise; rows of one leaf were made alike.",
}
"""For each method, how it works, in a sentence."""


@dataclass(frozen=True)
class Method:
    """A method, for people.

    Parameters
    ----------
    name : str
        Its class.
    sentence : str
        How it works; empty for one that is not ours.
    """

    name: str
    sentence: str

    @classmethod
    def of(cls, release: ReleaseFile) -> Method:
        """The method that made a release."""
        name = str(release.get("method"))
        return cls(name, METHODS.get(name, ""))


def model_names(privacy: Any) -> Iterator[str]:
    """Names of the single models in a privacy model that is written as plain values.

    Examples
    --------
    >>> list(model_names({"models": [{"model": "KAnonymity"}, {"model": "TCloseness"}]}))
    ['KAnonymity', 'TCloseness']
    """
    if not isinstance(privacy, Mapping):
        return
    parts = privacy.get("models")
    if isinstance(parts, list):
        for part in parts:
            yield from model_names(part)
    else:
        yield str(privacy.get("model"))


def left_open(privacy: Any) -> list[str]:
    """What the models leave open, each said once, then what all of them do."""
    own = [NOT_COVERED[name] for name in model_names(privacy) if name in NOT_COVERED]
    return [*dict.fromkeys(own), *ALWAYS]
