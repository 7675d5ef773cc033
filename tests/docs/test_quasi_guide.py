"""The Python blocks of the guide run, in order, as they stand."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "quasi.md"


def test_every_block_of_the_guide_runs(capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.S | re.M)
    assert len(blocks) >= 5
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), scope)
    assert "separation ratio at least 0.95" in capsys.readouterr().out
