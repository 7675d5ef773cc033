"""Groups as boxes: open another box, fill it, close those that it empties, keep what loses less."""
