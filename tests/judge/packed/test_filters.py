from shoal.judge.packed._filters import hash_of, make_filter


def test_hashes_are_those_of_the_published_examples():
    """By the reference implementation of XXH64, without a seed."""
    assert hash_of(b"") == 0xEF46DB3751D8E999
    assert hash_of(b"a") == 0xD24EC4F1A98C6E5B
    assert hash_of(b"abc") == 0x44BC2CF5AD770999
    assert hash_of(b"Nobody inspects the spammish repetition") == 0xFBCEA83C8A378BF1


def test_a_filter_of_nothing_is_empty():
    assert make_filter([], 64) == bytes(64)
    assert make_filter([b"a"], 64) != make_filter([b"b"], 64)
