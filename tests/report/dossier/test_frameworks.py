import re
from pathlib import Path

import shoal
from shoal.report.dossier._frameworks import FRAMEWORKS


def test_every_answer_is_in_a_section_that_is_there():
    template = Path(shoal.__file__).parent / "report" / "templates" / "dossier.html"
    sections = set(re.findall(r'<section id="(\w+)"', template.read_text("utf-8")))
    places = {place for lines in FRAMEWORKS.values() for _, place, _ in lines}
    assert places <= sections
    assert len(FRAMEWORKS) == 5
