"""What every folder needs: readers of arguments, escaping, files, progress."""
