"""The Python blocks of the pages on mining across sites run, in order, as they stand."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["docs/guide/sites.md", "docs/tutorials/lung.md"]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_runs(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.S | re.M)
    assert len(blocks) >= 3
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), scope)
