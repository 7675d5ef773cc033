"""Sets of columns that cover pairs of rows: greedy, exact, and bounds."""
