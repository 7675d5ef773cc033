import numpy as np
import pytest

from shoal.errors import ParameterError, ProtocolError
from shoal.parties import memory_pair, run_parties
from shoal.secure import FirstParty, SecondParty, SecureID3, Settings, TablePart
from shoal.secure.logarithm._logarithm import TaylorLogarithm
from shoal.secure.miners._argmin import index_of_least


def test_other_settings_stop_both_parties():
    def half(cls, settings):
        def run(channel):
            with pytest.raises(ProtocolError, match=r"other settings: key_bits, products\."):
                cls(channel, settings)
            return True

        return run

    one, two = Settings(), Settings(products="paillier", key_bits=2048)
    assert run_parties(half(FirstParty, one), half(SecondParty, two)) == (True, True)


def test_two_first_parties_are_refused():
    with pytest.raises(ProtocolError, match="same role"):
        run_parties(FirstParty, FirstParty)


@pytest.mark.parametrize("garbage", [None, 5, b"x", {"protocol": 2}, [1]])
def test_garbage_in_place_of_settings_is_an_error(garbage):
    with pytest.raises(ProtocolError):
        run_parties(FirstParty, lambda channel: channel.send(garbage))


LONG = pytest.param(2**20_000, id="long")


@pytest.mark.parametrize("odd", [np.zeros(2), [np.zeros(2)], np.array(1), LONG, True, {}])
@pytest.mark.parametrize("name", ["version", "products", "full_randomness", "role", "unknown"])
def test_a_setting_of_another_type_is_an_error_of_ours(name, odd):
    """An array is neither equal nor unequal; True is not 1; a long number has no short text."""

    def peer(channel):
        settings = {**channel.receive(), "role": "SecondParty", name: odd}
        channel.send(settings)

    with pytest.raises(ProtocolError) as caught:
        run_parties(FirstParty, peer)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("odd", [np.zeros(2), [1], None, "1", LONG, -1, 1.0, True])
def test_a_number_of_rows_of_another_type_is_an_error_of_ours(odd):
    part = TablePart(["a", "b"], [["x", "y"]] * 2, np.zeros((3, 2), int))

    def peer(channel):
        party = SecondParty(channel)
        party.agree(SecureID3("a").get_params(), "parameters")
        channel.send(channel.receive())  # the same names and values
        channel.receive()
        channel.send(odd)

    with pytest.raises(ProtocolError, match=r"number of rows|announces"):
        run_parties(lambda line: SecureID3("a").fit(part, FirstParty(line)), peer)


@pytest.mark.parametrize("options", [{"products": "semi2k"}, {"key_bits": 1024}])
def test_impossible_settings_are_refused(options):
    with pytest.raises(ParameterError):
        Settings(**options)


def test_a_silent_peer_is_a_time_limit_error():
    ends = memory_pair(timeout=0.1)
    with pytest.raises(ProtocolError, match="no message within"):
        FirstParty(ends[0])


def test_transcripts_for_different_inputs_have_the_same_shape(both):
    """Sizes, order and directions do not depend on the counts."""

    def half(party, counts):
        logarithm = TaylorLogarithm(10, 3)
        logarithm.x_log_x(party, logarithm.shares(party, counts))
        party.count_products(np.ones((2, 10), bool) * (counts[0] > 3))

    traces = set()
    for fill in (0, 1, 700):
        ends = memory_pair()
        counts = np.full(5, fill, np.uint32)
        both(half, (counts,), (counts // 3,), channels=ends)
        traces.add(ends[0].transcript.trace())
    # The hash changes only when the protocol does; then say so in the changelog.
    assert traces == {"35c522daa63e6238"}


def _traffic(both, function, first, second):
    """Bytes both ways and turns of the first party, without the set-up."""

    def half(party, *arguments):
        start = party.channel.transcript.to_dict()
        function(party, *arguments)
        end = party.channel.transcript.to_dict()
        return {name: end[name] - start[name] for name in end}

    one, _ = both(half, first, second)
    return one["bytes_sent"] + one["bytes_received"], one["messages_sent"]


def test_logarithms_cost_what_is_declared(both):
    """Two rounds for a whole batch, below 8,500 bytes per logarithm."""
    counts = np.arange(1, 201, dtype=np.uint32)
    logarithm = TaylorLogarithm(17, 3)
    size, messages = _traffic(
        both, lambda party, c: logarithm.shares(party, c), (counts,), (counts,)
    )
    assert messages == 2
    assert size < 200 * 8_500


def test_scalar_products_cost_twenty_bytes_a_row(both):
    bits = np.ones((1, 50_000), bool)
    size, messages = _traffic(both, lambda party, b: party.count_products(b), (bits,), (bits,))
    assert messages == 1
    assert size < 50_000 * 20 + 2000


def test_minindex_costs_one_batch(both):
    ring = TaylorLogarithm(17, 3).ring
    rows = [[5, 6, 7, 8]] * 10
    size, messages = _traffic(
        both, lambda party, r: index_of_least(party, ring, r), (rows,), (rows,)
    )
    assert messages == 1
    per_value = 32 * 3 * ring.bits + 48 * ring.bits  # gates, and labels of both parties
    assert size < 10 * 4 * per_value + 5000
