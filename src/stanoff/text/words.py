"""Names that are on their way out."""

from stanoff.text.numbers import percent as percent
from stanoff.text.sentences import describe_documents as documents
from stanoff.text.sentences import describe_score as what_is_judged

__all__ = ["documents", "percent", "what_is_judged"]
