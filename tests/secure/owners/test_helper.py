"""Owners who are lost, late or wrong: the run stops, or goes on without them and says so."""

import contextlib
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np
import pytest

from shoal.errors import OwnerLostError, ParameterError, ProtocolError, ShoalError
from shoal.parties import run_parties
from shoal.secure import (
    FirstParty,
    Helper,
    SecondParty,
    SecureBayesNet,
    SecureID3,
    TablePart,
    Terms,
)
from tests.reference.id3 import nested
from tests.reference.owners import run_seats, split_rows
from tests.reference.two_parties import table

ARITIES = [3, 2, 2]
CODES = table(5, 60, ARITIES)
PARTS = split_rows(CODES, ARITIES, 4)


class Failing:
    """An owner's line that fails at its n-th message."""

    def __init__(self, channel, number, how):
        self._channel, self._number, self._how, self._count = channel, number, how, 0

    def __getattr__(self, name):
        return getattr(self._channel, name)

    def __setattr__(self, name, value):
        if name == "timeout":
            self._channel.timeout = value
        super().__setattr__(name, value)

    def send(self, message):
        self._count += 1
        if self._count < self._number:
            return self._channel.send(message)
        if self._how == "cut":
            self._channel.close()
            raise ProtocolError("killed")
        if self._how == "late":  # it answers when the helpers have gone on without it
            with contextlib.suppress(ProtocolError):
                while True:
                    self._channel.receive()
        if self._how == "noise" and isinstance(message, np.ndarray):
            message = np.random.default_rng(1).integers(0, 2**32, len(message), dtype=np.uint32)
        if self._how == "shape" and isinstance(message, np.ndarray):
            message = np.zeros(3)
        return self._channel.send(message)


def lose(number, how, whom="owner2", lines=(0, 1)):
    def wrap(name, channels):
        if name != whom:
            return channels
        return [
            Failing(line, number, how) if rank in lines else line
            for rank, line in enumerate(channels)
        ]

    return wrap


def fit():
    return SecureID3("class", max_depth=2)


def without(name):
    left = {n: part for n, part in PARTS.items() if n != name}
    results, _ = run_seats(Terms(list(left), most_rows=64), fit, left)
    return nested(results["first"].tree_)


@pytest.mark.parametrize(("number", "lines"), [(1, (0, 1)), (9, (1,)), (13, (0, 1)), (13, (1,))])
def test_a_killed_owner_stops_the_run_where_that_was_agreed(number, lines):
    terms = Terms(list(PARTS), most_rows=64)
    results, _ = run_seats(terms, fit, PARTS, wrap=lose(number, "cut", lines=lines))
    assert all(isinstance(result, ProtocolError) for result in results.values())
    assert isinstance(results["first"], OwnerLostError)
    assert results["first"].owners == ["owner2"]
    told = [results[name] for name in PARTS if name != "owner2"]
    assert all("lost on the way: owner2" in str(error) for error in told)


@pytest.mark.parametrize(("how", "number"), [("cut", 1), ("cut", 12), ("late", 7), ("shape", 11)])
def test_the_run_goes_on_without_an_owner_where_that_was_agreed(how, number):
    seconds = 6.0 if how == "late" else 60.0
    terms = Terms(list(PARTS), most_rows=64, loss="continue", answer_seconds=seconds)
    results, seats = run_seats(terms, fit, PARTS, wrap=lose(number, how))
    assert isinstance(results.pop("owner2"), ProtocolError)
    assert {name: nested(model.tree_) for name, model in results.items()} == dict.fromkeys(
        results,
        without("owner2"),  # it was lost before the first level was decided
    )
    assert all(seats[name].lost == ["owner2"] for name in results)
    assert "these owners are lost: owner2" in seats["first"].ledger.to_text()


def test_too_few_owners_are_an_error_even_so():
    terms = Terms(list(PARTS), most_rows=64, loss="continue", least_owners=4)
    results, _ = run_seats(terms, fit, PARTS, wrap=lose(7, "cut"))
    assert isinstance(results["second"], OwnerLostError)
    assert "Fewer owners" in str(results["second"])


@pytest.mark.parametrize("lines", [(0, 1), (0,)])
def test_answers_that_are_no_counts_are_refused_inside_the_protocol(lines):
    wrap = lose(11, "noise", lines=lines)
    terms = Terms(list(PARTS), most_rows=64, loss="continue")
    results, seats = run_seats(terms, fit, PARTS, wrap=wrap)
    assert seats["first"].lost == ["owner2"]
    assert nested(results["first"].tree_) == nested(results["owner0"].tree_)
    results, _ = run_seats(Terms(list(PARTS), most_rows=64), fit, PARTS, wrap=wrap)
    assert isinstance(results["first"], OwnerLostError)


@dataclass(frozen=True)
class TwoFaced(TablePart):
    """An owner's part that tells of other rows from its n-th question on, as many as before."""

    asked: list = field(default_factory=list)
    honest: int = 0

    def tabulate(self, columns, fixed, rows=None):
        self.asked.append(columns)
        if len(self.asked) <= self.honest:
            return super().tabulate(columns, fixed, rows)
        return replace(self, codes=1 - self.codes.clip(0, 1), honest=10**6).tabulate(columns, fixed)


@pytest.mark.parametrize("model", [fit, lambda: SecureBayesNet(max_parents=2)])
def test_an_owner_that_tells_of_other_rows_later_is_refused(model):
    part = PARTS["owner2"]
    counted = TwoFaced(part.names, part.values, part.codes, honest=10**6)
    run_seats(Terms(list(PARTS), most_rows=64), model, {**PARTS, "owner2": counted})
    questions = len(counted.asked)
    for honest in {0, 1, questions // 3, 2 * questions // 3, questions - 1}:
        lying = TwoFaced(part.names, part.values, part.codes, honest=honest)
        terms = Terms(list(PARTS), most_rows=64, loss="continue")
        _, seats = run_seats(terms, model, {**PARTS, "owner2": lying})
        assert seats["first"].lost == (["owner2"] if honest else []), honest


class OtherNumber(Failing):
    """An owner's line to one helper, on which its number of rows is another one."""

    def send(self, message):
        if isinstance(message, np.ndarray) and message.size == 1:
            message = message + np.uint32(self._number % 2**32)
        return self._channel.send(message)


@pytest.mark.parametrize("more", [-20, 1, 40])
def test_a_number_of_rows_that_the_tables_do_not_have_is_refused(more):
    """Else an owner could move the bound on all rows, or pass for people who are missing to k."""

    def wrap(name, channels):
        first, *others = channels
        return [OtherNumber(first, more, "") if name == "owner1" else first, *others]

    for model in (fit, lambda: SecureID3("class", k=3)):
        terms = Terms(list(PARTS), most_rows=127, loss="continue")
        results, seats = run_seats(terms, model, PARTS, wrap=wrap)
        assert seats["first"].lost == ["owner1"]
        assert nested(results["first"].tree_) == nested(results["owner0"].tree_)


def test_more_rows_than_agreed_are_an_error_everywhere():
    for bound in (59, 8):
        results, _ = run_seats(Terms(list(PARTS), most_rows=bound), fit, PARTS)
        assert any(isinstance(result, ParameterError) for result in results.values())
        assert all(isinstance(result, ShoalError) for result in results.values())


def test_other_parameters_at_an_owner_are_named():
    models = iter([fit(), fit(), SecureID3("class", max_depth=1), fit(), fit(), fit()])
    terms = Terms(list(PARTS), most_rows=64)
    results, _ = run_seats(terms, lambda: next(models), PARTS)
    assert all(isinstance(result, ProtocolError) for result in results.values())
    assert any("other parameters" in str(result) for result in results.values())


def test_lines_to_strangers_are_refused():
    terms = Terms(["north", "south"], most_rows=9)

    def stranger(kind):
        return lambda line: Helper(kind(line), {"east": line}, terms)

    with pytest.raises(ParameterError, match="do not name"):
        run_parties(stranger(FirstParty), stranger(SecondParty))


class Changing(Failing):
    """An owner's line on which a share is changed by one: in range, and told from no other."""

    def send(self, message):
        self._count += 1
        if self._count != self._number:
            return self._channel.send(message)
        self._channel.transcript.sent(b"", b"")
        changed = message.copy()
        changed[0] += np.uint32(1)
        sent, self._channel.transcript._sent = self._channel.transcript._sent, sha256()
        self._channel.send(changed)
        self._channel.transcript._sent = sent
        return None


@pytest.mark.parametrize("line", [0, 1])
def test_an_answer_that_is_changed_on_its_way_is_no_answer(line):
    def wrap(name, channels):
        return [
            Changing(c, 11, "one more") if name == "owner1" and i == line else c
            for i, c in enumerate(channels)
        ]

    terms = Terms(list(PARTS), most_rows=64, loss="continue")
    results, seats = run_seats(terms, fit, PARTS, wrap=wrap)
    assert seats["first"].lost == ["owner1"]
    assert nested(results["first"].tree_) == without("owner1")
