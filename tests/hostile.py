"""Names that mean something in HTML, Markdown, LaTeX or a terminal, and renderers to see it."""

from markdown_it import MarkdownIt

HOSTILE = (
    '<script>alert("x")</script>',
    "a_b|c*%$ 50% & 'q' \\",
    "- [link](http://x.y) ![i](z)",
    "1. `code` ~~gone~~ ~ ^",
    "# {x} \\\\ \\input{y} &amp; &#60;",
    "😀👩‍👩‍👧 naïve Łódź Ångström",
    "שלום עולם",
    "مرحبا",
    "混淆矩阵",
    "www.example.org $$x$$ --- ''",
    "*",
    "[",
    "+",
    "===",
    "\u202egnp.exe",
)
RENDERERS = (
    MarkdownIt("commonmark").enable(["table", "strikethrough"]),
    MarkdownIt("commonmark", {"html": True}),
)
