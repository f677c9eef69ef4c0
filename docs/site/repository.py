# SPDX-License-Identifier: Apache-2.0
"""What the site has besides its pages: sources that they link to, and links to the reference.

Pages link to files and folders of the repository as they do on GitHub. Here each such file gets a
page that shows it, and each folder one that lists its files. A name of the C API in `code` becomes
a link to its entry.
"""
import html
import pathlib

from docutils import nodes
from sphinx import addnodes
from sphinx.domains.c import CDomain
from sphinx.domains.cpp import CPPDomain
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

# The languages of files, by the end of their names.
LEXERS = {
    ".c": "c", ".h": "c", ".cc": "cpp", ".cu": "cpp", ".py": "python", ".build": "meson",
    ".json": "json", ".md": "markdown", ".rs": "rust", ".mjs": "javascript", ".html": "html"
}
# The sidebar of their pages, by depth.
NAVIGATION = {}


class LinkSources(SphinxTransform):
    """Replaces links to files and folders that are no pages of the site."""
    default_priority = 300

    def apply(self, **_):
        root = pathlib.Path(self.env.srcdir)
        page = root / self.env.docname
        for node in list(self.document.findall(addnodes.download_reference)) + [
                node for node in self.document.findall(addnodes.pending_xref)
                if node["reftype"] == "myst"
        ]:
            target = (page.parent / node["reftarget"].partition("#")[0]).resolve()
            if not target.is_relative_to(root) or not target.exists() or target == page.parent:
                continue
            name = target.relative_to(root).as_posix()
            if f"{name}/README" in self.env.found_docs:
                uri = f"{name}/README"
            else:
                uri = page_of(name)
                self.env.metadata[self.env.docname].setdefault("sources", []).append(name)
            up = "../" * self.env.docname.count("/")
            link = nodes.reference("", "", internal=True, refuri=f"{up}{uri}.html")
            link += node.children
            node.replace_self(link)


class MakeSections(SphinxTransform):
    """Makes sections of the titles that Breathe puts above groups of entries: they get into the
    list of contents.

    Titles within an entry, such as Public Functions, go: what they say is seen. Members of types
    are left out of the list of contents."""
    default_priority = 250

    def apply(self, **_):
        self.note_headers()
        pages = list(self.document.findall(nodes.section))
        for title in list(self.document.findall(nodes.rubric)):
            if "breathe-sectiondef-title" not in title["classes"]:
                continue
            group = title.parent
            if isinstance(group.parent, nodes.section):
                group.replace_self(self.section(title.astext(), group.children[1:]))
            else:
                group.remove(title)
        for entry in self.document.findall(addnodes.desc):
            if isinstance(entry.parent, (addnodes.desc_content, nodes.container)):
                for signature in entry.findall(addnodes.desc_signature):
                    signature["_toc_name"] = ""
        for page in pages:
            types = [node for node in page.children if isinstance(node, addnodes.desc)]
            if types:
                page.insert(page.index(types[0]),
                            self.section("Types", [node.deepcopy() for node in types]))
                for node in types:
                    page.remove(node)

    def note_headers(self):
        """A page of the reference is made again when a header or a program that reads headers has
        changed."""
        root, (_, *folders) = pathlib.Path(self.env.srcdir), self.env.docname.split("/")
        for folder, page in ("include", "c"), ("cpp", "cpp"):
            if folders[:2] == ["reference", page]:
                for path in [*(root / folder).rglob("*.h"), *(root / "docs/site").glob("*.*")]:
                    self.env.note_dependency(path.relative_to(root).as_posix())

    def section(self, title, children):
        made = nodes.section("", nodes.title("", title), *children, names=[title.lower()])
        self.document.set_id(made)
        return made


class LinkNames(SphinxPostTransform):
    """Links names of the C API."""
    default_priority = 5
    names = {}

    def apply(self, **_):
        if not LinkNames.names:
            LinkNames.names = {name: (page, anchor) for name, _, kind, page, anchor, _
                               in self.env.domains["c"].get_objects() if kind != "functionParam"}
        for node in list(self.document.findall(nodes.literal)):
            name = node.astext().removesuffix("()")
            place = LinkNames.names.get(name)
            if (place is None or isinstance(node.parent,
                                            (nodes.reference, addnodes.pending_xref, nodes.title))):
                continue
            uri = self.app.builder.get_relative_uri(self.env.docname, place[0]) + "#" + place[1]
            link = nodes.reference("", "", internal=True, refuri=uri)
            node.replace_self(link)
            link += node


def page_of(name):
    return "files/" + name


def is_text(path):
    """Arrays and pictures have no page."""
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True


def show_file(app, path):
    lexer = LEXERS.get(path.suffix, "none")
    return app.builder.highlighter.highlight_block(path.read_text(encoding="utf-8"), lexer,
                                                   linenos="inline", location=str(path))


def list_folder(root, folder, known):
    items = []
    for path in sorted(folder.iterdir()):
        text = html.escape(path.name + ("/" if path.is_dir() else ""))
        if path.relative_to(root).as_posix() in known:
            text = f'<a href="{html.escape(f"{folder.name}/{path.name}")}.html">{text}</a>'
        items.append(f"<li>{text}</li>")
    return f"<ul>{''.join(items)}</ul>"


def collect_pages(app):
    """The pages of files and folders."""
    root = pathlib.Path(app.srcdir)
    known = {name for data in app.env.metadata.values() for name in data.get("sources", [])}
    # Of a sample or demo, all files are shown.
    known |= {
        path.relative_to(root).as_posix() for name in known
        if name.startswith(("samples/", "demos/")) and (root / name).is_dir()
        for path in (root / name).iterdir() if path.is_file() and is_text(path)
    }
    for name in sorted(known):
        path = root / name
        body = list_folder(root, path, known) if path.is_dir() else show_file(app, path)
        title = html.escape(name)
        yield page_of(name), {"title": title, "body": f"<h1>{title}</h1>{body}"}, "page.html"


def share_navigation(app, page, template, context, doctree):
    """Makes the sidebar of these pages once for each depth: in none of them it has a current
    page."""
    if not page.startswith(page_of("")):
        return
    make = context["toctree"]

    def toctree(**options):
        key = page.count("/"), tuple(sorted(options.items()))
        if key not in NAVIGATION:
            NAVIGATION[key] = make(**options)
        return NAVIGATION[key]
    context["toctree"] = toctree


def hide_parameters(domain):
    """Leaves parameters out of the search: a word such as tensor is the name of hundreds."""
    list_objects = domain.get_objects

    def get_objects(self):
        for name, shown, kind, page, anchor, priority in list_objects(self):
            yield name, shown, kind, page, anchor, -1 if kind in ("functionParam",
                                                                  "templateParam") else priority
    domain.get_objects = get_objects


def setup(app):
    hide_parameters(CDomain)
    hide_parameters(CPPDomain)
    app.add_transform(MakeSections)
    app.add_transform(LinkSources)
    app.add_post_transform(LinkNames)
    app.connect("html-collect-pages", collect_pages)
    app.connect("html-page-context", share_navigation, priority=100)  # before the theme asks for it
    return {"parallel_read_safe": True}
