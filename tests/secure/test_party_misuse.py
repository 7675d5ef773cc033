"""A peer that sends something else at any point of a run: an error in time, never a wrong model."""

import numpy as np
import pytest

from shoal.errors import ProtocolError
from shoal.parties import memory_pair, run_parties
from shoal.parties._channel import HEADER_SIZE
from shoal.parties._wire import decode
from shoal.secure import FirstParty, SecondParty, SecureBayesNet, SecureID3, Settings, TablePart


def parts(split):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (12, 3)).astype(np.int32)
    names, values = ["a", "b", "class"], [["x", "y"]] * 3
    if split == "rows":
        return [TablePart(names, values, codes[i::2], "rows") for i in (0, 1)]
    mine = np.broadcast_to([True, False, True], codes.shape)
    return [TablePart(names, values, np.where(m, codes, -1), "cells") for m in (mine, ~mine)]


def less(message):
    """The same kind of message, but smaller, shorter or of another type."""
    match message:
        case np.ndarray():
            return message[:-1] if message.ndim and len(message) else np.zeros(3)
        case dict():
            return dict(list(message.items())[:-1])
        case list() | bytes() | str():
            return message[:-1]
        case _:
            return None


MANGLE = {
    "less": less,
    "more": lambda message: [message, message],
    "none": lambda message: None,
}  # an odd number, so that each message of a repeating pattern meets all of them


class Mangling:
    """A channel whose n-th message is replaced."""

    def __init__(self, channel, number, how):
        self._channel, self._number, self._how, self.count = channel, number, how, 0

    def __getattr__(self, name):
        return getattr(self._channel, name)

    def send(self, message):
        self.count += 1
        self._channel.send(self._how(message) if self.count == self._number else message)


def run(model, split, settings, number, how, who):
    """Fit at both ends with one mangled message; what was raised, and how many were sent."""
    ends, mangling = memory_pair(timeout=60), []

    def half(kind, part, mangled):
        def start(channel):
            if mangled:
                channel = Mangling(channel, number, how)
                mangling.append(channel)
            model().fit(part, kind(channel, settings))

        return start

    one, two = parts(split)
    run_parties(half(FirstParty, one, who == 0), half(SecondParty, two, who == 1), channels=ends)
    return mangling[0].count


@pytest.mark.parametrize("who", [0, 1])
@pytest.mark.parametrize(
    ("model", "split"),
    [
        (lambda: SecureID3("class", max_depth=1, reveal_counts=True), "rows"),
        (lambda: SecureBayesNet(max_parents=1), "cells"),
    ],
    ids=["id3", "bayes-net"],
)
def test_any_replaced_message_is_an_error_in_time(model, split, who):
    total = run(model, split, None, -1, None, who)
    assert total > 5
    for number in range(1, total + 1):
        how = list(MANGLE.values())[number % len(MANGLE)]
        with pytest.raises(ProtocolError) as caught:
            run(model, split, None, number, how, who)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("who", [0, 1])
def test_any_replaced_message_of_a_paillier_run_is_an_error(who):
    settings = Settings(products="paillier", key_bits=2048)

    def model():
        return SecureID3("class", max_depth=1, logarithm="taylor", terms=2)

    total = run(model, "rows", settings, -1, None, who)
    for number in range(1, total + 1, 4):
        with pytest.raises(ProtocolError):
            run(model, "rows", settings, number, MANGLE["less"], who)


def test_what_is_sent_looks_the_same_whatever_the_data_is():
    """Byte histograms of the first party's large messages, for opposite tables with one tree."""
    names, values = ["a", "b", "class"], [["x", "y"]] * 3
    for fill in (0, 1):
        column = (np.arange(400) % 2).astype(np.int32)
        codes = np.stack([column, np.full(400, fill, np.int32), column], axis=1)
        part = [TablePart(names, values, codes[i : i + 200]) for i in (0, 200)]
        ends = memory_pair(record=True)
        run_parties(
            lambda line, part=part: SecureID3("class").fit(part[0], FirstParty(line)),
            lambda line, part=part: SecureID3("class").fit(part[1], SecondParty(line)),
            channels=ends,
        )
        sent = max((f for d, f in ends[0].transcript.frames if d == ">"), key=len)
        body = decode(sent[HEADER_SIZE:])["tables"].view(np.uint8).ravel()
        expected = len(body) / 256
        seen = np.bincount(body, minlength=256)
        assert expected > 30
        assert ((seen - expected) ** 2 / expected).sum() < 450  # 255 degrees: about 1e-12
