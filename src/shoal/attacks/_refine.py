"""Refinement: what least labels say of the people behind them, from the release alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.anonymize import Release
from shoal.anonymize._release_files import as_files_say
from shoal.attacks._attack_result import AttackResult
from shoal.attacks._least_parts import parts_with_somebody
from shoal.audit._training_table import read_frame
from shoal.frames._frame import Frame
from shoal.metrics._wilson import wilson
from shoal.schema import Hierarchy, Schema
from shoal.schema._band_labels import band_bounds, range_ends
from shoal.schema._builders import Tree
from shoal.schema._csv import FromFile
from shoal.schema._text import text
from shoal.tables._frequency import group_keys
from shoal.tables._label_cover import covers
from shoal.typing import Counts, Flags, Native

LEAST_LABELS = ("Mondrian", "LocalRecoding", "ConstrainedKMember")
"""Methods whose groups have the least label that covers them."""

NODES_ONLY = "ConstrainedKMember"
"""The one of them that releases nodes of hierarchies everywhere."""


@dataclass(frozen=True)
class Conclusion:
    """Somebody in a group has a value in a part of the group's label.

    Parameters
    ----------
    group : int
        Number of the group, in the order in which the release names them.
    column : str
        The column.
    label, part : str
        What is written, and the part of it that holds at least one member.
    """

    group: int
    column: str
    label: str
    part: str


@dataclass(frozen=True, eq=False)
class RefineAttack:
    """What can be concluded, and what it achieves.

    Parameters
    ----------
    conclusions : tuple of Conclusion
        All that is certain.
    sizes : ndarray of int64
        Rows of each group.
    results : tuple of AttackResult
        Labels narrowed; with a truth, people singled out; with a register, people placed.
    """

    conclusions: tuple[Conclusion, ...]
    sizes: Counts
    results: tuple[AttackResult, ...]


def refine_attack(
    release: Native,
    schema: Schema,
    *,
    method: str = "LocalRecoding",
    ranges: str = "lines",
    register: Native | None = None,
    truth: Native | None = None,
) -> RefineAttack:
    """Conclude from minimal labels which values their groups must hold.

    A method that gives every group the least label that covers it says more than the label: at
    each end of a range whose ends are values there is somebody, at each end of a range between
    public lines somebody within the first and the last step, and under a node with two children
    somebody below each.

    Parameters
    ----------
    release : table or Release
        What was published.
    schema : Schema
        What the columns are; hierarchies and lines are public.
    method, ranges : str
        How it was made, as the manifest says; not needed for a Release.
    register : table, optional
        Quasi-identifiers of everybody in the release, each person once, and perhaps of others.
    truth : table, optional
        The raw table, to count whom a conclusion singles out.  The attack does not use it.

    Returns
    -------
    RefineAttack
        The first result counts the coarse labels that are narrowed; ``details`` has the chance
        that a part of that size, anywhere in the label, holds somebody.

    Notes
    -----
    **Guarantee.**  Conclusions are true of every table that the method could have made this
    release of.  There may be more than are drawn: nothing is concluded from `*`, from nodes with
    more than two children, or from which groups were not made.

    References
    ----------
    .. [Coh22] A. Cohen.  Attacks on deidentification's defenses.  USENIX Security 2022.

    Examples
    --------
    >>> from shoal.anonymize import Mondrian
    >>> schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> people = {"age": [31, 33, 34, 52, 53, 58]}
    >>> told = refine_attack(Mondrian(schema, 3, ranges="exact").fit(people).release_, schema)
    >>> sorted(c.part for c in told.conclusions)
    ['31', '34', '52', '58']
    >>> made = Mondrian(schema, 3).fit(people).release_
    >>> sorted(c.part for c in refine_attack(made, schema).conclusions)
    ['[50-54]', '[55-59]']
    """
    if isinstance(release, Release):
        method = release.method
        ranges = str(release.parameters.get("ranges", "nodes"))
        release = release.table
    frame = read_frame(as_files_say(release))
    names = [name for name in schema.quasi_identifiers if name in frame.names]
    labels, sizes = _groups(frame, names)
    said: tuple[Conclusion, ...] = ()
    if method in LEAST_LABELS:
        said = _conclude(schema, names, labels, ranges if method != NODES_ONLY else "nodes")
    results = [_narrowed(schema, names, labels, sizes, said)]
    if truth is not None:
        results.append(
            _singled_out(_People(read_frame(truth, schema), schema, names, labels), sizes, said)
        )
    if register is not None:
        results.append(_placed(_People(read_frame(register), schema, names, labels), sizes, said))
    return RefineAttack(said, sizes, tuple(results))


def _groups(frame: Frame, names: Sequence[str]) -> tuple[dict[str, list[str | None]], Counts]:
    """Labels of each group by column, and the groups' sizes."""
    coded = [frame.factorize(name) for name in names]
    number, n_groups = group_keys(np.column_stack([codes + 1 for codes, _ in coded]))
    first = np.zeros(n_groups, np.intp)
    first[number[::-1]] = np.arange(len(number))[::-1]
    labels = {}
    for name, (codes, values) in zip(names, coded, strict=True):
        texts = [*(text(value) for value in values), None]
        labels[name] = [texts[code] for code in codes[first]]
    return labels, np.bincount(number, minlength=n_groups).astype(np.int64)


def _conclude(
    schema: Schema, names: Sequence[str], labels: Mapping[str, list[str | None]], ranges: str
) -> tuple[Conclusion, ...]:
    said = []
    for name in names:
        column, tree = schema[name], _public_tree(schema, name)
        parts = {
            label: parts_with_somebody(column, tree, label, ranges)
            for label in {label for label in labels[name] if label is not None}
        }
        for group, label in enumerate(labels[name]):
            if label is not None:
                said += [Conclusion(group, name, label, part) for part in parts[label]]
    return tuple(said)


def _public_tree(schema: Schema, name: str) -> Hierarchy | None:
    """The hierarchy of a column, where it does not depend on the values of the table."""
    given = schema[name].hierarchy
    if isinstance(given, FromFile | Tree):
        return given.build([], column=name)
    return given if isinstance(given, Hierarchy) else None


def _share(schema: Schema, said: Conclusion) -> float:
    """How much of its label a part is, among the values that both write; one half for nodes."""
    whole, part = (_width(label) for label in (said.label, said.part))
    return 0.5 if whole is None or part is None or whole <= 0 else min(1.0, part / whole)


def _width(label: str) -> float | None:
    if (ends := range_ends(label)) is not None:
        try:
            first, last = (np.datetime64(end[:10]) for end in ends)
        except ValueError:
            return None
        return float((last - first).astype(int)) + 1
    if (bounds := band_bounds(label)) is not None:
        return bounds[1] - bounds[0] + (not label.endswith(")"))
    return 1.0


def _narrowed(
    schema: Schema,
    names: Sequence[str],
    labels: Mapping[str, list[str | None]],
    sizes: Counts,
    said: Sequence[Conclusion],
) -> AttackResult:
    """Labels of groups with a part that is known to hold somebody."""
    narrowed = {(one.group, one.column) for one in said}
    coarse = 0
    for name in names:
        tree = _public_tree(schema, name)
        coarse += sum(_is_coarse(label, tree) for label in labels[name])
    by_luck = [1 - (1 - _share(schema, one)) ** int(sizes[one.group]) for one in said]
    low, high = wilson(len(narrowed), max(coarse, 1))
    return AttackResult(
        attack="refine, the release alone",
        measure="share of coarse labels narrowed: a part is known to hold somebody",
        risk=len(narrowed) / max(coarse, 1),
        low=low,
        high=high,
        baseline=0.0,
        trials=coarse,
        details={
            "conclusions": len(said),
            "exact_values": sum(_is_value(schema, one) for one in said),
            "true_by_luck": float(np.mean(by_luck)) if by_luck else 0.0,
        },
    )


def _is_value(schema: Schema, said: Conclusion) -> bool:
    """Whether a part is one value."""
    tree = _public_tree(schema, said.column)
    if tree is not None and schema[said.column].kind == "categorical":
        return tree.find(said.part) < tree.n_leaves
    return _width(said.part) == 1.0


def _is_coarse(label: str | None, tree: Hierarchy | None) -> bool:
    if label is None:
        return False
    if tree is not None and tree.find(label) >= tree.n_leaves:
        return True
    return label.startswith(("[", "<", ">=")) or label.endswith("*")


class _People:
    """People whose quasi-identifiers are known, and which of them fit labels."""

    def __init__(
        self,
        frame: Frame,
        schema: Schema,
        names: Sequence[str],
        labels: Mapping[str, list[str | None]],
    ) -> None:
        self.n_people = frame.n_rows
        self.schema = schema
        self.coded = {name: frame.factorize(name) for name in names}
        self.fits = np.ones((frame.n_rows, len(labels[names[0]]) if names else 0), np.bool_)
        for name in names:
            distinct = list(dict.fromkeys(labels[name]))
            number = {label: index for index, label in enumerate(distinct)}
            table_ = self.covered(name, distinct)
            self.fits &= table_[:, [number[label] for label in labels[name]]]

    def covered(self, name: str, labels: Sequence[str | None]) -> Flags:
        """Which people (rows) fit each label of one column."""
        codes, values = self.coded[name]
        return covers(name, labels, [*values, None], self.schema)[codes]


def _singled_out(people: _People, sizes: Counts, said: Sequence[Conclusion]) -> AttackResult:
    """Conclusions that are true of exactly one person: they single somebody out."""
    ones, by_luck = 0, 0.0
    for one, matching in _matching(people, people.fits, said):
        ones += int(matching.sum() == 1)
        share, size = _share(people.schema, one), int(sizes[one.group])
        by_luck += size * share * (1 - share) ** (size - 1)
    trials = max(len(said), 1)
    low, high = wilson(ones, trials)
    return AttackResult(
        attack="refine, judged by the raw table",
        measure="share of conclusions that single out one person",
        risk=ones / trials,
        low=low,
        high=high,
        baseline=by_luck / trials,
        trials=len(said),
        details={"singled_out": ones},
    )


def _placed(people: _People, sizes: Counts, said: Sequence[Conclusion]) -> AttackResult:
    """People of the register who are certainly in one group, with and without conclusions."""
    with_them = int(_place(people, sizes, said).sum())
    without = int(_place(people, sizes, ()).sum())
    n = max(people.n_people, 1)
    low, high = wilson(with_them, n)
    return AttackResult(
        attack="refine, with a register",
        measure="share of people certainly in one group of the release",
        risk=with_them / n,
        low=low,
        high=high,
        baseline=without / n,
        trials=people.n_people,
        details={"placed": with_them, "placed_by_labels_alone": without},
    )


def _place(people: _People, sizes: Counts, said: Sequence[Conclusion]) -> Flags:
    """People certainly in one group: the only one a conclusion fits, or all that fit the group.

    Whoever is placed fits no other group, which may leave others alone: until nothing changes.
    """
    fits = people.fits.copy()
    placed = np.zeros(people.n_people, np.bool_)
    changed = True
    while changed:
        full = np.flatnonzero(fits.sum(axis=0) == sizes).tolist()
        homes = [(group, np.flatnonzero(fits[:, group])) for group in full]
        for one, matching in _matching(people, fits, said):
            if matching.sum() == 1:
                homes.append((one.group, np.flatnonzero(matching)))
        changed = False
        for group, members in homes:
            new = members[~placed[members]]
            placed[new] = True
            fits[new] = False
            fits[new, group] = True
            changed |= len(new) > 0
    return placed


def _matching(
    people: _People, fits: Flags, said: Sequence[Conclusion]
) -> list[tuple[Conclusion, Flags]]:
    """People whom each conclusion may be about: they fit the group's labels and the part."""
    inside: dict[tuple[str, str], Flags] = {}
    for one in said:
        key = (one.column, one.part)
        if key not in inside:
            inside[key] = people.covered(one.column, [one.part])[:, 0]
    return [(one, fits[:, one.group] & inside[one.column, one.part]) for one in said]
