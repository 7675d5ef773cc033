"""Labels as typed columns: intervals, midpoints, values drawn within them."""
