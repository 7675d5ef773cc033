import random
import warnings

import pytest

from shoal.tables import open_table

ENDS = [["\n", "\r\n"], ["\n", "\r"], ["\r", "\r\n"], ["\n", "\r", "\r\n"], ["\r\n"] * 9 + ["\n"]]


@pytest.mark.parametrize("titles", [0, 1, 2])
@pytest.mark.parametrize("ends", ENDS)
def test_no_row_is_lost_however_lines_end(tmp_path, ends, titles):
    """DuckDB takes one end of lines for all of a file, within quotes too."""
    draw = random.Random(titles)
    for turn in range(3):
        rows = [("P", "30", draw.choice(["Ulm", f"Bad{draw.choice(ends)}Ems"])) for _ in range(20)]
        lines = ["a title"] * titles + ["name,age,city"]
        lines += [f'{name},{age},"{city}"' for name, age, city in rows]
        path = tmp_path / f"{turn}.csv"
        path.write_bytes("".join(line + draw.choice(ends) for line in lines).encode())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = open_table(path)
        found = table.query("SELECT city FROM source").fetchall()
        assert sorted(city for (city,) in found) == sorted(city for _, _, city in rows)
