"""How fast stanoff is, beside the same by hand and beside other packages."""
