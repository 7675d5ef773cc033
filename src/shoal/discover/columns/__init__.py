"""What a column is: words of its name, forms of its values, how its values are spread."""
