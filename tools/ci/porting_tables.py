#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/porting.md, from docs/porting.json.

    porting_tables.py [--write]    fail when the page has other tables than the data; --write
                                   writes them

The data are written by the commands that measure: `tools/test --record PART...` after a run of
targets without a failure, and `tools/ci/sizes.py --record`. Both write the page, too.
"""
import datetime
import json
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE, DATA = ROOT / "docs/porting.md", ROOT / "docs/porting.json"


# ---- What ran ----


def first_line(*command):
    """The first line that a command prints, such as its version; empty if it cannot run."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False)
    except OSError:
        return ""
    return done.stdout.partition("\n")[0]


def short_version(text):
    """The first two numbers of the version in a text: 12.2."""
    found = re.search(r"\d+(?:\.\d+)?", text)
    return found[0] if found else "of unknown version"


def name_compiler(line):
    """gcc 12.2, from the first line of --version."""
    for name, pattern in ("clang", r"clang version (.*)"), ("tcc", r"tcc version (.{6})"):
        found = re.search(pattern, line)
        if found:
            return f"{name} {found[1] if name == 'tcc' else short_version(found[1])}"
    # gcc (Debian 12.2.0-14) 12.2.0
    return f"gcc {short_version(re.sub(r'.*[(].*?[)]', '', line))}"


def name_runner(command):
    """What runs programs: qemu-user 7.2, from a command that begins with qemu-aarch64."""
    if not command:
        return "directly"
    line = first_line(command[0], "--version")
    if command[0] == "node":
        return f"Node {line.strip('v').partition('.')[0]}"
    if command[0] == "wine":
        return f"Wine {short_version(line)}"
    kind = "qemu-system" if command[0].startswith("qemu-system") else "qemu-user"
    return f"{kind} {short_version(line.partition('version')[2])}"


def name_system(what, triplet=""):
    """A system with the version of its C library, if that can be found."""
    found = None
    if "musl" in what:
        for loader in pathlib.Path("/lib").glob("ld-musl-*.so.1"):
            said = subprocess.run([loader], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False).stdout
            found = re.search(r"Version ([\d.]+)", said)
    elif "glibc" in what and triplet:
        library = pathlib.Path(f"/usr/{triplet}/lib/libc.so.6")
        text = library.read_bytes().decode("latin-1") if library.exists() else ""
        found = re.search(r"release version ([\d.]+\d)", text)
    elif "glibc" in what:
        found = re.match(r"(.*)", platform.libc_ver()[1])
    return f"{what} {found[1]}" if found else what


# ---- The data ----


def read():
    return json.loads(DATA.read_text(encoding="utf-8"))


def today():
    return datetime.date.today().isoformat()


def rows_text(rows):
    """A list in JSON, with a line for each row."""
    return "[\n  " + ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n ]"


def write(data):
    """Write the data and the page."""
    text = "{\n" + f' "targets": {rows_text(data["targets"])},\n'
    sizes = {key: value for key, value in data["sizes"].items() if key != "rows"}
    text += (f' "sizes": {json.dumps(sizes)[:-1]}, "rows": '
             f'{rows_text(data["sizes"]["rows"])}}}\n}}\n')
    DATA.write_text(text, encoding="utf-8")
    PAGE.write_text(insert(PAGE.read_text(encoding="utf-8"), data), encoding="utf-8")


def record_targets(rows, order):
    """Put rows in the place of earlier ones of the same targets. `order` has the names of all
    targets."""
    data = read()
    known = {row["target"]: row for row in data["targets"]}
    known.update((row["target"], {**row, "date": today()}) for row in rows)
    data["targets"] = sorted(known.values(), key=lambda row: order.index(row["target"]))
    write(data)


def record_sizes(compiler, columns, rows):
    data = read()
    data["sizes"] = {"date": today(), "compiler": compiler, "columns": columns, "rows": rows}
    write(data)


# ---- The page ----


def targets_table(targets):
    lines = [
        "| target | system | compiler | how the tests run | passed | skipped | date |",
        "|---|---|---|---|---:|---:|---|"
    ]
    for row in targets:
        lines.append(
            f"| `{row['target']}` | {row['system']} | {row['compiler']} | {row['runs']} | "
            f"{row['passed']} | {row['skipped']} | {row['date']} |")
    return lines


def sizes_table(columns, rows):
    """For each target flash and memory."""
    lines = [
        "| feature | added to | " + " | ".join(columns) + " |",
        "|---|---|" + "---:|" * len(columns)
    ]
    for name, base, *sizes in rows:
        lines.append(f"| {name} | {base} | " + " | ".join(f"{size:,}" for size in sizes) + " |")
    return lines


def insert_table(path, page, name, lines):
    """The text of a page with these lines between the marks of a table."""
    text = "\n".join(["", *lines, "", ""])
    page, count = re.subn(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)",
                          lambda marks: marks[1] + text + marks[2], page, flags=re.S)
    if count != 1:
        sys.exit(f"{path}: the marks `{name}` are there {count} times")
    return page


def insert(page, data):
    """The page with the tables of the data between its marks."""
    sizes = data["sizes"]
    tables = {
        "targets": targets_table(data["targets"]),
        "sizes": [f"Measured on {sizes['date']} with {sizes['compiler']}:", "",
                  *sizes_table(sizes["columns"], sizes["rows"])],
    }
    for name, lines in tables.items():
        page = insert_table(PAGE, page, f"{name} of porting.json", lines)
    return page


def main():
    page, data = PAGE.read_text(encoding="utf-8"), read()
    if sys.argv[1:] == ["--write"]:
        write(data)
        return 0
    if insert(page, data) != page:
        print(f"{PAGE} has other tables than {DATA}: tools/ci/porting_tables.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
