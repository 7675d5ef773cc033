"""Full-domain generalization: one level per column, searched on a lattice."""
