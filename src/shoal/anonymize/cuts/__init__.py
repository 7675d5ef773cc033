"""Cuts through hierarchies: which node each value is released as, what that costs, what fails.

The greedy methods walk from cut to cut, a node of the lattice is a cut, and clusters need the
hierarchies grown here: what several rooms import lies in a room below them, so that none of them
imports another.
"""
