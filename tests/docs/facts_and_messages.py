#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a page repeats a fact or a message otherwise than the files that it is from.

    facts_and_messages.py ROOT

- The tables of docs/abi/layouts.md have the numbers of tests/abi/layout.c and dlpack.c,
  docs/abi/cxx.md the names of the lists of exports, docs/abi/globals.md the global functions that
  the sources list, and docs/codegen.md the symbols `__tvm_ffi_` that sources and headers have.
- The messages of docs/reference/messages.md are in the sources.
- docs/about/limits.md has the numbers of the constants that it names, and docs/about/versions.md
  begins its list with the version of the headers.
- README's table of costs has the figures of docs/performance.md.
- Each public header has an entry in docs/reference, and docs/reference/settings.md has the
  environment variables.
"""
import pathlib
import re
import sys


class Facts:
    def __init__(self, root):
        self.root = root
        self.problems = []

    def report(self, place, text):
        self.problems.append(f"{place}: {text}")

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def check_layouts(self):
        page, pins = "docs/abi/layouts.md", self.read("tests/abi/layout.c") + self.read(
            "tests/abi/dlpack.c")
        text = self.read(page)
        numbers = {
            name: int(value, 0) for name, value in re.findall(r"PIN\((k\w+) == (-?\w+)\)", pins)
        }
        cells = {
            (struct, field): values.split(", ")
            for struct, field, values in re.findall(r"PIN_FIELD\((\w+), (\w+), ([^)]*)\)", pins)
        }
        for struct, field, values in re.findall(r"PIN_FIELD_SIZE\((\w+), (\w+), ([^)]*)\)", pins):
            cells[struct, field] = [f"{offset} ({size})" for offset, size in
                                    zip(cells[struct, field], values.split(", "))]
        whole = {
            struct: values.split(", ")
            for struct, values in re.findall(r"PIN_SIZE\((\w+), ([^)]*)\)", pins)
        }
        for struct, values in re.findall(r"PIN_ALIGN\((\w+), ([^)]*)\)", pins):
            whole[struct] = [
                f"{size} / {align}" for size, align in zip(whole[struct], values.split(", "))
            ]
        for name in numbers:
            if name.startswith("kTVMFFI") and name not in text:
                self.report(page, f"does not have {name}")
        seen, current = set(), None
        for line in text.splitlines():
            heading = re.match(r"### (\w+)$", line)
            current = heading[1] if heading else current
            row = [cell.strip() for cell in line.strip("|").split(" |")]
            names = [cell.strip("`") for cell in row]
            if names[0] in whole and len(row) == 6:  # a table of several structs
                current, row, names = names[0], row[1:], names[1:]
            if names[0] in numbers and len(row) > 1 and numbers[names[0]] != int(row[1], 0):
                self.report(page, f"{names[0]} is {numbers[names[0]]}, not {row[1]}")
            wanted = (whole.get(current) if row[0].startswith("**size") else cells.get(
                (current, names[0])))
            if wanted is not None:
                seen.add((current, names[0] if not row[0].startswith("**size") else None))
                if [cell.strip("*") for cell in row[2:5]] != wanted:
                    self.report(page,
                                f"{current}, {names[0]}: {row[2:5]}, but the tests pin {wanted}")
        structs = {struct for struct, _ in cells}
        for struct, field in sorted((set(cells) | {(struct, None) for struct in structs}) - seen,
                                    key=str):
            self.report(page, f"does not have {struct}, {field or 'its size'}")

    def check_exports(self):
        page, lists = "docs/abi/cxx.md", self.read("tests/abi/exports.txt") + self.read(
            "tests/abi/exports_cxx.txt")
        listed = re.findall(r"^\| `(_Z\w+)` \|", self.read(page), re.M)
        for name in set(listed) ^ set(re.findall(r"^_Z\w+$", lists, re.M)):
            self.report(page, f"only one of this page and the lists of exports has {name}")

    def check_globals(self):
        page = "docs/abi/globals.md"
        listed = re.findall(r"`(ffi\.[\w.]+)`",
                            "\n".join(re.findall(r"^\| (.*?) \|", self.read(page), re.M)))
        defined = [
            name for path in self.root.glob("c/**/*.c")
            for name in re.findall(r"\bF\(\"(ffi\.[\w.]+)\"", path.read_text(encoding="utf-8"))
        ]
        for name in sorted(set(listed) ^ set(defined)):
            self.report(page,
                        f"{name} is {'not ' if name in listed else ''}a function of the library")

    def check_reference(self):
        shown = {
            name for page in self.root.glob("docs/reference/**/*.md")
            for name in re.findall(r"^```\{doxygenfile\} (\S+)", page.read_text(
                encoding="utf-8"), re.M)
        }
        for folder in ("include", "cpp"):
            for path in (self.root / folder).rglob("*.h"):
                name = path.relative_to(self.root / folder).as_posix()
                text = path.read_text(encoding="utf-8")
                # Headers that only include others have nothing to show.
                is_empty = not re.search(r"^(?!#|/\*| \*|//|$)",
                                         re.sub(r"^/\*.*?\*/", "", text, flags=re.M | re.S), re.M)
                is_inside = ({"detail", "internal"} & set(path.parts)
                             or path.stem.endswith("_detail"))
                if not is_inside and name not in shown and not is_empty:
                    self.report("docs/reference", f"has no entry for {name}")

    def check_settings(self):
        page = "docs/reference/settings.md"
        listed = set(
            name for row in re.findall(r"^\| (`[A-Z_`, ]+) \| (?:the \w+|`tvm-ffi`)[, ]",
                                       self.read(page), re.M)
            for name in re.findall(r"\w+", row))
        sources = "".join(
            path.read_text(encoding="utf-8")
            for folder in ("c", "isolated", "tools/record", "tools/tvm-ffi")
            for path in self.root.glob(f"{folder}/**/*.c"))
        for name in sorted(set(re.findall(r'getenv\("(\w+)"\)', sources)) - listed):
            self.report(page, f"{name} is read by the sources, and not listed")
        for name in sorted(listed):
            # Others than ours may be in tables, because their names differ by system or compiler.
            text = f'getenv("{name}")' if name.startswith("TVM_") else f'"{name}"'
            if text not in sources:
                self.report(page, f"{name} is not read by the sources")

    def check_messages(self):
        page = "docs/reference/messages.md"
        sources = "".join(
            path.read_text(encoding="utf-8") for folder in ("c", "include", "cpp", "tools/tvm-ffi")
            for path in self.root.glob(f"{folder}/**/*") if path.suffix in (".c", ".h", ".cc"))
        joined = re.sub(r'"\s*(?:PRI\w+\s*)?"', "", sources.replace('\\"', "'"))
        rows = [
            match[2].strip() for match in re.finditer(r"^\| (`+)(.+?)\1 \|", self.read(page), re.M)
        ]
        for message in rows:
            for piece in re.split(r"<[^>]*>", message):
                # Quotes around what is filled in may come from the format.
                if len(piece.strip("`'. ")) > 3 and piece.strip("`'. ") not in joined:
                    self.report(page, f"no source has `{piece}`")
        if len(rows) < 20:
            self.report(page, f"{len(rows)} messages")

    def check_limits(self):
        page = "docs/about/limits.md"
        rows = re.findall(r"^\| .*? \| ([\d,]+) \| `(\w+)` in `([\w./-]+)` \|", self.read(page),
                          re.M)
        for number, name, path in rows:
            values = [re.sub(r"\(size_t\)|UINT64_C", "", value).strip()
                      for value in re.findall(rf"\b{name} = ([^,;}}]+)", self.read(path))]
            numbers = [eval(value) for value in values if re.fullmatch(r"[\d<()* ]+", value)]
            if int(number.replace(",", "")) not in numbers:
                self.report(
                    page, f"{name} in {path} is {' or '.join(values) or 'not there'}, not {number}")
        if len(rows) < 10:
            self.report(page, f"{len(rows)} limits with a constant")

    def check_versions(self):
        page, header = "docs/about/versions.md", self.read("include/tvm/ffi/c_api.h")
        version = ".".join(
            re.search(rf"TVM_FFI_VERSION_{part} (\d+)", header)[1]
            for part in ("MAJOR", "MINOR", "PATCH"))
        listed = re.findall(r"^\| (\d+\.\d+\.\d+)\b", self.read(page), re.M)
        released = re.findall(r"^## (\d+\.\d+\.\d+)\b", self.read("CHANGELOG.md"), re.M)
        if listed[:1] != [version] or listed != released:
            self.report(
                page,
                f"lists the versions {listed}; the headers have {version}, CHANGELOG.md {released}")

    def check_costs(self):
        """The words with which each row of docs/performance.md begins, and the place of its two
        figures: README's are theirs, rounded as much as README does."""
        sources = {
            "a call with three integers": ("| function call, three ints |", 1),
            "finding a global function": ("| get global + release |", 1),
            "a call that fails": ("| failing call + take + free |", 1),
            "loading the library": ("| first dlopen of the runtime |", 1000),
            "compiling 20 kernels in C++": ("|  | default, s |", 1),
        }
        text = self.read("docs/performance.md")
        rows = dict(re.findall(r"^\| (\w.*?) \| (.*)$",
                               self.read("README.md").partition("## What it costs")[2], re.M))
        for begin, (row, divisor) in sources.items():
            found = [value for name, value in rows.items() if name.startswith(begin)]
            after = text.partition("| 20 exports |")[2] if row.startswith("|  |") else text
            figures = [float(figure.replace(",", "")) / divisor
                       for figure in re.findall(r"[\d.,]+", after.partition(row)[2])[:2]]
            shown = re.findall(r"([\d.,]+) \S+ \|", found[0]) if found else []
            if len(shown) != 2 or len(figures) != 2:
                self.report("README.md", f"no figures for `{begin}` here and in `{row}`")
                continue
            for figure, number in zip(figures, shown):
                digits = len(number.partition(".")[2])
                if f"{figure:,.{digits}f}" != number:
                    self.report("README.md", f"{begin}: {number}, but {figure:,} in `{row}`")
        size = re.search(r"a release build \(-O2\) has ([\d,]+) bytes", text)
        size = round(int(size[1].replace(",", "")) / 1000) if size else "?"
        if f"| the size of the library | {size} KB |" not in self.read("README.md"):
            self.report("README.md", f"the size of the library is not {size} KB")

    def check_symbols(self):
        """Names end in `<name>` in the page, and in sources and headers in nothing or in an
        example."""
        page, kind = "docs/codegen.md", re.compile(r"__tvm_ffi__(library_[a-z]+|[a-z]+(?=_))")
        rows = re.findall(r"^\| (`__tvm_ffi_.*?) \|", self.read(page), re.M)
        used = {
            match for folder in ("c", "include", "cpp", "tools")
            for path in self.root.glob(f"{folder}/**/*") if path.suffix in (".c", ".h")
            for match in kind.findall(path.read_text(encoding="utf-8"))
        }
        for name in sorted(used ^ set(kind.findall("\n".join(rows)))):
            self.report(page, f"only one of its table and the sources has __tvm_ffi__{name}")
        if "`__tvm_ffi_<name>`" not in rows:
            self.report(page, "does not have __tvm_ffi_<name>")

    def check(self):
        self.check_layouts()
        self.check_exports()
        self.check_globals()
        self.check_symbols()
        self.check_reference()
        self.check_settings()
        self.check_messages()
        self.check_limits()
        self.check_versions()
        self.check_costs()


def main():
    facts = Facts(pathlib.Path(sys.argv[1]).resolve())
    facts.check()
    print("\n".join(facts.problems))
    return len(facts.problems) != 0


if __name__ == "__main__":
    sys.exit(main())
