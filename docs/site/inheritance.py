# SPDX-License-Identifier: Apache-2.0
"""Give classes of the C++ layer the members that they inherit from classes of `namespace detail`,
which have no entry."""
import re

# A class that does not lie in another one. Names of macros and attributes stand before its name.
CLASS = re.compile(
    r"^(?P<head>(?:class|struct) (?:[A-Z_]+ |\[\[\w+\]\] )*(?P<name>\w+)(?:<[^{;]*?>)?)(?: : "
    r"(?P<bases>[^{;]*?))? \{\n"
    r"(?P<body>.*?)^\};\n", re.M | re.S)
BASE = re.compile(r"public detail::(\w+)(?:<[^<>]*>)?")
PUBLIC = re.compile(r"^ public:\n(.*?)(?=^ \w+:\n|\Z)", re.M | re.S)


def members(public):
    """The declarations of a public part, each with its comment."""
    found, lines, depth, in_comment = [], [], 0, False
    for line in public.splitlines(keepends=True):
        lines.append(line)
        in_comment = "*/" not in line if in_comment or line.lstrip().startswith("/*") else False
        is_comment = in_comment or line.rstrip().endswith("*/")
        if not is_comment:
            depth += line.count("{") - line.count("}")
        if not is_comment and depth == 0 and line.rstrip().endswith((";", "}")):
            found.append("".join(lines))
            lines = []
    return found


def name_of(member):
    """The name of a function or type that a member declares; None for what classes do not pass
    on."""
    code = re.sub(r"/\*.*?\*/|template <.*?>\n", "", member, flags=re.S)
    match = re.search(r"(operator\W+|[\w~]+)\(|using (\w+) =|(\w+) = ", code)
    return match and (match[1] or match[2] or match[3])


def read_bases(texts):
    """{name: (its bases, its public members)} of the classes in headers."""
    bases = {}
    for text in texts:
        for match in CLASS.finditer(text):
            public = "".join(part[1] for part in PUBLIC.finditer(match["body"]))
            bases[match["name"]] = (match["bases"] or "", members(public))
    return bases


def inherited(base, name, known, bases):
    """The members that the class inherits from a class of `namespace detail`, as text."""
    text = ""
    for member in bases[base][1]:
        own = name_of(member)
        if own and own not in known and own.strip("~") != base and own != "operator=":
            text += re.sub(rf"\b{base}\b", name, member)
    return text


def add_inherited(text, bases):
    """Put inherited members at the end of the public part of each class, and its base's bases in
    the place of the base."""
    def change(match):
        names = [name for name in BASE.findall(match["bases"] or "") if name in bases]
        public = PUBLIC.search(match["body"])
        if not names or not public:
            return match[0]
        known = {name_of(member) for member in members(public[1])}
        added = "".join(inherited(base, match["name"], known, bases) for base in names)
        kept = [
            base.strip() for base in re.split(r",\s*(?=public|private)", match["bases"])
            if not BASE.match(base.strip())
        ]
        kept += [bases[base][0] for base in names if bases[base][0]]
        head = match["head"] + (" : " + ", ".join(kept) if kept else "")
        end = public.end()
        return f"{head} {{\n{match['body'][:end]}{added}{match['body'][end:]}}};\n"
    return CLASS.sub(change, text)
