"""Results on disk, and as an ArviZ DataTree."""
