# SPDX-License-Identifier: Apache-2.0
"""The functions that public headers in C declare, with what comments say of them."""
import dataclasses
import re

SECTION = re.compile(r"^/\* ---- (?P<title>[^\n]*?) ----(?P<text>.*?)\*/", re.M | re.S)
FUNCTION = re.compile(
    r"^(?P<kind>TVM_FFI_DLL|static inline)\b(?P<returned>[^;{=()]*?)\b(?P<name>\w+)"
    r"\((?P<parameters>[^;{]*?)\)[^;{()]*(?=;| \{)", re.M | re.S)
# An attribute may lie between a comment and its function.
COMMENT = re.compile(r"/\*\*(?:(?!\*/).)*(?P<end>\*/)\s*(?:TVM_FFI_\w+(?:\([^)]*\))?\s*)?\Z", re.S)


@dataclasses.dataclass
class Function:
    name: str
    exported: bool
    returned: str  # the type
    parameters: list
    comment: str
    comment_end: int  # where */ is in the header, or None
    section: str  # the text of its section, which is true of all functions there

    @property
    def said(self):
        return self.section + self.comment


def split_parameters(text):
    """The parameters, those of functions that are parameters left together."""
    parts, depth = [""], 0
    for character in re.sub(r"\s+", " ", text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip() not in ("", "void", "...")]


def functions(header):
    """The functions of a header, in its order."""
    sections = list(SECTION.finditer(header))
    for match in FUNCTION.finditer(header):
        comment = COMMENT.search(header, 0, match.start())
        section = [found["text"] for found in sections if found.start() < match.start()]
        yield Function(match["name"],
                       match["kind"] == "TVM_FFI_DLL", " ".join(match["returned"].split()),
                       split_parameters(match["parameters"]), comment[0] if comment else "",
                       comment.start("end") if comment else None, section[-1] if section else "")


def releases(root):
    """{function: the first release of the ABI that has it}"""
    table = (root / "tools/tvm-ffi/file/runtime_symbols.c").read_text(encoding="utf-8")
    return {
        name: f"0.1.{number}" for name, number in re.findall(r'\{"(TVMFFI\w+)", (\d+)\}', table)
    }
