# SPDX-License-Identifier: Apache-2.0
"""The site's configuration for Sphinx. The folder of sources is the root of the repository;
tools/docs sets variables."""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import anchors  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = os.environ["TVM_FFI_DOCS_WORK"]

project = "tvm-ffi"
author = "the authors of tvm-ffi"
copyright = author
_header = (ROOT / "include/tvm/ffi/c_api.h").read_text(encoding="utf-8")
version = release = ".".join(
    re.search(rf"TVM_FFI_VERSION_{part} (\d+)", _header)[1] for part in ("MAJOR", "MINOR", "PATCH"))

extensions = ["breathe", "myst_parser", "repository", "sphinx_copybutton"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "samples/**README.md", "demos/**README.md"]
exclude_patterns = [
    "build*", ".git", "c", "cmake", "cpp", "include", "packaging", "subprojects", "tests", "tools",
    "docs/reference/examples.md"
]  # parts of other pages
nitpicky = True
# Names in declarations: types of C, DLPack, CUDA, HIP and OpenCL have no page here, nor have
# internal ones, unnamed members have no name, and in templates of C++ Sphinx looks for many that
# are none. Names in texts are checked.
nitpick_ignore_regex = [
    ("c:identifier", r"DL\w+|FILE|u?int\d*_t|u?intptr_t|size_t|va_list|fenv_t|bool|cu\w+|CU\w+|"
                     r"hip\w+|cl_\w+|tvm_ffi_detail_\w+|.*\.@\d+"),
    ("cpp:.*", ".*")
]
# Without their namespaces, constants of two namespaces may have one name.
suppress_warnings = ["duplicate_declaration.cpp"]

source_suffix = {".md": "markdown"}
smartquotes = False  # it makes one dash of the two of an option
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 6
myst_heading_slug_func = "anchors.anchor"

breathe_projects = {name: f"{WORK}/{name}/xml" for name in ("c", "cpp")}
breathe_default_project = "c"
breathe_domain_by_file_pattern = {
    pattern: "c" for pattern in ("*/ffi/c/*.h", "*/ffi/c_api.h", "*/extra/c_*_api.h")
}
breathe_show_include = False
breathe_order_parameters_first = True

toc_object_entries_show_parents = "hide"

highlight_language = "none"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
templates_path = ["templates"]
# Of a block with commands and what they print, the button copies the commands.
copybutton_prompt_text = "$ "
html_theme = "furo"
html_title = f"tvm-ffi {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
# A page opened from disk must not fetch others, so that the results of a search are titles alone.
html_show_search_summary = False
html_theme_options = {"navigation_with_keys": False}
