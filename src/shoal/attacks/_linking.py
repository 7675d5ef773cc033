"""The linking attack: join what is published with public knowledge about everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.anonymize import Release
from shoal.anonymize._release_files import as_files_say
from shoal.attacks._attack_result import AttackResult
from shoal.attacks._candidates import Candidates, find_candidates
from shoal.audit._training_table import read_frame, read_training_table
from shoal.errors import ParameterError, SchemaError
from shoal.metrics._wilson import wilson
from shoal.schema import Schema
from shoal.schema._coding import Coding, code_column
from shoal.tables._open import is_table
from shoal.tables._people import require_named
from shoal.typing import Codes, Counts, Flags, Floats, Native


@dataclass(frozen=True, eq=False, repr=False)
class LinkingAttack:
    """What the attacker knows of each person afterwards.  For the owner of the data.

    Parameters
    ----------
    column : str
        The private column that was asked about.
    coding : Coding
        Its values.
    hides_among : ndarray of int64
        For every person, the rows among which he hides: those of his span, or of all released
        groups that fit him.  Where the schema has a subject, people, in the order in which the
        public table names them.
    groups : ndarray of int64
        Spans or released groups that fit each person.
    left : ndarray of shape (n_people, n_values)
        Probability of each private value.
    summary : AttackResult
        Share of people whose value the attacker guesses, beside guessing the most frequent one.
    """

    column: str
    coding: Coding
    hides_among: Counts
    groups: Counts
    left: Floats
    summary: AttackResult

    def person(self, row: int) -> dict[str, Any]:
        """The group of one identity and the private values left, with their probabilities."""
        share = self.left[row]
        return {
            "hides_among": int(self.hides_among[row]),
            "groups": int(self.groups[row]),
            "values": {
                "missing" if text is None else text: float(p)
                for text, p in zip(self.coding.texts, share, strict=True)
                if p > 0
            },
        }

    def to_dict(self) -> dict[str, Any]:
        """The summary, as plain values; holds nobody's value."""
        return {"column": self.column, **self.summary.to_dict()}

    def __repr__(self) -> str:
        return f"LinkingAttack({self.summary})"


def linking_attack(
    release: Any,
    original: Native,
    schema: Schema,
    *,
    column: str | None = None,
    second: Any = None,
    known: Sequence[int] = (),
    domain: Mapping[str, Sequence[Any]] | None = None,
) -> LinkingAttack:
    """Link public knowledge to a model or a released table (definition 6 of [FWS08]_).

    Parameters
    ----------
    release : model, Release, table or path
        What is published: any model that :func:`audit` reads, a release of Shoal, or a released
        table or file of any method whose columns are named as in the schema.
    original : table
        Identities with their public columns.  Its private columns only score the attack: the
        attacker does not use them.  For a model it is the training table.
    schema : Schema
        What is public and what private, with the hierarchies of a released table.
    column : str, optional
        Private column to guess; the target or the only one unless given.
    second : release of the same people, optional
        Intersect with it: a value has to be possible in both.
    known : sequence of int
        Rows of people whose private value the attacker knows (background knowledge): they are
        taken out of the groups in which they must be.
    domain : mapping, optional
        As in :func:`audit`.

    Returns
    -------
    LinkingAttack
        Per person the group and the values left; `summary.risk` is the share of the other people
        whose value is guessed, `baseline` that of guessing from marginals, with a 95 % interval.
        ``details`` counts people whose value is certain (homogeneity), who fit several groups
        (overlap), and who fit none.

    Notes
    -----
    A person may be any released row whose labels cover all of their public values, each of them
    equally likely.  That is exact where everybody fits one group.  Where groups overlap, an
    attacker who works out which assignments of all people to rows are possible can sometimes say
    more.  Two releases count as independent evidence: probabilities are multiplied, and divided by
    the marginal ones.

    Where the schema has a subject, people are counted, trials and baseline alike: a person fits
    every group that one of their rows fits, and a guess is right that names a value of any of them.

    References
    ----------
    .. [FWS08] A. Friedman, R. Wolff, A. Schuster.  Providing k-anonymity in data mining.
       The VLDB Journal 17, 2008.  doi:10.1007/s00778-006-0039-5

    Examples
    --------
    Two people of each village hide among each other, but those of the first have the same illness.

    >>> import pandas as pd
    >>> from shoal.schema import Schema
    >>> schema = Schema({"village": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}})
    >>> everybody = pd.DataFrame({"village": list("AABB"), "ill": ["flu", "flu", "flu", "gout"]})
    >>> found = linking_attack(everybody, everybody, schema)
    >>> found.person(0)["values"], found.person(2)["values"]
    ({'flu': 1.0}, {'flu': 0.5, 'gout': 0.5})
    >>> found.summary.risk, found.summary.baseline
    (0.75, 0.75)
    """
    table = read_training_table(original, schema, domain, several_rows=True)
    if any(not 0 <= row < table.n_rows for row in known):
        raise ParameterError(f"known must name rows from 0 to {table.n_rows - 1}.")
    column = _choose(table.schema, column, tuple(table.columns))
    coding, truth = table.columns[column]
    person = _person_of_row(table)
    has = np.zeros((int(person.max()) + 1, coding.n_codes), np.bool_)
    has[person, truth] = True
    candidates = _people(_candidates(release, table, column).without(known, truth), table, person)
    left = _left(candidates)
    prior = np.bincount(truth, minlength=coding.n_codes) / len(truth)
    hides, groups = candidates.hides_among, candidates.n_groups
    if second is not None:
        other = _people(_candidates(second, table, column).without(known, truth), table, person)
        left = _intersect(left, _left(other), prior)
        hides = np.minimum(hides, other.hides_among)
    left = np.where(left.sum(axis=1, keepdims=True) > 0, left, prior)
    left /= left.sum(axis=1, keepdims=True)
    asked = np.ones(len(has), np.bool_)
    asked[person[list(known)]] = False
    if not asked.any():
        raise ParameterError("known holds everybody: there is nobody left to guess.")
    summary = _sum_up(candidates, left, has, asked, column)
    return LinkingAttack(column, coding, hides, groups, left, summary)


def _choose(schema: Schema, column: str | None, private: tuple[str, ...]) -> str:
    if column is None:
        column = schema.target if schema.target in private else private[0] if private else None
    if column is None or column not in private:
        raise SchemaError(
            "a linking attack needs a private column to guess. Private are: "
            f"{', '.join(map(repr, private)) or 'none'}."
        )
    return column


def _candidates(release: Any, table: Any, column: str) -> Candidates:
    coding, _ = table.columns[column]
    if isinstance(release, Release):
        release = release.table
    if not _is_table(release):
        from shoal.audit.adapters._adapter import AdapterOptions  # noqa: PLC0415  libraries of
        from shoal.audit.adapters._registry import find_adapter  # noqa: PLC0415  models

        table.schema.require_rows_of_own("a model")
        model = find_adapter(release).read(release, table, AdapterOptions())
        spans = model.spans
        counts = spans.groups.histograms[column].dense().astype(np.float64)
        counts[spans.is_single] = 0.0  # nothing private is said about them
        return Candidates.of_spans(model.span_of_row, spans.population, counts)
    frame = read_frame(as_files_say(release))
    public = [n for n in table.attributes if n in frame.names and n not in table.columns]
    if column not in frame.names or not public:
        raise ParameterError(
            f"the released table needs the column {column!r} and public columns of the schema."
        )
    _, codes = _code_like(coding, table.schema, frame, column)
    return find_candidates(frame, table.frame, public, table.schema, codes, coding.n_codes)


def _is_table(release: Any) -> bool:
    if isinstance(release, Mapping):  # a model that was read from JSON
        return False
    columns = getattr(release, "columns", ())
    try:  # a frame of association rules is a model; columns() of an engine are a table's
        return is_table(release) and (callable(columns) or "antecedents" not in columns)
    except TypeError:
        return False


def _code_like(coding: Coding, schema: Schema, frame: Any, column: str) -> tuple[Coding, Codes]:
    own, codes = code_column(column, schema[column], *frame.factorize(column))
    lost = [text for text in own.texts if text not in coding.code_of]
    if lost:
        raise SchemaError(
            f"column {column!r}: {len(lost)} released values are not among those of the people. "
            "Is it a release of the same people?"
        )
    code_of = np.array([coding.code_of[text] for text in own.texts], np.int32)
    return coding, code_of[codes]


def _person_of_row(table: Any) -> Codes:
    """Who each row of the public table belongs to: every row is a person, unless named."""
    subject = table.schema.subject
    if subject is None:
        return np.arange(table.n_rows, dtype=np.int32)
    codes, _ = table.frame.factorize(subject)
    require_named(subject, int((codes < 0).sum()))
    person: Codes = codes
    return person


def _people(candidates: Candidates, table: Any, person: Codes) -> Candidates:
    return candidates if table.schema.subject is None else candidates.by_person(person)


def _left(candidates: Candidates) -> Floats:
    sums = np.zeros((candidates.n_people, candidates.counts.shape[1]))
    np.add.at(sums, candidates.person, candidates.counts[candidates.group])
    return sums / np.maximum(sums.sum(axis=1, keepdims=True), 1e-300)


def _intersect(one: Floats, two: Floats, prior: Floats) -> Floats:
    """Both releases are evidence; what is common to them, the marginals, counts once."""
    silent_one, silent_two = one.sum(axis=1) == 0, two.sum(axis=1) == 0
    both = one * two / np.maximum(prior, 1e-300)
    both = np.where(silent_one[:, None], two, both)
    return np.where(silent_two[:, None], one, both)


def _sum_up(
    candidates: Candidates, left: Floats, has: Flags, asked: Any, column: str
) -> AttackResult:
    rows = np.flatnonzero(asked)
    # ties are broken by luck: the expected number of hits counts
    best = left == left.max(axis=1, keepdims=True)
    hit = (best & has)[rows].sum(axis=1) / best[rows].sum(axis=1)
    certain = (left[rows].max(axis=1) > 1 - 1e-12) & (candidates.n_groups[rows] > 0)
    low, high = wilson(float(hit.sum()), len(rows))
    return AttackResult(
        attack=f"linking, {column!r}",
        measure="share of people whose private value is guessed",
        risk=float(hit.mean()),
        low=low,
        high=high,
        baseline=float(has.mean(axis=0).max()),
        trials=len(rows),
        details={
            "certain": int(certain.sum()),
            "several_groups": int((candidates.n_groups[rows] > 1).sum()),
            "no_group": int((candidates.n_groups[rows] == 0).sum()),
            "smallest_group": int(candidates.hides_among[rows].min()) if len(rows) else 0,
            "known": len(has) - len(rows),
        },
    )
