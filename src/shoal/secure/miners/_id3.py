"""ID3 over a table that two parties hold in parts."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from shoal.secure.miners._group_sizes import too_few_left
from shoal.secure.miners._parameters import Parameters
from shoal.secure.miners._progress import Progress, reached, resume
from shoal.secure.miners._roles import Seat, SharedTable, open_scores, open_table
from shoal.secure.miners._secure_tree import SecureTree, grow
from shoal.secure.miners._table_part import TablePart
from shoal.secure.miners._tree_scores import Table, TreeScores


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
    logarithm : {"chebyshev", "taylor", "fast", "strict"}, default="chebyshev"
        Precision of the scores, see :class:`ChebyshevLogarithm`, :class:`TaylorLogarithm` and
        :class:`FastLogarithm`; "strict" is the paper's own, :class:`StrictLogarithm`.
    terms : int, default=3
        Terms of the series.
    reveal_counts : bool, default=False
        Open the class counts of the leaves at the end.  Without it no count is revealed.
    k : int or None, default=None
        A split is taken only if every group of people that it makes is empty or has at least k;
        None allows all.  Takes the place of `min_rows`.

    Attributes
    ----------
    tree_ : SecureTree
        The tree, equal at both ends.
    counts_ : ndarray of shape (leaves, classes) or None
        Class counts of the leaves, when asked for.
    n_logarithms_ : int
        Logarithms computed.
    n_comparisons_ : int
        Comparisons of group sizes with k, and of scores with each other; 0 at an owner.

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

    **Guarantee with k.**  Every leaf of the tree is empty or holds at least k rows of the joint
    table, so the tree, with its leaves' class counts, is k-anonymous for whoever knows all columns
    but the class: it is the tree of :class:`~shoal.models.KAnonymousTreeClassifier` (criterion
    "gain", no pruning) wherever scores differ by more than the error above, except that a split
    that gains exactly nothing is not refused.  Sizes are compared with k inside the protocol; none
    is opened.  Before a class or a count is opened the groups are compared once more, with the rows
    of those who still take part, and where one is smaller than k the run ends for all.  A party
    may subtract its own rows: of the *other* party's people a leaf may hold fewer than k.

    **Costs with k.**  One comparison more per value of each attribute of each node, and one per
    node; logarithms of inner nodes only, as without k.

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
    logarithm: Literal["chebyshev", "taylor", "fast", "strict"] = "chebyshev"
    terms: int = 3
    reveal_counts: bool = False
    k: int | None = None

    def fit(
        self,
        part: TablePart,
        party: Seat,
        *,
        done: Progress | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Self:
        """Grow the tree together with the other party.

        Parameters
        ----------
        part : TablePart
            What this party holds.
        party : FirstParty, SecondParty, an SPU party, Helper or Owner
            This end of the session.  A helper holds no rows: its part has names and values only.
        done : Progress, optional
            Last progress report of an interrupted run on this very table: its public outcomes.
            Both parties must resume the same run; where one has nothing, both start anew.
        progress : callable, optional
            Called with a :class:`Progress` after every level.
        """
        self._check(part)
        party.agree(self.get_params(), "parameters")
        joint = open_table(part, party)
        scores = open_scores(self.logarithm, self.terms, party, joint)
        if self.k is not None:
            joint.require(self.k)
        target = part.column(self.target)
        levels, run = resume(party, done)
        # The tree is rebuilt from public decisions at every level, so that a run that was cut goes
        # on exactly like one that was not.
        while True:
            tree, frontier = grow(part.names, part.values, target, levels)
            if not frontier:
                break
            levels.append(self._level(joint, scores, tree, frontier))
            party.confirm()
            if progress is not None:
                progress(reached(levels, run, party))
        counts = self._open_counts(joint, scores, tree) if self.reveal_counts else None
        party.confirm()
        self.tree_, self.counts_ = tree, counts
        self.n_logarithms_, self.n_comparisons_ = scores.n_logarithms, scores.n_comparisons
        return self

    def _check(self, part: TablePart) -> None:
        part.column(self.target)
        logarithm_for(self.logarithm, 1, self.terms)  # or an error
        if len(part.names) < 2:
            raise ParameterError("a tree needs at least one column besides the target.")
        if self.max_depth is not None and (
            not isinstance(self.max_depth, Integral) or self.max_depth < 0
        ):
            raise ParameterError(f"max_depth is None or at least 0, got {self.max_depth!r}.")
        if not isinstance(self.min_rows, Integral) or self.min_rows < 1:
            raise ParameterError(f"min_rows is at least 1, got {self.min_rows!r}.")
        if self.k is not None and (not isinstance(self.k, Integral) or self.k < 1):
            raise ParameterError(f"k is None or at least 1, got {self.k!r}.")
        if self.k is not None and self.min_rows != 1:
            raise ParameterError("give k or min_rows, not both.")

    def _level(
        self, joint: SharedTable, scores: TreeScores, tree: SecureTree, frontier: list[int]
    ) -> list[int]:
        """Decide every node of a level: an attribute, or -1 minus the class of a leaf."""
        depth = len(tree.path(frontier[0]))
        forced = depth in (self.max_depth, len(tree.names) - 1)
        rows = self._class_counts(joint, tree, frontier)
        n_classes = joint.part.arities[tree.target]
        self._require_large(scores, rows[:, :n_classes])
        if self.k is not None and not forced:
            return self._large_level(joint, scores, tree, frontier, rows)
        labels = scores.leaves(rows, n_classes, 0 if forced else int(self.min_rows))
        inner = [node for node, label in zip(frontier, labels, strict=True) if label < 0]
        if not inner:
            return [-1 - label for label in labels]
        free, nodes = self._tables(joint, tree, inner)
        best = iter(_columns(free, scores.best(nodes)))
        return [next(best) if label < 0 else -1 - label for label in labels]

    def _large_level(
        self,
        joint: SharedTable,
        scores: TreeScores,
        tree: SecureTree,
        frontier: list[int],
        rows: Table,
    ) -> list[int]:
        """Decide a level with splits into groups of k rows only."""
        free, nodes = self._tables(joint, tree, frontier)
        n_classes = joint.part.arities[tree.target]
        labels, penalties = scores.large_leaves(rows, nodes, n_classes, int(self.k or 1))
        inner = [i for i, label in enumerate(labels) if label < 0]
        if not inner:
            return [-1 - label for label in labels]
        picks = scores.best([nodes[i] for i in inner], [penalties[i] for i in inner])
        best = iter(_columns([free[i] for i in inner], picks))
        return [next(best) if label < 0 else -1 - label for label in labels]

    @staticmethod
    def _class_counts(joint: SharedTable, tree: SecureTree, nodes: list[int]) -> Table:
        """Shares of the class counts of each node, and then of its parent."""
        target = (tree.target,)
        paths = [tree.path(node) for node in nodes]
        parents = [dict(list(path.items())[:-1]) for path in paths]
        distinct = {tuple(sorted(path.items())): path for path in [*paths, *parents]}
        counts = joint.counts([(target, path) for path in distinct.values()])
        known = dict(zip(distinct, counts, strict=True))
        return np.array(
            [
                np.concatenate([known[tuple(sorted(p.items()))] for p in pair])
                for pair in zip(paths, parents, strict=True)
            ]
        )

    @staticmethod
    def _tables(
        joint: SharedTable, tree: SecureTree, nodes: list[int]
    ) -> tuple[list[list[int]], list[list[Table]]]:
        """Attributes that each node can split on, and the shared table of each."""
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
        return free, [tables[i : i + width] for i in range(0, len(tables), width)]

    def _open_counts(
        self, joint: SharedTable, scores: TreeScores, tree: SecureTree
    ) -> NDArray[np.int64]:
        counts = joint.counts([((tree.target,), tree.path(leaf)) for leaf in tree.leaves])
        rows = np.array(counts, np.uint32)
        self._require_large(scores, rows)
        return scores.open(rows)

    def _require_large(self, scores: TreeScores, counts: Table) -> None:
        """Raise where a group is smaller than k after all: splits were taken with more people."""
        if self.k is None:
            return
        if not scores.all_large(counts.sum(axis=1, dtype=np.uint32), int(self.k)):
            raise too_few_left(int(self.k))


def _columns(free: list[list[int]], picks: list[int]) -> list[int]:
    return [columns[pick] for columns, pick in zip(free, picks, strict=True)]
