"""Reports: pages that open without a network."""
