"""How files of text are written: bytes, lines, signs between cells, and what the cells are."""
