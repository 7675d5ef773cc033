"""What methods do, for people who read no code."""

from __future__ import annotations

from dataclasses import dataclass

from shoal import anonymize
from shoal.report.release.facts._release_file import ReleaseFile


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
        kind = getattr(anonymize, name, None) if name in anonymize.__all__ else None
        return cls(name, getattr(kind, "explanation", ""))
