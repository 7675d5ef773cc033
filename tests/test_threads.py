from shoal._threads import asked_threads, n_threads


def test_the_number_of_threads_is_what_was_asked_for(monkeypatch):
    monkeypatch.setenv("SHOAL_THREADS", "3")
    assert n_threads() == 3
    for nonsense in ("", "0", "-1", "many"):
        monkeypatch.setenv("SHOAL_THREADS", nonsense)
        assert asked_threads() is None
        assert 1 <= n_threads() <= 8
