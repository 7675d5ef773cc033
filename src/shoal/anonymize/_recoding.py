"""Recodings: what a method learns, kept so that it can be shown, saved and applied to new rows."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from shoal._plain import pack, unpack_numbers
from shoal.anonymize._registry import known_methods
from shoal.errors import ParameterError, SchemaError, TableError
from shoal.privacy import PrivacyModel
from shoal.schema._coding import Coding
from shoal.tables import FrequencyTable
from shoal.tables._range_columns import refuse_means_of_one
from shoal.tables._recoded import Recoded, node_labels
from shoal.typing import Codes, Flags, PathText

Unseen = Literal["root", "suppress", "error"]
"""What becomes of values that a recoding never saw: starred, row left out, refused."""
UNSEEN = -1


class Recoding(ABC):
    """A map from raw combinations to released ones.

    Subclasses hold arrays only and say in :meth:`recode` what happens to each cell.  New rows are
    coded on their own, so a recoding matches them to the fitted codes by :func:`match_codes`.

    A recoding stays in the house: it knows every value of the table, those that only suppressed
    people have included, and the ends behind coarse labels.
    """

    kind: ClassVar[str]
    codings: tuple[Coding, ...]

    @abstractmethod
    def recode(self, cells: FrequencyTable, unseen: Unseen = "root") -> Recoded:
        """Release each cell; values that the recoding never saw are treated as `unseen` says."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Recoding:
        """Inverse of :meth:`to_dict`."""

    def save(self, path: PathText) -> None:
        """Write a JSON file that :func:`load_recoding` reads."""
        content = {"shoal": "recoding", "version": 1, "kind": self.kind, **self.to_dict()}
        Path(path).write_text(json.dumps(content), "utf-8")


_DAMAGE = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)
"""What reading a recoding raises where its file was changed."""


def load_recoding(path: PathText) -> Recoding:
    """Read a recoding that was saved."""
    name = Path(path).name
    try:
        data = json.loads(Path(path).read_text("utf-8"))
    except FileNotFoundError:
        raise TableError(
            f"cannot read recoding {name!r}: there is none. It stays in the house when a release "
            "is published, and a release that was made by regions has none."
        ) from None
    except OSError as error:
        raise TableError(f"cannot read recoding {name!r}: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise TableError(f"{name!r} is not a recoding: it is not JSON, or cut short.") from None
    if not isinstance(data, dict) or data.get("shoal") != "recoding":
        raise TableError(f"{name!r} is not a recoding. Give the file that a release came with.")
    known_methods()  # recodings are defined beside the methods that find them
    if data.get("kind") == "tree":  # loads scikit-learn: only when it is needed
        import_module("shoal.anonymize._model_based")
    if data.get("version") != 1 or str(data.get("kind")) not in _kinds():
        raise TableError(f"{name!r} was written by another version of Shoal. Upgrade this one.")
    try:
        return recoding_of(data)
    except _DAMAGE:
        raise TableError(
            f"{name!r} is a recoding with parts missing or damaged. Take the file that the release "
            "came with."
        ) from None


def recoding_of(data: Mapping[str, Any]) -> Recoding:
    """The recoding that plain values stand for, by the kind they name."""
    return _kinds()[data["kind"]].from_dict(data)


def _kinds() -> dict[str, type[Recoding]]:
    return {kind.kind: kind for kind in _descendants(Recoding)}  # type: ignore[type-abstract]


def _descendants(kind: type[Recoding]) -> list[type[Recoding]]:
    below = kind.__subclasses__()
    return below + [deeper for child in below for deeper in _descendants(child)]


def match_codes(fitted: Coding, new: Coding) -> Codes:
    """Fitted code of each new code, matched by text; -1 for a value never seen."""
    if new is fitted:
        return np.arange(fitted.n_codes, dtype=np.int32)
    return np.array([fitted.code_of.get(value, UNSEEN) for value in new.texts], np.int32)


def match_cells(recoding: Recoding, cells: FrequencyTable) -> tuple[list[Codes], list[Codes]]:
    """Per column: the fitted code of each new code, and the fitted code of each cell."""
    fitted = [coding.name for coding in recoding.codings]
    if fitted != list(cells.names):
        raise SchemaError(
            f"the recoding is for {', '.join(map(repr, fitted))} and the table has "
            f"{', '.join(map(repr, cells.names))}. Use the schema of the release."
        )
    maps = [match_codes(a, b) for a, b in zip(recoding.codings, cells.codings, strict=True)]
    return maps, [codes[cells.keys[:, column]] for column, codes in enumerate(maps)]


def check_unseen(unseen: str) -> None:
    """Raise unless `unseen` is a policy."""
    if unseen not in get_args(Unseen):
        raise ParameterError(
            f"unseen must be one of {', '.join(get_args(Unseen))}, got {unseen!r}."
        )


def refuse_unseen(maps: Sequence[Codes], codings: Sequence[Coding], unseen: str) -> None:
    """Raise when there are unseen values and the policy is to refuse them."""
    check_unseen(unseen)
    counts = {
        coding.name: int((codes == UNSEEN).sum())
        for coding, codes in zip(codings, maps, strict=True)
    }
    if unseen == "error" and any(counts.values()):
        shown = ", ".join(f"{name!r}: {n}" for name, n in counts.items() if n)
        raise SchemaError(
            f"values that the recoding never saw ({shown}). Release them as '*' with "
            "unseen='root', or leave their rows out with unseen='suppress'."
        )


@dataclass(frozen=True, eq=False)
class CutRecoding(Recoding):
    """Every column recoded on its own: each value goes to a node above it, the same in all rows.

    Parameters
    ----------
    codings : tuple of Coding
        One per quasi-identifier, each with a hierarchy.
    node_of : tuple of ndarray
        For each column the node that stands for each leaf.
    suppressed : ndarray of int32, shape (n, n_quasi_identifiers)
        Released combinations whose rows are left out.
    """

    kind: ClassVar[str] = "cut"

    codings: tuple[Coding, ...]
    node_of: tuple[Codes, ...]
    suppressed: Codes

    def recode(self, cells: FrequencyTable, unseen: Unseen = "root") -> Recoded:
        """Release each cell as the nodes of its values.

        A value never seen is released as the node whose band holds it, if there is one among the
        released bands; else as `unseen` says.
        """
        maps, _ = match_cells(self, cells)
        refuse_unseen(maps, self.codings, unseen)
        per_column, strange = [], np.zeros(cells.n_groups, np.bool_)
        for column, codes_of in enumerate(maps):
            nodes, unknown = self._nodes(column, codes_of, cells.codings[column])
            per_column.append(nodes)
            strange |= unknown[cells.keys[:, column]]
        codes = np.column_stack(
            [nodes[cells.keys[:, column]] for column, nodes in enumerate(per_column)]
        )
        hidden = _among(codes, self.suppressed)
        if unseen == "suppress":
            hidden |= strange
        labels = [node_labels(coding) for coding in self.codings]
        return Recoded.from_cells(
            cells, labels, codes.astype(np.int32), suppressed=hidden, per_column=per_column
        )

    def _nodes(self, column: int, codes: Codes, new: Coding) -> tuple[Codes, Flags]:
        """Node of each new code, and which codes got the root because nothing fits them."""
        coding = self.codings[column]
        tree = coding.hierarchy
        assert tree is not None
        nodes = np.where(codes >= 0, self.node_of[column][codes], tree.root).astype(np.int32)
        lost = np.flatnonzero(codes == UNSEEN)
        unknown = np.zeros(len(codes), np.bool_)
        unknown[lost] = True
        if len(lost) and coding.kind in ("numeric", "date"):
            released = np.unique(self.node_of[column])
            bands = released[released >= tree.n_leaves]
            bounds = node_labels(coding).bounds[bands]
            for code in lost:
                inside = (bounds[:, 0] <= new.numbers[code]) & (new.numbers[code] <= bounds[:, 1])
                if inside.any():
                    nodes[code] = bands[inside][0]
                    unknown[code] = nodes[code] == tree.root
        return nodes, unknown

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "codings": [pack(coding) for coding in self.codings],
            "node_of": [pack(nodes) for nodes in self.node_of],
            "suppressed": pack(self.suppressed),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> CutRecoding:
        """Inverse of :meth:`to_dict`."""
        codings = tuple(Coding.from_dict(coding) for coding in data["codings"])
        suppressed = unpack_numbers(data["suppressed"], np.int32).reshape(-1, len(codings))
        return cls(
            codings, tuple(unpack_numbers(nodes, np.int32) for nodes in data["node_of"]), suppressed
        )


def _among(codes: Codes, listed: Codes) -> Flags:
    """Which rows of `codes` are among the rows of `listed`."""
    if not len(listed):
        return np.zeros(len(codes), np.bool_)
    wanted = {row.tobytes() for row in np.ascontiguousarray(listed, np.int32)}
    rows = np.ascontiguousarray(codes, np.int32)
    return np.array([row.tobytes() in wanted for row in rows], np.bool_)


def range_notes(codings: Sequence[Coding], *, exact: bool) -> tuple[str, ...]:
    """Notes for the manifest on what the ends of ranges reveal; none if they reveal nothing."""
    names = [coding.name for coding in codings if exact or not coding.has_lines]
    if not names:
        return ()
    advice = "" if exact else " Give it a hierarchy."
    return (
        f"ranges of {', '.join(map(repr, names))} end at values of people in the group: somebody "
        f"has exactly the value at each end.{advice}",
    )


def refuse_means(privacy: PrivacyModel) -> None:
    """Raise for promises that groups of means cannot keep, or that nobody could check of them.

    A mean does not say who of a population fits it, and groups by some of the columns are not
    those that the means of all columns are of.
    """
    refuse_means_of_one(privacy.minimum_size, "means")
    named = any(getattr(part, "population", None) is not None for part in privacy.parts)
    about = "a population" if named else "some of the columns"
    if named or privacy.asks_of_some_columns:
        raise ParameterError(
            f"means: the promise asks about {about}, and a mean does not say who fits it. Ask for "
            "labels (--as labels)."
        )
