"""What methods do, for people who read no code."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.report.release.facts._release_file import ReleaseFile

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
