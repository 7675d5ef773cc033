import contextlib

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shoal.errors import ProtocolError
from shoal.parties._wire import decode, encode

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.binary(max_size=8)
)
messages = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(message=messages)
def test_messages_survive_the_journey(message):
    assert decode(encode(message)) == message


@pytest.mark.parametrize("dtype", ["bool", "u1", "u4", "u8", "i8", "f8", ">u4"])
def test_arrays_keep_type_and_shape(dtype):
    array = (np.arange(24) % 2).reshape(2, 3, 4).astype(dtype)
    back = decode(encode(array))
    np.testing.assert_array_equal(back, array)
    assert back.shape == array.shape
    assert back.dtype == np.dtype(dtype).newbyteorder("<")
    back[0] = 0  # writable: nothing is shared with the received buffer


@given(data=st.binary(max_size=60))
def test_garbage_is_a_protocol_error_and_nothing_else(data):
    with contextlib.suppress(ProtocolError):
        decode(data)


@given(message=messages, cut=st.integers(0, 200))
def test_a_shortened_message_is_an_error(message, cut):
    data = encode(message)
    if cut < len(data):
        with pytest.raises(ProtocolError):
            decode(data[:cut])


def test_an_announced_size_allocates_nothing():
    huge = (2**62).to_bytes(8, "little")
    for tag in (b"B", b"L", b"U", b"M", b"+"):
        with pytest.raises(ProtocolError):
            decode(tag + huge)
    with pytest.raises(ProtocolError):
        decode(b"A" + bytes([1, 2]) + huge + (0).to_bytes(8, "little") + huge)


@pytest.mark.parametrize("message", [object(), {1: 2}, np.array(["a"]), np.array([{}]), 1j])
def test_only_plain_values_travel(message):
    with pytest.raises(ProtocolError):
        encode(message)


def test_deep_nesting_is_refused_both_ways():
    message = 1
    for _ in range(40):
        message = [message]
    with pytest.raises(ProtocolError, match="deeper"):
        encode(message)
    with pytest.raises(ProtocolError, match="deeper"):
        decode((b"L" + (1).to_bytes(8, "little")) * 40 + b"N")
