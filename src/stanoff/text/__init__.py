"""Results in words and tables: for a terminal, a script, a document."""
