# SPDX-License-Identifier: Apache-2.0
"""Checks of the finished site, as a browser sees it.

- Links lead to a file of the site, and to an element there if they name one. Those to other sites
  are only listed.
- Each page has a title, one first heading, and no heading that skips a level. Pictures have a text,
  links and buttons have a name, and no two elements the same one.
- The colours of text in both themes have the contrast that WCAG 2 asks for (level AA, 4.5 to 1).
"""
import html.parser
import os
import pathlib
import re
import urllib.parse

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Without a text of its own, a heading or link may have these.
NAMES = ("aria-label", "title", "alt")


class Page(html.parser.HTMLParser):
    """What the checks need to know of one page."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.ids, self.links, self.headings, self.problems, self.title = set(), [], [], [], ""
        self.open, self.language = [], None
        self.feed(path.read_text(encoding="utf-8"))
        self.check_headings()

    def check_headings(self):
        levels = [level for level, _ in self.headings]
        if levels.count(1) != 1:
            self.problems.append(f"{levels.count(1)} headings of the first level")
        for before, (level, text) in zip([0] + levels, self.headings):
            if level > before + 1:
                self.problems.append(
                    f"heading of level {level} after one of level {before}: {text}")
        if not self.title.strip():
            self.problems.append("no title")
        if not self.language:
            self.problems.append("no language")

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            if values["id"] in self.ids:
                self.problems.append(f"two elements are called {values['id']}")
            self.ids.add(values["id"])
        for name in ("href", "src"):
            if values.get(name) and tag != "use":
                self.links.append(values[name])
        if tag == "html":
            self.language = values.get("lang")
        if tag == "img":
            if not values.get("alt"):
                self.problems.append(f"a picture without a text: {values.get('src')}")
            self.name_all(values.get("alt") or "")
        if tag in HEADINGS + ("a", "button", "title"):
            self.open.append(
                [tag, " ".join(filter(None, map(values.get, NAMES))), "href" in values])
        elif any(values.get(name) for name in NAMES):
            self.name_all(" ".join(filter(None, map(values.get, NAMES))))

    def name_all(self, text):
        for entry in self.open:
            entry[1] += text

    def handle_data(self, data):
        self.name_all(data)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            return
        _, text, is_link = self.open.pop()
        if tag in HEADINGS:
            self.headings.append((int(tag[1]), text.strip()))
        elif tag == "title":
            self.title += text
        if not text.strip() and (tag != "a" or is_link):
            self.problems.append(f"a <{tag}> without a name")


def check_links(pages, folder):
    """The problems of the links between pages, the links to other sites, and the number of the
    first."""
    problems, external, count = [], set(), 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https", "mailto"):
                external.add(link)
                continue
            if parts.scheme == "data":
                continue
            count += 1
            target = (path if not parts.path else pathlib.Path(
                os.path.normpath(path.parent / urllib.parse.unquote(parts.path))))
            anchor = urllib.parse.unquote(parts.fragment)
            if parts.path.startswith("/") or not target.is_file():
                problems.append(f"{path.relative_to(folder)}: leads nowhere: {link}")
            elif anchor and target in pages and anchor not in pages[target].ids:
                problems.append(f"{path.relative_to(folder)}: no such place: {link}")
    return problems, sorted(external), count


def luminance(color):
    """The relative luminance of #rrggbb, as WCAG 2 defines it."""
    if len(color) == 4:
        color = "#" + "".join(2 * digit for digit in color[1:])
    channels = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


# The variables of the theme for text, and for what is behind it.
TEXTS = ("foreground-primary", "foreground-secondary", "brand-primary", "brand-content", "api-name",
         "api-pre-name")
BACKGROUNDS = ("background-primary", "background-secondary")


def check_colors(folder):
    """Compare the colours that the theme's variables have, and those of highlighted code."""
    problems = []
    style = (folder / "_static/styles/furo.css").read_text(encoding="utf-8")
    ours = "".join(
        path.read_text(encoding="utf-8") for path in (folder / "_static").glob("site.css"))
    light = dict(
        re.findall(
            r"--color-([\w-]+):\s*([^;}]+)",
            style.split("@media(prefers-color-scheme:dark)")[0].split("body[data-theme=dark]")[0]))
    dark = {
        **light, **dict(
            re.findall(r"--color-([\w-]+):\s*([^;}]+)",
                       re.search(r"body\[data-theme=dark\]\{([^}]*)\}", style)[1]))
    }
    code = (folder / "_static/pygments.css").read_text(encoding="utf-8")
    for name, colors, block, prefix in (("light", light, r"body\{([^}]*)\}", ".highlight"),
                                        ("dark", dark, r"body\[data-theme=dark\]\{([^}]*)\}",
                                         "body[data-theme=\"dark\"] .highlight")):
        for rule in re.findall(block, re.sub(r"\s*([{}:;])\s*", r"\1", ours.replace('"', ""))):
            colors.update(re.findall(r"--color-([\w-]+):([^;}]+)", rule))

        def value(variable, colors=colors):
            text = colors[variable]
            while match := re.match(r"var\(--color-([\w-]+)\)", text):
                text = colors[match[1]]
            return text
        for text in TEXTS:
            for background in BACKGROUNDS:
                ratio = contrast(value(text), value(background))
                if ratio < 4.5:
                    problems.append(f"{name}: {text} on {background}: contrast {ratio:.2f}")
        base = re.search(rf"^{re.escape(prefix)} \{{[^}}]*background:\s*(#\w+)", code, re.M)[1]
        for rule, color in re.findall(
                rf"^{re.escape(prefix)} (\.\w+) \{{[^}}]*?(?<![-\w])color:\s*(#\w+)", code, re.M):
            if contrast(color, base) < 4.5:
                problems.append(
                    f"{name}: code {rule} {color} on {base}: contrast {contrast(color, base):.2f}")
    return problems


def check(folder):
    """The problems of the site in a folder, a line about what was checked, and its links to other
    sites."""
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    problems = [
        f"{path.relative_to(folder)}: {text}" for path, page in pages.items()
        for text in page.problems
    ]
    wrong, external, count = check_links(pages, folder)
    problems += wrong + check_colors(folder)
    return problems, (f"{len(pages)} pages, {count} links between them, {len(external)} to other "
                      "sites"), external
