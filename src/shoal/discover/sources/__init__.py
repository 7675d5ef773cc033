"""Tables as searches for quasi-identifiers see them."""
