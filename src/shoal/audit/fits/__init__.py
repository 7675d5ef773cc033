"""Linear models: whose numbers their coefficients are."""
