"""Four search systems on 20newsgroups, topic by topic."""
