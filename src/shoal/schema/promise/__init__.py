"""What a schema asks of some of its quasi-identifiers, as plain values."""
