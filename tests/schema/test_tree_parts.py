import numpy as np
from hypothesis import given, strategies as st

from shoal.schema._tree_parts import cut_off


@given(above=st.lists(st.integers(0, 12), min_size=1, max_size=12))
def test_nodes_that_do_not_lead_to_the_root_are_found(above):
    root = len(above)
    parent = np.array([*(min(node, root) for node in above), -1])
    for node, lost in enumerate(cut_off(parent, root)[:root]):
        steps = [node]
        while steps[-1] != root and len(steps) <= root:
            steps.append(int(parent[steps[-1]]))
        assert lost == (steps[-1] != root)
