"""Sphinx configuration; pages that are made from the code are written again when the build begins."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generate

from hemlp import __version__

project = "hemlp"
author = "The hemlp developers"
copyright = "the hemlp developers"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "README.md"]
html_theme = "furo"
html_title = "hemlp"
html_static_path = html_css_files = ["page.css"]
html_search_scorer = str(Path(__file__).parent / "search.js")
templates_path: list[str] = []
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "undoc-members": False}
nitpicky = False
toc_object_entries = False
suppress_warnings = ["myst.xref_missing"]


def setup(app: object) -> None:
    """Write the generated pages before anything is read."""
    generate.write_pages(Path(__file__).parent)
