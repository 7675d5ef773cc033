"""ID3 over a table that two parties hold in parts."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.secure._party import Party, Session
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from shoal.secure.miners._joint_table import JointTable
from shoal.secure.miners._parameters import Parameters
from shoal.secure.miners._progress import Progress, common_rounds
from shoal.secure.miners._secure_tree import SecureTree, grow
from shoal.secure.miners._spu import SPUParty, SPUScores
from shoal.secure.miners._table_part import TablePart
from shoal.secure.miners._tree_scores import CircuitScores, TreeScores


@dataclass
class SecureID3(Parameters):
    """ID3 tree of a joint table; both parties learn the tree and nothing else [LP00]_.

    Parameters
    ----------
    target : str
        Column to predict.
    max_depth : int or None, default=None
        Depth at which every node becomes a leaf; None grows until attributes are used up.
    min_rows : int, default=1
        A node with fewer rows becomes a leaf.
    logarithm : {"chebyshev", "taylor", "fast"}, default="chebyshev"
        Precision of the scores, see :class:`ChebyshevLogarithm`, :class:`TaylorLogarithm` and
        :class:`FastLogarithm`.
    terms : int, default=3
        Terms of the series.
    reveal_counts : bool, default=False
        Open the class counts of the leaves at the end.  Without it no count is revealed.

    Attributes
    ----------
    tree_ : SecureTree
        The tree, equal at both ends.
    counts_ : ndarray of shape (leaves, classes) or None
        Class counts of the leaves, when asked for.
    n_logarithms_ : int
        Logarithms computed.

    Notes
    -----
    **Reveals.**  The tree: for each node its attribute or its class, so also that a leaf was pure,
    empty, small, or out of attributes (without saying which).  Names, values and sizes are public
    before.  With `reveal_counts` also the leaves' class counts.

    **Assumes.**  Semi-honest parties; what the building blocks assume.

    **Costs.**  Per node one logarithm per value, and per value and class; a fixed number of rounds
    per level.

    **Guarantee.**  Equal to ID3 on the pooled table wherever the scores of the best two attributes
    of a node, in nats times rows, differ by more than four times rows times the logarithm's error.

    **Departures from the paper.**  All nodes of a level go in one batch.  Ties go to the first
    attribute; the class of an empty node is its parent's majority.

    References
    ----------
    .. [LP00] Y. Lindell, B. Pinkas.  Privacy preserving data mining.  CRYPTO 2000.
       doi:10.1007/3-540-44598-6_3

    Examples
    --------
    >>> from shoal.parties import run_parties
    >>> from shoal.secure import FirstParty, SecondParty, TablePart
    >>> def fit(kind, codes):
    ...     part = TablePart(["wind", "play"], [["calm", "storm"], ["no", "yes"]], np.array(codes))
    ...     return lambda line: SecureID3("play").fit(part, kind(line)).tree_
    >>> one, two = run_parties(
    ...     fit(FirstParty, [[0, 1], [1, 0]]), fit(SecondParty, [[1, 0], [0, 1]])
    ... )
    >>> one == two, one.to_dict()["attribute"]
    (True, 'wind')
    """

    target: str
    _: KW_ONLY
    max_depth: int | None = None
    min_rows: int = 1
    logarithm: Literal["chebyshev", "taylor", "fast"] = "chebyshev"
    terms: int = 3
    reveal_counts: bool = False

    def fit(
        self,
        part: TablePart,
        party: Session,
        *,
        done: Progress | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Self:
        """Grow the tree together with the other party.

        Parameters
        ----------
        part : TablePart
            What this party holds.
        party : FirstParty, SecondParty or an SPU party
            This end of the session.
        done : Progress, optional
            Last progress report of an interrupted run on this very table: its public outcomes.
            Both parties must resume the same run; where one has nothing, both start anew.
        progress : callable, optional
            Called with a :class:`Progress` after every level.
        """
        self._check(part)
        party.agree(self.get_params(), "parameters")
        joint = JointTable(part, party)
        scores = _scores(self, party, joint.n_rows)
        target = part.column(self.target)
        levels, run = common_rounds(party, done)
        # The tree is rebuilt from public decisions at every level, so that a run that was cut goes
        # on exactly like one that was not.
        while True:
            tree, frontier = grow(part.names, part.values, target, levels)
            if not frontier:
                break
            levels.append(self._level(joint, scores, tree, frontier))
            if progress is not None:
                progress(Progress(levels, run, party.channel.transcript.to_dict()))
        self.tree_, self.n_logarithms_ = tree, scores.n_logarithms
        self.counts_ = self._open_counts(joint, scores, tree) if self.reveal_counts else None
        return self

    def _check(self, part: TablePart) -> None:
        part.column(self.target)
        if len(part.names) < 2:
            raise ParameterError("a tree needs at least one column besides the target.")
        if self.max_depth is not None and (
            not isinstance(self.max_depth, Integral) or self.max_depth < 0
        ):
            raise ParameterError(f"max_depth is None or at least 0, got {self.max_depth!r}.")
        if not isinstance(self.min_rows, Integral) or self.min_rows < 1:
            raise ParameterError(f"min_rows is at least 1, got {self.min_rows!r}.")

    def _level(
        self, joint: JointTable, scores: TreeScores, tree: SecureTree, frontier: list[int]
    ) -> list[int]:
        """Decide every node of a level: an attribute, or -1 minus the class of a leaf."""
        depth = len(tree.path(frontier[0]))
        forced = depth in (self.max_depth, len(tree.names) - 1)
        labels = self._leaves(joint, scores, tree, frontier, forced)
        inner = [node for node, label in zip(frontier, labels, strict=True) if label < 0]
        best = iter(self._attributes(joint, scores, tree, inner))
        return [next(best) if label < 0 else -1 - label for label in labels]

    def _leaves(
        self,
        joint: JointTable,
        scores: TreeScores,
        tree: SecureTree,
        nodes: list[int],
        forced: bool,
    ) -> list[int]:
        """Class of each node that is a leaf, -1 for the others; only this outcome is opened."""
        target = (tree.target,)
        paths = [tree.path(node) for node in nodes]
        parents = [dict(list(path.items())[:-1]) for path in paths]
        distinct = {tuple(sorted(path.items())): path for path in [*paths, *parents]}
        counts = joint.counts([(target, path) for path in distinct.values()])
        known = dict(zip(distinct, counts, strict=True))
        rows = np.array(
            [
                np.concatenate([known[tuple(sorted(p.items()))] for p in pair])
                for pair in zip(paths, parents, strict=True)
            ]
        )
        n_classes = joint.part.arities[tree.target]
        return scores.leaves(rows, n_classes, 0 if forced else int(self.min_rows))

    def _attributes(
        self, joint: JointTable, scores: TreeScores, tree: SecureTree, nodes: list[int]
    ) -> list[int]:
        """Best attribute of each node: the least remaining entropy of the class."""
        if not nodes:
            return []
        paths = [tree.path(node) for node in nodes]
        free = [
            [c for c in range(len(tree.names)) if c != tree.target and c not in path]
            for path in paths
        ]
        queries = [
            ((c, tree.target), path)
            for path, columns in zip(paths, free, strict=True)
            for c in columns
        ]
        tables = joint.counts(queries)
        width = len(free[0])
        picks = scores.best([tables[i : i + width] for i in range(0, len(tables), width)])
        return [columns[pick] for columns, pick in zip(free, picks, strict=True)]

    @staticmethod
    def _open_counts(joint: JointTable, scores: TreeScores, tree: SecureTree) -> NDArray[np.int64]:
        counts = joint.counts([((tree.target,), tree.path(leaf)) for leaf in tree.leaves])
        return scores.open(np.array(counts, np.uint32))


def _scores(model: SecureID3, party: Session, n_rows: int) -> TreeScores:
    """Return what decides nodes: circuits, or SPU."""
    if isinstance(party, SPUParty):
        return SPUScores(party, n_rows)
    if not isinstance(party, Party):
        raise ParameterError("fit needs a FirstParty, a SecondParty, or an SPU party.")
    logarithm = logarithm_for(model.logarithm, n_rows, model.terms)
    return CircuitScores(party, logarithm, n_rows.bit_length())
