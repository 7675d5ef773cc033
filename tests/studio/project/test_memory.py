from shoal.studio.project._memory import recall, remember


def test_what_was_kept_is_recalled_and_damage_is_nothing(tmp_path):
    assert recall(tmp_path, "x") == {}
    remember(tmp_path, "x", {"a": [1]})
    assert recall(tmp_path, "x") == {"a": [1]}
    assert (tmp_path / "x.json").stat().st_mode & 0o077 == 0
    for damaged in ("{", "[1]", ""):
        (tmp_path / "x.json").write_text(damaged)
        assert recall(tmp_path, "x") == {}
    remember(tmp_path / "gone", "x", {})  # nowhere to write: nothing happens
