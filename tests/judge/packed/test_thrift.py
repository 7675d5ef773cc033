import pytest

from shoal.judge.packed._thrift import RecordReader


def test_records_within_records_and_lists_are_read():
    # field 1: a list of two records, field 2: true, field 5: -3
    data = bytes([0x19, 0x2C, 0x15, 0x02, 0x00, 0x15, 0x04, 0x00, 0x11, 0x35, 0x05, 0x00])
    reader = RecordReader(data, 0)
    assert reader.record() == {1: [{1: 1}, {1: 2}], 2: True, 5: -3}
    assert reader.at == len(data)


def test_a_record_that_is_cut_short_is_an_error():
    with pytest.raises((ValueError, IndexError)):
        RecordReader(bytes([0x18, 0x09, 0x68]), 0).record()
