import pytest

from shoal.parties import memory_pair, run_parties
from shoal.secure import FirstParty, SecondParty


@pytest.fixture
def both():
    """Run a function at both ends of a session; each end gets its own arguments."""

    def run(function, first, second, settings=None, channels=None, timeout=60):
        ends = channels or memory_pair(timeout=timeout)
        return run_parties(
            lambda channel: function(FirstParty(channel, settings), *first),
            lambda channel: function(SecondParty(channel, settings), *second),
            channels=ends,
        )

    return run
