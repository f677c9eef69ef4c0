# SPDX-License-Identifier: Apache-2.0
"""The headings of Markdown pages as targets of links, on GitHub and on the site."""
import re

HEADING = re.compile(r"^(##+ )(.*)$", re.M)


def anchor(title):
    """The anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
