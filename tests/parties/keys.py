"""Keys of three parties, and how two of them name each other."""

import pytest

from shoal.parties import make_keys


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    return {name: make_keys(name, folder)[:2] for name in ("alice", "bob", "mallory")}


def options(keys, own, peer):
    key, certificate = keys[own]
    return {"key": key, "certificate": certificate, "peer": keys[peer][1]}
