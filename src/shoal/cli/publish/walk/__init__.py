"""A schema decided column by column in the terminal, and the files that it is written to."""
