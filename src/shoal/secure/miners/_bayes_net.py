"""Bayes-net structure (K2) over a table that two parties hold in parts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal, localcontext
from itertools import chain, pairwise
from numbers import Integral
from typing import Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import ParameterError, ProtocolError
from shoal.secure._party import Party
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from shoal.secure.logarithm._logarithm import Logarithm
from shoal.secure.miners._argmin import index_of_least
from shoal.secure.miners._mpyc import MPyCParty
from shoal.secure.miners._mpyc_scores import MPyCNetScores
from shoal.secure.miners._parameters import Parameters
from shoal.secure.miners._progress import Progress, reached, resume
from shoal.secure.miners._roles import Seat, SharedTable, open_table, party_of
from shoal.secure.miners._table_part import Query, TablePart
from shoal.secure.owners._helper import Helper
from shoal.secure.owners._owner import Owner
from shoal.secure.owners._scores import PARENTS, hear_picks

STOP = -1
MAX_CELLS = 2**20
LN_2_PI = Decimal("1.83787706640934548356065947281123527972279494727556682563430")


Families = list[list[tuple[int, tuple[int, ...]]]]
"""For each column the candidate families: the column, and its parents."""


class NetScores(Protocol):
    """What decides the parents of columns."""

    @property
    def n_logarithms(self) -> int:
        """Logarithms computed."""

    def picks(self, families: Families) -> list[int]:
        """Index of the best family of each column."""


@dataclass(frozen=True)
class NetworkStructure:
    """Which columns each column depends on.

    Attributes
    ----------
    names : sequence of str
        Columns.
    parents : list of list of int
        Parents of each column, in the order in which they were found.
    """

    names: Sequence[str]
    parents: list[list[int]]

    def to_dict(self) -> dict[str, list[str]]:
        """Return names of parents by name of column."""
        return {
            name: [self.names[p] for p in parents]
            for name, parents in zip(self.names, self.parents, strict=True)
        }

    def to_text(self) -> str:
        """Return one line per column."""
        return "\n".join(
            f"{name} <- {', '.join(parents) or '(none)'}"
            for name, parents in self.to_dict().items()
        )


@dataclass
class SecureBayesNet(Parameters):
    """K2 structure of a joint table; both parties learn the arcs and nothing else [YW06]_.

    Parameters
    ----------
    order : sequence of str or None, default=None
        Columns such that parents come before children; None takes the table's order.
    max_parents : int, default=2
        Largest number of parents (the paper's u).
    logarithm : {"chebyshev", "taylor", "fast", "strict"}, default="chebyshev"
        Precision of the scores, see :class:`ChebyshevLogarithm`, :class:`TaylorLogarithm` and
        :class:`FastLogarithm`.
    terms : int, default=4
        Terms of the series.

    Attributes
    ----------
    structure_ : NetworkStructure
        The arcs, equal at both ends.
    n_logarithms_ : int
        Logarithms computed.

    Notes
    -----
    **Reveals.**  The structure and the order in which each column's parents were added.  Names,
    values, the order, and the number of rows are public before.

    **Assumes.**  Semi-honest parties; what the building blocks assume.

    **Costs.**  At most ``max_parents + 1`` rounds for all columns together; in a round one
    logarithm per cell and per row of the table of each candidate parent set.

    **Guarantee.**  Equal to K2 on the pooled table wherever the log scores of the best two
    candidates differ by more than four times rows plus cells times the logarithm's error, plus
    Stirling's error of at most 0.082 per factorial.

    **Departures from the paper.**  Any number of values per column; the factorial of 0 is exact;
    all columns advance together, one batch of logarithms per round.

    References
    ----------
    .. [YW06] Z. Yang, R. N. Wright.  Privacy-preserving computation of Bayesian networks on
       vertically partitioned data.  IEEE TKDE 18(9), 2006.  doi:10.1109/TKDE.2006.147
    .. [CH92] G. F. Cooper, E. Herskovits.  A Bayesian method for the induction of probabilistic
       networks from data.  Machine Learning 9, 1992.  doi:10.1007/BF00994110

    Examples
    --------
    >>> from shoal.parties import run_parties
    >>> from shoal.secure import FirstParty, SecondParty, TablePart
    >>> def fit(kind, codes):
    ...     part = TablePart(["rain", "wet"], [["no", "yes"], ["no", "yes"]], np.array(codes))
    ...     return lambda line: SecureBayesNet().fit(part, kind(line)).structure_
    >>> one, _ = run_parties(fit(FirstParty, [[0, 0], [1, 1]] * 4), fit(SecondParty, [[1, 1]] * 3))
    >>> one.to_dict()
    {'rain': [], 'wet': ['rain']}
    """

    order: Sequence[str] | None = None
    _: KW_ONLY
    max_parents: int = 2
    logarithm: Literal["chebyshev", "taylor", "fast", "strict"] = "chebyshev"
    terms: int = 4

    def fit(
        self,
        part: TablePart,
        party: Seat,
        *,
        done: Progress | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Self:
        """Find the structure together with the other party; see :meth:`SecureID3.fit`."""
        order = self._check(part)
        party.agree({**self.get_params(), "order": order}, "parameters")
        joint = open_table(part, party)
        scorer = self._scorer(party, joint)
        rounds, run = resume(party, done)
        while True:
            parents, active = self._state(order, rounds)
            if not active:
                break
            rounds.append(self._round(scorer, order, parents, active))
            party.confirm()
            if progress is not None:
                progress(reached(rounds, run, party))
        party.confirm()
        self.structure_ = NetworkStructure(list(part.names), parents)
        self.n_logarithms_ = scorer.n_logarithms
        return self

    def _scorer(self, seat: Seat, joint: SharedTable) -> NetScores:
        if isinstance(seat, Owner):
            return _HeardScorer(seat, joint)
        largest = self._largest(joint.part)
        if isinstance(seat, MPyCParty):
            logarithm = logarithm_for(self.logarithm, _most(joint, largest), self.terms)
            return MPyCNetScores(seat, joint, logarithm, scaled)
        scorer = _Scorer(party_of(seat), joint, self.logarithm, self.terms, largest)
        return _AnnouncedScorer(scorer, seat) if isinstance(seat, Helper) else scorer

    def _check(self, part: TablePart) -> list[int]:
        logarithm_for(self.logarithm, 1, self.terms)  # or an error
        if not isinstance(self.max_parents, Integral) or self.max_parents < 0:
            raise ParameterError(f"max_parents is at least 0, got {self.max_parents!r}.")
        if self._largest(part) > MAX_CELLS:
            raise ParameterError(
                f"max_parents={self.max_parents} makes tables of {self._largest(part)} cells, "
                f"over the limit of {MAX_CELLS}. Lower max_parents or merge values."
            )
        if self.order is None:
            return list(range(len(part.names)))
        if sorted(self.order) != sorted(part.names):
            raise ParameterError("order must name every column once.")
        return [part.column(name) for name in self.order]

    def _largest(self, part: TablePart) -> int:
        """Cells of the largest table that can come up."""
        return math.prod(sorted(part.arities)[-1 - int(self.max_parents) :])

    def _state(
        self, order: list[int], rounds: list[list[int]]
    ) -> tuple[list[list[int]], list[int]]:
        """Parents after these rounds, and the columns that may still gain one."""
        parents: list[list[int]] = [[] for _ in order]
        active = self._open(order, parents, order)
        for outcome in rounds:
            if len(outcome) != len(active):
                raise ProtocolError("a stored round does not fit the structure before it.")
            for column, choice in zip(active, outcome, strict=True):
                if choice == STOP:
                    continue
                if choice not in self._candidates(order, parents, column):
                    raise ProtocolError("a stored round names a parent that cannot be added.")
                parents[column].append(choice)
            going = [c for c, choice in zip(active, outcome, strict=True) if choice != STOP]
            active = self._open(order, parents, going)
        return parents, active

    def _open(self, order: list[int], parents: list[list[int]], columns: list[int]) -> list[int]:
        return [
            c
            for c in columns
            if len(parents[c]) < self.max_parents and self._candidates(order, parents, c)
        ]

    @staticmethod
    def _candidates(order: list[int], parents: list[list[int]], column: int) -> list[int]:
        before = order[: order.index(column)]
        return [c for c in before if c not in parents[column]]

    def _round(
        self,
        scorer: NetScores,
        order: list[int],
        parents: list[list[int]],
        active: list[int],
    ) -> list[int]:
        """Best addition for each active column, or STOP when none is better than what it has."""
        candidates = [self._candidates(order, parents, c) for c in active]
        # The first family of each column is what it has: index 0 means that nothing is better.
        families = [
            [(c, tuple(parents[c])), *((c, (*parents[c], new)) for new in choices)]
            for c, choices in zip(active, candidates, strict=True)
        ]
        return [
            choices[pick - 1] if pick else STOP
            for choices, pick in zip(candidates, scorer.picks(families), strict=True)
        ]


def _queries(families: Families) -> list[Query]:
    return [((*parents, child), {}) for child, parents in chain.from_iterable(families)]


class _HeardScorer:
    """An owner: it answers, and hears the picks."""

    n_logarithms = 0

    def __init__(self, owner: Owner, joint: SharedTable) -> None:
        self._owner, self._joint = owner, joint

    def picks(self, families: Families) -> list[int]:
        """Index of the best family of each column."""
        self._joint.counts(_queries(families))
        picks = hear_picks(self._owner, [len(row) for row in families])
        if any(pick >= len(row) for pick, row in zip(picks, families, strict=True)):
            raise ProtocolError("the helpers announce a parent that cannot be added.")
        return picks


class _AnnouncedScorer:
    """A helper: what it finds is told to all owners."""

    def __init__(self, scorer: "_Scorer", helper: Helper) -> None:
        self._scorer, self._helper = scorer, helper

    @property
    def n_logarithms(self) -> int:
        """Logarithms computed."""
        return self._scorer.n_logarithms

    def picks(self, families: Families) -> list[int]:
        """Index of the best family of each column."""
        picks = self._scorer.picks(families)
        self._helper.announce(picks, PARENTS)
        return picks


class _Scorer:
    """Shares of minus twice the K2 score, at the scale of the logarithm."""

    def __init__(
        self, party: Party, joint: SharedTable, kind: str, terms: int, largest: int
    ) -> None:
        self._joint, self.party = joint, party
        self._logarithm: Logarithm = logarithm_for(kind, _most(joint, largest), terms)
        self.ring = self._logarithm.ring
        self.n_logarithms = 0
        self._two_pi = scaled(self._logarithm, LN_2_PI)

    def picks(self, families: Families) -> list[int]:
        """Index of the best family of each column."""
        losses = self._losses(families)
        # One circuit for all: shorter rows are filled up with what is above every loss.
        width = max(map(len, losses))
        worst = self.ring.modulus // 2 - 1 if self.party.is_first else 0
        rows = [row + [worst] * (width - len(row)) for row in losses]
        picks = index_of_least(self.party, self.ring, rows).tolist()
        if any(pick >= len(row) for pick, row in zip(picks, losses, strict=True)):
            raise ProtocolError("the other party's circuit gave an impossible parent.")
        return picks

    def _losses(self, families: Families) -> list[list[int]]:
        """Shares of the loss of every family, all logarithms in one batch."""
        counts = self._joint.counts(_queries(families))
        tables = [table.reshape(-1, table.shape[-1]) for table in counts]
        counts = np.concatenate([self._arguments(table) for table in tables])
        self.n_logarithms += len(counts)
        factorials = self._factorials(counts)
        losses, start = [], 0
        for table in tables:
            sign = np.ones((len(table), table.shape[1] + 1), int)
            sign[:, 0] = -1  # the row's own count divides
            terms = factorials[start : start + sign.size]
            start += sign.size
            score = sum(s * t for s, t in zip(sign.ravel().tolist(), terms, strict=True))
            losses.append((self._constant(table) - score) % self.ring.modulus)
        ends = np.cumsum([0, *map(len, families)]).tolist()
        return [losses[i:j] for i, j in pairwise(ends)]

    def _arguments(self, table: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Counts whose factorials enter: per row N_j + r - 1, then each N_jk."""
        rows = table.sum(axis=1, dtype=np.uint32)
        if self.party.is_first:
            rows = rows + np.uint32(table.shape[1] - 1)
        return np.c_[rows, table].ravel()

    def _constant(self, table: NDArray[np.uint32]) -> int:
        """Minus twice the logarithm of (r - 1)! per row, added by one party."""
        if not self.party.is_first:
            return 0
        exact = Decimal(math.factorial(table.shape[1] - 1)).ln()
        return -2 * len(table) * scaled(self._logarithm, exact)

    def _factorials(self, counts: NDArray[np.uint32]) -> list[int]:
        """Shares of twice ln x! by Stirling: 2 x ln x + ln x - 2 x + ln 2 pi, and 0 for x = 0."""
        logs = self._logarithm.shares(self.party, counts)
        products = self._logarithm.x_log_x(self.party, logs)
        unit = 2 * scaled(self._logarithm, Decimal(1))
        parts = (products, logs.log, logs.x, logs.positive)
        return [
            2 * product + log - unit * x + self._two_pi * positive
            for product, log, x, positive in zip(*map(self.ring.integers, parts), strict=True)
        ]


def _most(joint: SharedTable, largest: int) -> int:
    """Largest number whose factorial can come up."""
    return max(joint.n_rows + max(joint.part.arities), largest)


def scaled(logarithm: Logarithm, value: Decimal) -> int:
    """Return a natural-logarithm amount at the scale of a logarithm, rounded."""
    with localcontext() as context:
        context.prec = 120
        return int((value * logarithm.exact_scale).to_integral_value())
