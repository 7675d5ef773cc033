import pytest

from shoal.errors import TableError
from shoal.report.release.facts._release_file import read_release


def test_an_address_is_told_what_to_give_instead_and_not_repeated():
    with pytest.raises(TableError, match=r"its manifest, 'made\.manifest\.json'") as caught:
        read_release("postgresql://ann:secret@localhost/house?table=made")
    assert "secret" not in str(caught.value)
