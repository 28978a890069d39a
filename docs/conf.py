"""How Sphinx shows the manual; ``build.py`` puts its pages together and calls it."""

from pathlib import Path

from stanoff import __version__

FIGURES = [
    *("posterior", "factor", "joint", "ropes", "priors", "mosaic", "forest", "trace"),
    *("scores", "matrix", "ranks"),
    *("roc", "roc_difference", "precision_recall", "reliability"),
    *("power", "plan"),
    *("calibration_ranks", "calibration_ecdf", "theme"),
]


def by_subject(file: str) -> tuple[int, str]:
    """Sort figures: two systems, contests, scores, plans, programs; new ones come last."""
    name = Path(file).stem.removeprefix("plot_")
    return FIGURES.index(name) if name in FIGURES else len(FIGURES), name


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
suppress_warnings = ["config.cache"]  # a function that sorts cannot be pickled
toc_object_entries_show_parents = "hide"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings have them, in words
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": ["scripts_tutorial", "scripts_gallery"],
    "gallery_dirs": ["tutorial", "gallery"],
    "within_subsection_order": by_subject,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10_000,
    "abort_on_example_error": True,
    "copyfile_regex": "",
    "notebook_extensions": set(),
    "ignore_repr_types": r"matplotlib\.|seaborn\.",
}

html_theme = "pydata_sphinx_theme"
html_title = "stanoff"
html_extra_path = ["extra"]
html_static_path = ["static"]
html_css_files = ["manual.css"]
html_context = {"default_mode": "auto"}
html_sidebars = {page: [] for page in ("index", "reports", "tutorial/plot_tutorial")}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "stanoff"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "header_links_before_dropdown": 8,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
    "footer_start": [],
    "footer_end": [],
}
