# SPDX-License-Identifier: Apache-2.0
"""Write the reference of the tool in Markdown: what the tool prints of a command, then the examples
of its options."""
import re

from anchors import anchor

EXAMPLE = re.compile(r"^### (.*)$", re.M)
# The beginning of a row in a table of options: `-o`, `--output=FILE`.
OPTION = re.compile(r"^\| (`-\w`, )?`--([\w-]+)([^`]*)` \|", re.M)
TABLE = re.compile(r"^(?=\| option \|)", re.M)
# The target of a link to another page of this repository.
TO_PAGE = re.compile(r"(?<=\]\()(?!#|\w+:)")
FILES = "[The files that they use](../commands.md#files-of-the-examples)"


def split(text):
    """{title: text below it}"""
    parts = re.split(r"^## (.*)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def link_options(text, examples):
    """The options of a table lead to their examples."""
    titles = {name: title for title in EXAMPLE.findall(examples) for name in title.split(", ")}

    def link(match):
        letter, name, value = match.groups()
        return f"| {letter or ''}[`--{name}{value}`](#{anchor(titles[f'--{name}'])}) |"
    return OPTION.sub(link, text)


def command_page(text, examples):
    if not examples:
        return text
    text = TABLE.sub("## Options\n\n", link_options(text, examples)).strip("\n")
    examples = TO_PAGE.sub("../", examples)  # they were written for a page in the folder above
    return f"{text}\n\n## Examples\n\n{FILES}\n\n{examples.strip()}\n"


def write_pages(manual, examples, folder):
    """Write NAME.md for each command, and index.md with a table of them and everything else."""
    folder.mkdir(exist_ok=True)
    chapters, examples = split(manual), split(examples)
    commands = [title for title in chapters if title.islower()]
    index = "| command | what it does |\n|---|---|\n"
    for name in commands:
        (folder / f"{name}.md").write_text(command_page(chapters[name], examples.get(name)),
                                           encoding="utf-8")
        _, summary, *_ = chapters[name].strip().split("\n\n")  # below the usage
        index += f"| [{name}](commands/{name}.md) | {summary.strip('.')} |\n"
    for title in [title for title in chapters if title not in commands]:
        own = examples.get(title, "")
        index += f"\n## {title}\n\n{link_options(chapters[title], own).strip()}\n\n{own.strip()}\n"
    (folder / "index.md").write_text(index, encoding="utf-8")
