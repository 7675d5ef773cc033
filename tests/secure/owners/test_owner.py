"""What owners answer and hear: the model of all rows, and nothing else."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.errors import ConnectionCutError, OwnerLostError, ProtocolError
from shoal.parties import memory_pair
from shoal.parties._channel import HEADER_SIZE
from shoal.parties._wire import DTYPES
from shoal.secure import Owner, SecureBayesNet, SecureID3, TablePart, Terms, run_owners
from shoal.secure.logarithm._fast_logarithm import logarithm_for
from shoal.secure.miners._progress import Progress
from shoal.secure.owners import _owner
from shoal.secure.owners._messages import digest_of
from tests.reference.id3 import id3, nested
from tests.reference.k2 import k2, sample_asia
from tests.reference.owners import run_seats, split_rows
from tests.reference.two_parties import table

ARRAY_OF_COUNTS = b"A" + bytes([DTYPES.index("<u4")])


@settings(deadline=None, max_examples=4)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(1, 60),
    arities=st.lists(st.integers(1, 4), min_size=2, max_size=4),
    owners=st.integers(2, 4),
)
def test_every_seat_learns_the_tree_of_the_pooled_table(seed, rows, arities, owners):
    codes = table(seed, rows, arities)
    parts = split_rows(codes, arities, owners, seed)
    learnt = run_owners(Terms(list(parts), most_rows=64), SecureID3("class", max_depth=2), parts)
    logarithm = logarithm_for("chebyshev", 64, 3)
    expected, _ = id3(codes, len(arities) - 1, arities, max_depth=2, log=logarithm.clear)
    assert [nested(model.tree_) for model in learnt.values()] == [expected] * (owners + 2)


def test_a_bayes_net_of_rows_at_three_owners():
    codes, arities = sample_asia(3000, seed=4), [2] * 8
    parts = split_rows(codes, arities, 3)
    learnt = run_owners(Terms(list(parts), most_rows=4000), SecureBayesNet(), parts)
    expected, margin = k2(codes, arities, list(range(8)), 2)
    assert margin > 0.5
    assert [model.structure_.parents for model in learnt.values()] == [expected] * 5


def test_owners_send_uniform_shares_and_hear_outcomes_only():
    arities = [2, 2]
    codes = np.array([[0, 0]] * 30 + [[1, 1]] * 20, np.int32)
    parts = split_rows(codes, arities, 2)
    seen = []

    def record(name, channels):
        if name == "first":
            for channel in channels[1:]:
                channel.transcript.frames = []
            seen.append(channels[1])
        return channels

    for _ in range(2):
        terms = Terms(list(parts), most_rows=60)
        run_seats(terms, lambda: SecureID3("class"), parts, wrap=record)
    # The same rows twice: no share of a count comes twice, so that a helper sees only noise.
    answers = [
        {
            body
            for way, frame in line.transcript.frames
            if way == "<" and (body := frame[HEADER_SIZE:])[:2] == ARRAY_OF_COUNTS
        }
        for line in seen
    ]
    assert all(answers)
    assert not answers[0] & answers[1]


def test_the_ledger_says_what_was_revealed_to_whom():
    arities = [2, 2, 2]
    parts = split_rows(table(1, 40, arities), arities, 3)
    terms = Terms(list(parts), most_rows=50)
    _, seats = run_seats(terms, lambda: SecureID3("class", max_depth=1), parts)
    owner, helper = seats["owner0"].ledger, seats["first"].ledger
    assert "each helper: uniform shares of this owner's counts" in owner.to_text()
    shared = [e for e in helper.entries if "both helpers and all owners" in e["to"]]
    assert [e for e in owner.entries if "both" in e["to"]] == shared
    assert [e["values"] for e in shared] == [1, 1, 1, 2]  # bound; root, its attribute; two leaves
    assert seats["owner0"].traffic["bytes_sent"] > 0


def test_helpers_that_tell_an_owner_different_things_get_no_more_answers():
    terms = Terms(["a", "b"], most_rows=5)
    pairs = [memory_pair(timeout=60) for _ in range(2)]
    for (_, there), byte in zip(pairs, (b"x", b"y"), strict=True):
        there.send({"lost": 0, "told": [byte * 32]})
    with pytest.raises(ProtocolError, match="different things"):
        Owner(pairs[0][0], pairs[1][0], terms)
    same = [memory_pair(timeout=60) for _ in range(2)]
    for _, there in same:
        there.send({"lost": 0, "told": [b"x" * 32]})
    with pytest.raises(ProtocolError, match="other terms"):
        Owner(same[0][0], same[1][0], terms)


def test_when_an_answer_leaves_does_not_tell_how_long_counting_took(monkeypatch):
    """It left when it was counted: after 1 ms from 1,000 rows, after 100 ms from 100,000."""
    clock = SimpleNamespace(now=0.0)
    clock.monotonic = lambda: clock.now
    clock.sleep = lambda seconds: setattr(clock, "now", clock.now + seconds)
    monkeypatch.setattr(_owner, "time", clock)
    terms, left = Terms(["a", "b"], most_rows=10**6), []
    for counting in (0.0, 0.001, 0.12, 0.13, 0.2, 0.6):
        pairs = [memory_pair(timeout=60) for _ in range(2)]
        digest = digest_of(terms.to_dict())
        for _, there in pairs:
            there.send({"lost": 0, "told": [digest]})
            there.send({"lost": 0, "told": [[1]]})
        owner = Owner(pairs[0][0], pairs[1][0], terms)
        clock.now += 7  # others may take long, which is none of this owner's doing
        owner.hear(1, 0, 2, "a bit")
        before = clock.now
        clock.now += counting
        owner.answer(np.array([3], np.uint32))
        left.append(round(clock.now - before, 9))
    assert left == [0.125, 0.125, 0.125, 0.25, 0.25, 1.0]


def test_a_cut_run_goes_on_from_what_all_have_stored():
    arities = [3, 3, 2, 2]
    codes = table(3, 80, arities)
    parts = split_rows(codes, arities, 3)
    terms = Terms(list(parts), most_rows=100)
    stored = {}
    seats = ["first", "second", *parts]
    progress = {n: (lambda p, n=n: stored.setdefault(n, []).append(p)) for n in seats}
    whole, _ = run_seats(terms, lambda: SecureID3("class"), parts, progress=progress)
    assert {len(p) for p in stored.values()} == {len(stored["first"])}
    assert len(stored["first"]) >= 3
    assert len({p[-1].run for p in stored.values()}) == 1
    # One owner has a round less than the others: all go on from there.
    levels = {n: p[-1] for n, p in stored.items()}
    levels["owner1"] = levels["owner1"].__class__(levels["owner1"].rounds[:1], levels["owner1"].run)
    counted = []
    again, _ = run_seats(
        terms,
        lambda: SecureID3("class"),
        parts,
        done=levels,
        progress={"first": lambda p: counted.append(len(p.rounds))},
    )
    assert [nested(m.tree_) for m in again.values()] == [nested(whole["first"].tree_)] * 5
    assert counted[0] == 2
    # An owner without a record makes all start anew.
    counted.clear()
    del levels["owner2"]
    run_seats(
        terms,
        lambda: SecureID3("class"),
        parts,
        done=levels,
        progress={"first": lambda p: counted.append(len(p.rounds))},
    )
    assert counted[0] == 1


def test_a_cut_run_does_not_ask_again_without_an_owner_that_took_part():
    """Of the two trees that came out the difference told what the lost owner has in a group."""
    names, values = ["a", "b", "class"], [["x", "y"]] * 3
    others = [[0, 0, 0], [0, 1, 0]] * 6 + [[1, 0, 1], [1, 1, 1]] * 6
    rows = {"one": others, "two": others, "north": [*others, [0, 1, 1]]}
    parts = {name: TablePart(names, values, np.array(codes)) for name, codes in rows.items()}
    terms = Terms(list(parts), most_rows=200, loss="continue")
    stored = {}
    progress = {n: partial(stored.__setitem__, n) for n in ("first", "second", *parts)}
    run_seats(terms, lambda: SecureID3("class"), parts, progress=progress)
    run = stored["first"].run
    for helper in ("first", "second"):  # cut before the helpers had kept the second level
        stored[helper] = Progress(stored[helper].rounds[:1], run)

    def go_on():
        def wrap(name, channels):
            if name == "north":
                for channel in channels:
                    channel.close()
            return channels

        model = partial(SecureID3, "class")
        return run_seats(terms, model, parts, done=stored, wrap=wrap, timeout=10)[0]

    for name, error in go_on().items():
        assert isinstance(error, ConnectionCutError if name == "north" else OwnerLostError)
        assert name == "north" or "took part before the run was cut" in str(error)
    for helper in ("first", "second"):  # it was lost in the first level, and was not asked since
        stored[helper] = Progress(stored[helper].rounds, run, lost=("north",))
    for name in ("one", "two"):
        stored[name] = Progress(stored[name].rounds[:1], run, lost=("north",))
    assert all(hasattr(model, "tree_") for name, model in go_on().items() if name != "north")
