"""Two text classifiers, five runs each, on posts that come in threads."""
