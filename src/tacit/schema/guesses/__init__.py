"""Guesses at what a table's columns are, from their names and values: what a draft of a schema is made of."""
