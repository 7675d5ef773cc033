from shoal._threads import asked_threads, database_memory, memory_bytes, n_threads
from shoal.tables.engines._duck_connection import connect


def test_the_number_of_threads_is_what_was_asked_for(monkeypatch):
    monkeypatch.setenv("SHOAL_THREADS", "3")
    assert n_threads() == 3
    for nonsense in ("", "0", "-1", "many"):
        monkeypatch.setenv("SHOAL_THREADS", nonsense)
        assert asked_threads() is None
        assert 1 <= n_threads() <= 8


def test_the_memory_of_databases_is_what_was_asked_for(monkeypatch):
    monkeypatch.setenv("SHOAL_MEMORY", "500MB")
    assert database_memory() == "500MB"
    with connect() as connection:
        ((limit,),) = connection.sql("SELECT current_setting('memory_limit')").fetchall()
    assert limit.startswith("476")  # in MiB
    monkeypatch.setenv("SHOAL_THREADS", "2")
    for nonsense in ("", "much", "-1GB"):
        monkeypatch.setenv("SHOAL_MEMORY", nonsense)
        assert database_memory() == "2000MB"
    monkeypatch.setenv("SHOAL_THREADS", "64")
    assert database_memory() == "8192MB"


def test_memory_is_a_number_of_bytes(monkeypatch):
    for text, expected in (("500MB", 5e8), ("1.5 GB", 1.5e9), ("2GiB", 2e9), ("64 kb", 64_000)):
        monkeypatch.setenv("SHOAL_MEMORY", text)
        assert memory_bytes() == expected
