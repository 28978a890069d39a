"""Yang and Liu (1999): a re-examination of text categorization methods."""
