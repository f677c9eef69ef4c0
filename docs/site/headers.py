# SPDX-License-Identifier: Apache-2.0
"""Write copies of the public headers that Doxygen understands.

- A comment `/* ---- Title ---- text */` begins a section. What its text says of errors and threads
  is true of all functions below it, so that it becomes a group with a description.
- `Errors:` and `Threads:` become bold, and indented lines that begin with a word in brackets a
  list.
- Functions of the ABI say since which release it has them, those that only this library has say
  that.
- Several parameters with one text get an entry each.
- In C, `typedef enum X X;` goes, because the enumeration has an entry.
- In C++ the insides of the layer go, and the lines of namespaces: pages name the namespace. Classes
  have the members that they inherit from insides.
"""
import re

import declarations
import inheritance

COMMENT = re.compile(r"/\*\*.*?\*/", re.S)
END = re.compile(r"^#include <tvm/ffi/c/detail|^#endif[^\n]*\n\Z", re.M)
# What is of no use to readers of the C++ layer: `namespace detail`, specialisations for the
# standard library and for conversions, and bodies outside of the class that declares and documents
# the function.
INSIDE = [
    re.compile(text, re.M | re.S) for text in
    (r"^namespace (detail|std) \{\n.*?^\}  // namespace \1\n",
     r"^template <[^;{]*>\n(?:struct|class) "
     r"[^;{\n]*(?:detail::|std::|TypeTraits<)[^;{]*\{(?:\};|.*?^\};)\n",
     r"^template <[^;{]*>\nTVM_FFI_LOCAL inline constexpr bool\s+detail::[^;]*;\n",
     r"^namespace (?:tvm|reflection|tvm_ffi|type_attr) \{\n",
     r"^\}  // namespace (?:tvm|reflection|tvm_ffi|type_attr)\n",
     r"^TVM_FFI_NAMESPACE_(?:BEGIN|END)\n", r"^namespace details = detail;\n",
     r"^(?:template "
     r"<[^\n]*>\n)?TVM_FFI_LOCAL[^;{]*\b\w+(?:<[^>\n]*>)?::~?[\w=+*\[\]()!<>-]+\([^;{]*\{\n.*?^\}\n"
     )
]

SHOWN = "error_object.h"  # of the files in folders of insides: it has the class Error

# A friend with a body, in which Doxygen sees variables.
FRIEND = re.compile(r"^(  [^\n]*\bfriend [^;{]*\)) \{\n.*?^  \}$", re.M | re.S)


def section(match):
    title, colon, rest = match["title"].partition(": ")
    text = f"{rest[:1].upper()}{rest[1:]}.\n *\n" if colon else ""
    text += re.sub(r"@param (\w+)", r"- `\1`", match["text"]).replace("@return",
                                                                      "- returns").strip(" *\n")
    # a list ends with an empty line
    text = re.sub(r"(- .*\n \* )(?=[A-Z`])(?!.*- )", r"\1\n * ", text)
    return f"/** @name {title}\n * {text} */ /** @{{ */"


def group_sections(text):
    parts, position = [], 0
    for match in declarations.SECTION.finditer(text):
        parts += [text[position:match.start()], "/** @} */ " if position else "", section(match)]
        position = match.end()
    rest = text[position:]
    if position:
        end = END.search(rest).start()
        rest = rest[:end] + "/** @} */\n" + rest[end:]
    return "".join(parts) + rest


def add_releases(text, releases):
    """Put the release of each exported function at the end of its comment, instead of where the
    header says it."""
    for function in reversed(list(declarations.functions(text))):
        if function.exported and function.comment_end is not None:
            release = releases.get(function.name, "only this library has it")
            end = function.comment_end
            text = f"{text[:end]}\n *\n * <b>Since:</b> {release}\n {text[end:]}"
    return re.sub(r"( \*)? Since \d+\.\d+\.\d+\.(?=\s)", r"\1", text)


def convert_comment(match):
    text = re.sub(r'(?<!")\b(Errors|Threads):', r"<b>\1:</b>", match[0])
    text = re.sub(r"^ \*   (\[[\w ]+\]) +", r" * - \1 ", text, flags=re.M)
    return re.sub(r"\* @param (\w+(?:, \w+)+)( [^@]*?\n *)(?=\* @|\*/)", lambda names: "".join(
        f"* @param {name}{names[2]}" for name in names[1].split(", ")), text)


def convert_c(text, releases):
    text = add_releases(text, releases)
    return group_sections(re.sub(r"^typedef enum (\w+) \1;\n", "", text, flags=re.M))


def convert_cpp(text, bases):
    text = inheritance.add_inherited(text, bases)
    for pattern in INSIDE:
        text = pattern.sub("", text)
    return FRIEND.sub(r"\1;", text)


def write_copies(root, output):
    texts = {
        folder: {
            path: path.read_text(encoding="utf-8") for path in sorted((root / folder).rglob("*.h"))
        } for folder in ("include", "cpp")
    }
    releases, bases = declarations.releases(root), inheritance.read_bases(texts["cpp"].values())
    for folder, convert, known in ("include", convert_c, releases), ("cpp", convert_cpp, bases):
        for path, text in texts[folder].items():
            if path.name == SHOWN or not {"detail", "internal"} & set(path.parts):
                copy = output / path.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(COMMENT.sub(convert_comment, convert(text, known)),
                                encoding="utf-8")
