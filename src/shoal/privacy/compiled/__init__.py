"""Conditions of privacy models as kernels over sparse and dense counts."""
