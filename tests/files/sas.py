"""Writes `.sas7bdat` files: ReadStat can, though pyreadstat, which carries it, does not say so."""

import ctypes
import datetime as dt
import glob
import os

EPOCH = dt.date(1960, 1, 1)
TEXT, NUMBER = 0, 5
WRITE = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
POINTERS = ("readstat_writer_init", "readstat_add_variable")
DONE = 0


def library():
    """ReadStat as pyreadstat carries it."""
    import pyreadstat

    name = "_readstat_writer*"
    for path in glob.glob(os.path.join(os.path.dirname(pyreadstat.__file__), name)):
        try:
            found = ctypes.CDLL(path)
            found.readstat_begin_writing_sas7bdat  # noqa: B018  looked for
        except (OSError, AttributeError):
            continue
        for function in POINTERS:
            getattr(found, function).restype = ctypes.c_void_p
        return found
    raise AssertionError("pyreadstat no longer shows ReadStat: find another writer of .sas7bdat")


def write_sas(found, path, rows):
    """Write rows of texts, numbers and dates as SAS would."""
    content = bytearray()

    @WRITE
    def keep(data, length, _):
        content.extend(ctypes.string_at(data, length))
        return length

    def call(name, *given):
        assert getattr(found, name)(*given) == DONE, name

    writer = ctypes.c_void_p(found.readstat_writer_init())
    call("readstat_set_data_writer", writer, keep)
    columns = {}
    for name in rows[0]:
        values = [row[name] for row in rows if row[name] is not None]
        is_text = isinstance(values[0], str)
        width = max(len(value.encode()) for value in values) if is_text else 8
        columns[name] = ctypes.c_void_p(
            found.readstat_add_variable(
                writer, name.encode(), TEXT if is_text else NUMBER, ctypes.c_size_t(width)
            )
        )
        if isinstance(values[0], dt.date):
            found.readstat_variable_set_format(columns[name], b"YYMMDD10")
    call("readstat_begin_writing_sas7bdat", writer, None, ctypes.c_long(len(rows)))
    for row in rows:
        call("readstat_begin_row", writer)
        for name, column in columns.items():
            insert(call, writer, column, row[name])
        call("readstat_end_row", writer)
    call("readstat_end_writing", writer)
    found.readstat_writer_free(writer)
    path.write_bytes(bytes(content))


def insert(call, writer, column, value):
    if value is None:
        call("readstat_insert_missing_value", writer, column)
    elif isinstance(value, str):
        call("readstat_insert_string_value", writer, column, value.encode())
    else:
        number = (value - EPOCH).days if isinstance(value, dt.date) else value
        call("readstat_insert_double_value", writer, column, ctypes.c_double(number))
