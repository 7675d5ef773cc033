import json

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


def test_what_this_users_studio_did_not_keep_is_nothing(tmp_path, monkeypatch):
    remember(tmp_path, "history", {"judge": [{"problems": []}]})
    kept = json.loads((tmp_path / "history.json").read_text())
    secret = tmp_path / "config" / "shoal" / "studio.key"
    for written in (kept["data"], {**kept, "seal": ""}, {**kept, "seal": ["\u00e9"]},
                    {**kept, "data": {"judge": []}}, [], 7, {"seal": kept["seal"]}):  # fmt: skip
        (tmp_path / "history.json").write_text(json.dumps(written))
        assert recall(tmp_path, "history") == {}
    (tmp_path / "other.json").write_text(json.dumps(kept))  # kept under another name
    (tmp_path / "history.json").write_text(json.dumps(kept))
    assert recall(tmp_path, "other") == {}
    assert recall(tmp_path, "history") == kept["data"]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert recall(tmp_path, "history") == {}
    assert secret.stat().st_mode & 0o077 == 0
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "history.json"))  # no folder: forgotten
    remember(tmp_path, "place", {"screen": "sign"})
    assert recall(tmp_path, "place") == {"screen": "sign"}
