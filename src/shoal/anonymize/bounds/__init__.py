"""What no grouping can do: lose less than a bound, protect some rows within the limits."""
