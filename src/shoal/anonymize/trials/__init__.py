"""Methods tried on a part of a table before one is chosen, and how long they would take."""
