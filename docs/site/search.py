# SPDX-License-Identifier: Apache-2.0
"""Try the search of the finished site as readers do who open it from disk: in Chromium, if that is
installed."""
import html
import pathlib
import re
import shutil
import subprocess
import tempfile
import urllib.parse

# What is searched, and the page that the first result leads to.
QUERIES = {
    "TVMFFIObjectIncRef": "docs/reference/c/c_api.html",
    "tvm_ffi_args_read_tensor": "docs/reference/c/args.html",
    "TensorView": "docs/reference/cpp/tensors.html",
    # Members that Tensor and Map inherit from insides of the layer.
    "IsContiguous": "docs/reference/cpp/tensors.html",
    "at_expected": "docs/reference/cpp/containers.html",
    "ownership": "docs/ownership.html",
    "manylinux": "docs/reference/commands/check.html",
}


def find(chromium, folder, words):
    """The pages of the results, in their order."""
    address = (folder / "search.html").as_uri() + "?q=" + urllib.parse.quote(words)
    with tempfile.TemporaryDirectory() as profile:
        shown = subprocess.run([
            chromium, "--headless=new", "--no-sandbox", "--disable-gpu",
            f"--user-data-dir={profile}", "--virtual-time-budget=20000", "--dump-dom", address
        ], capture_output=True, text=True, check=False, timeout=120).stdout
    _, _, results = shown.partition('id="search-results"')
    return [
        html.unescape(link).partition("#")[0]
        for link in re.findall(r'<li[^>]*><a href="([^"]*)"', results)
    ]


def check(folder):
    """The problems of the search, and a line about what was tried."""
    chromium = (shutil.which("chromium") or shutil.which("chromium-browser")
                or shutil.which("google-chrome"))
    if not chromium:
        return [], "search not tried: Chromium is not installed"
    problems = []
    for words, page in QUERIES.items():
        found = find(chromium, pathlib.Path(folder).resolve(), words)
        if not found or found[0] != page:
            problems.append(
                f"search for {words}: {found[0] if found else 'nothing'} and not {page} comes first"
            )
    return problems, f"{len(QUERIES)} searches from disk"
