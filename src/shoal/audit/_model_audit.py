"""What an audit of a model found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shoal._notebook import Plot, html_note, html_table, percent, plot_bars
from shoal.privacy.spans._spans import Bins, Spans

ReleaseKind = Literal["counts", "frequencies", "majority"]
Answer = Literal["safe", "unsafe", "cannot tell"]
MOST_DRAWN = 20
"""Spans that are drawn."""

MOST_SHOWN = 10


@dataclass(frozen=True)
class Breach:
    """A span of too few rows about which the release says something private.

    Parameters
    ----------
    span : int
        Number of the span.
    rows : int
        Training rows that share it.
    bins : int
        Equivalence classes in it.
    causes : tuple of str
        Tests, rules or centroids that tell these rows apart from the others.
    """

    span: int
    rows: int
    bins: int
    causes: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class ModelAudit:
    """Can this model be published?  For the owner of the data: it speaks of private values.

    Parameters
    ----------
    kind : str
        What the model is.
    release : {"counts", "frequencies", "majority"}
        What is published with it.
    k : int
        What was asked.
    privacy : str
        The condition on spans, in words.
    safe_k : int
        Largest k for which the release is k-anonymous; the number of rows when any k is.
    spans : Spans
        The groups of rows that an attacker can form.
    bins : Bins
        Equivalence classes of the model, with their populations.
    span_of_row : ndarray of int64
        Span of each training row.
    breaches : tuple of Breach
        Spans that break the condition, smallest first.
    exposed : mapping of str to int
        For every private column, the rows whose value is certain.
    confidence : mapping of str to mapping of str to float
        For every private column, the highest certainty about each of its values in any span; of
        numeric columns only the highest of all.
    method : str
        "exact", or what was enumerated or sampled.
    notes : tuple of str
        Whatever the reader has to know.
    held : tuple of str
        Where the model itself holds training rows; it is unsafe for that alone.
    unread : tuple of str
        What of the model was not read; without a breach the answer is "cannot tell" then.

    Examples
    --------
    Nobody makes one by hand: :func:`audit` returns it.  A function can be asked, not read, so that
    it may be found unsafe but never safe.

    >>> from shoal.audit import audit
    >>> from shoal.schema import Schema
    >>> table = {"age": [30, 70, 80], "ill": ["no", "yes", "no"]}
    >>> schema = Schema(
    ...     {"age": {"role": "quasi-identifier", "kind": "numeric"}, "ill": {"role": "sensitive"}}
    ... )
    >>> found = audit(lambda rows: rows["ill"], table, schema, k=4)
    >>> found
    ModelAudit(unsafe: function, 1 spans, 1 breaches at k = 4, safe_k = 3)
    """

    kind: str
    release: ReleaseKind
    k: int
    privacy: str
    safe_k: int
    spans: Spans
    bins: Bins
    span_of_row: NDArray[np.int64]
    breaches: tuple[Breach, ...]
    exposed: Mapping[str, int]
    confidence: Mapping[str, Mapping[str, float]]
    method: str = "exact"
    notes: tuple[str, ...] = field(default=())
    held: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def answer(self) -> Answer:
        """Safe, unsafe, or "cannot tell" where the model was not read completely."""
        if self.breaches or self.held:
            return "unsafe"
        return "cannot tell" if self.unread else "safe"

    @property
    def is_safe(self) -> bool:
        """Whether all of the model was read, no span breaks the condition, and it holds no row."""
        return self.answer == "safe"

    @property
    def n_rows(self) -> int:
        """Training rows."""
        return self.spans.groups.n_rows

    @property
    def rows_in_breaches(self) -> int:
        """Training rows in spans that break the condition."""
        return sum(breach.rows for breach in self.breaches)

    @property
    def verdict(self) -> str:
        """The answer in a sentence or two."""
        silent = int(self.spans.population[self.spans.is_single].sum())
        said = (
            f"Of {self.n_rows:,} people the model says nothing private about {silent:,}; "
            f"the others fall into {int((~self.spans.is_single).sum()):,} groups."
        )
        if self.answer == "safe":
            return f"Safe: {self.privacy} holds for every group. {said} {self._largest()}"
        if self.answer == "cannot tell":
            return (
                f"Cannot tell: no breach was found, but not all of the model was read. {said} "
                f"Not read: {'; '.join(self.unread[:MOST_SHOWN])}."
            )
        if self.held:
            return (
                "Do not publish: the model holds what it was trained on: "
                f"{'; '.join(self.held[:MOST_SHOWN])}. {said} {self._largest()}"
            )
        return (
            f"Do not publish: {len(self.breaches):,} groups with {self.rows_in_breaches:,} people "
            f"break the condition ({self.privacy}). {said} {self._largest()}"
        )

    def _largest(self) -> str:
        if self.held:
            return "No k is safe."
        if self.spans.is_single.all():
            return "The release is safe for any k."
        return f"The largest safe k is {self.safe_k:,}."

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "kind": self.kind,
            "release": self.release,
            "k": self.k,
            "privacy": self.privacy,
            "answer": self.answer,
            "safe": self.is_safe,
            "safe_k": self.safe_k,
            "verdict": self.verdict,
            "method": self.method,
            "rows": self.n_rows,
            "spans": {
                "population": self.spans.population.tolist(),
                "bins": self.spans.n_bins.tolist(),
            },
            "n_bins": len(self.bins),
            "breaches": [
                {"span": b.span, "rows": b.rows, "bins": b.bins, "causes": list(b.causes)}
                for b in self.breaches
            ],
            "exposed": dict(self.exposed),
            # the highest of each column: the values themselves are sensitive
            "confidence": {
                name: max(values.values(), default=0.0) for name, values in self.confidence.items()
            },
            "notes": list(self.notes),
            "held": list(self.held),
            "unread": list(self.unread),
        }

    def to_text(self) -> str:
        """The report for people."""
        lines = [f"{self.kind}, released with {self.release}", self.verdict, ""]
        lines.append(f"spans: {self.spans.n_spans:,}, equivalence classes: {len(self.bins):,}")
        lines.append(f"method: {self.method}")
        for breach in self.breaches[:MOST_SHOWN]:
            lines.append(f"breach: {breach.rows} rows, {breach.bins} classes possible")
            lines += [f"    {cause}" for cause in breach.causes]
        if len(self.breaches) > MOST_SHOWN:
            lines.append(f"and {len(self.breaches) - MOST_SHOWN:,} further breaches")
        for name, rows in self.exposed.items():
            best = max(self.confidence[name].values(), default=0.0)
            lines.append(f"{name}: certain for {rows:,} rows, highest confidence {best:.1%}")
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)

    def plot(self) -> Plot:
        """Draw how many people share each span, the smallest first; needs matplotlib."""
        people = np.sort(self.spans.population[~self.spans.is_single])[:MOST_DRAWN]
        names = [f"span {span + 1}" for span in range(len(people))]
        return plot_bars(
            f"People in the smallest spans (k = {self.k})", names, people.tolist(), "people"
        )

    def _repr_html_(self) -> str:
        rows = [
            [name, certain, percent(max(self.confidence[name].values(), default=0.0))]
            for name, certain in self.exposed.items()
        ]
        header = ["private column", "certain for rows", "highest confidence"]
        notes = "".join(map(html_note, (f"method: {self.method}", *self.notes)))
        return html_note(self.verdict) + html_table(self.kind, header, rows) + notes

    def __repr__(self) -> str:
        return (
            f"ModelAudit({self.answer}: {self.kind}, {self.spans.n_spans} spans, "
            f"{len(self.breaches)} breaches at k = {self.k}, safe_k = {self.safe_k})"
        )
