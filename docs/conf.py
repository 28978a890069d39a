"""How Sphinx shows the manual; ``build.py`` puts its pages together and calls it."""

from stanoff import __version__

project = "stanoff"
author = "the stanoff developers"
version = release = __version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["extra", "scripts_*", "**sg_execution_times*"]
highlight_language = "none"
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings have them, in words
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": ["scripts_tutorial", "scripts_gallery"],
    "gallery_dirs": ["tutorial", "gallery"],
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10_000,
    "abort_on_example_error": True,
    "copyfile_regex": "",
    "ignore_repr_types": r"matplotlib\.|seaborn\.",
}

html_theme = "pydata_sphinx_theme"
html_title = "stanoff"
html_extra_path = ["extra"]
html_static_path = ["static"]
html_css_files = ["manual.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "stanoff"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 6,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
    "footer_start": [],
    "footer_end": [],
}
