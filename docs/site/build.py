#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Build the site in a folder, with the programs that tools/docs has installed there.

    build.py FOLDER

The comments of the headers go through headers.py, Doxygen and Breathe into the reference; the pages
of the tool's commands are what it prints itself, with the examples of docs/reference/examples.md.
Everything that is not right is printed, and then the exit code is 1.
"""
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
SITE = pathlib.Path(__file__).resolve().parent
ROOT = SITE.parents[1]
sys.path.insert(0, str(SITE))
import check  # noqa: E402
import commands  # noqa: E402
import headers  # noqa: E402
import search  # noqa: E402


# What texts of Doxygen link to, and Breathe makes no entry for: files; in C++ also classes, which
# Sphinx links by itself.
NO_ENTRY = {"c": r"\w+_8h", "cpp": r"\w+"}


def run(*command):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{command[0]} failed")
    return done.stdout


def sort_entries(xml):
    """Put sections, and the entries of each, into the order of the header. Doxygen puts macros
    before functions."""
    for tag in ("memberdef", "sectiondef"):
        def sort(match, block=re.compile(rf" *<{tag} .*?</{tag}>\n", re.S)):
            return "".join(
                sorted(
                    block.findall(match[0]), key=lambda text: int(
                        re.search(r'<location file="[^"]*" line="(\d+)"', text)[1])))
        xml = re.sub(rf"(?: *<{tag} (?:(?!</{tag}>).)*</{tag}>\n)+", sort, xml, flags=re.S)
    return xml


# Numbers of unnamed enumerations.
UNNAMED = itertools.count()


def even_out(xml):
    """Take out what versions of Doxygen make in different ways, some of which Breathe does not
    take.

    These are entries of unnamed unions, whose members have entries of their own, and a section
    without a title around one of the second level. An unnamed enumeration gets a number for its
    name, as older versions give it."""
    xml = re.sub(r'(<memberdef kind="enum" [^>]*>\s*<type></type>\s*<name>)(</name>)',
                 lambda match: f"{match[1]}@{next(UNNAMED)}{match[2]}", xml)
    xml = re.sub(
        r' *<memberdef kind="variable" '
        r'(?:(?!</memberdef>).)*<name>(?:@\d+)?</name>.*?</memberdef>\n',
        "", xml, flags=re.S)
    return re.sub(r'<sect1 id="\w+">\s*(<sect2 (?:(?!<sect1).)*</sect2>)\s*</sect1>', r"\1", xml,
                  flags=re.S)


def read_headers(work):
    """What Doxygen knows of the headers, as XML in a folder for each language."""
    shutil.rmtree(work / "headers", ignore_errors=True)
    headers.write_copies(ROOT, work / "headers")
    for language, folder, for_c in (("c", "include", "YES"), ("cpp", "cpp", "NO")):
        shutil.rmtree(work / language, ignore_errors=True)
        (work / language).mkdir()
        doxyfile = (SITE / "Doxyfile.in").read_text(encoding="utf-8")
        for name, value in (("OUTPUT", work / language), ("HEADERS", work / "headers" / folder),
                            ("FOR_C", for_c)):
            doxyfile = doxyfile.replace(f"@{name}@", str(value))
        (work / language / "Doxyfile").write_text(doxyfile, encoding="utf-8")
        said = run("doxygen", work / language / "Doxyfile")
        if said:
            sys.exit(said)
        for path in (work / language / "xml").glob("*.xml"):
            text = path.read_text(encoding="utf-8")
            text = re.sub(rf'<ref refid="{NO_ENTRY[language]}" kindref="compound">([^<]*)</ref>',
                          r"\1", text)
            path.write_text(even_out(text), encoding="utf-8")
        for path in (work / language / "xml").glob("*_8h.xml"):
            path.write_text(sort_entries(path.read_text(encoding="utf-8")), encoding="utf-8")
        # The index names files without their folder, and two may have the same name.
        index = work / language / "xml/index.xml"
        paths = {
            path.stem: re.search(r'<location file="([^"]*)"/>\s*</compounddef>',
                                 path.read_text(encoding="utf-8"))
            for path in index.parent.glob("*_8h.xml")
        }
        index.write_text(
            re.sub(r'(refid="(\w+_8h)" kind="file"><name>)[^<]*',
                   lambda match: match[1] + paths[match[2]][1], index.read_text(encoding="utf-8")),
            encoding="utf-8")


def build_tool(work):
    """Let the tool print the reference of its commands."""
    folder = work / "tool"
    if not (folder / "build.ninja").exists():
        run("meson", "setup", folder, "-Dtools=enabled", "-Dtests=disabled", "-Dsamples=disabled",
            "-Dcpp=disabled", "-Dcuda=disabled", "-Ddlpack=fallback")
    run("ninja", "-C", folder, "-j2", "tools/tvm-ffi")
    examples = (ROOT / "docs/reference/examples.md").read_text(encoding="utf-8")
    commands.write_pages(run(folder / "tools/tvm-ffi", "--manual=markdown"), examples,
                         work / "commands")


def build_pages(work):
    output = work / "html"
    shutil.rmtree(output, ignore_errors=True)
    os.environ["TVM_FFI_DOCS_WORK"] = str(work)
    # In one process: merging what several have read of C++ takes minutes.
    run(sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c", SITE, "-d",
        work / "doctrees", ROOT, output)
    (output / "index.html").write_text(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>tvm-ffi</title>\n'
        '<meta http-equiv="refresh" content="0; url=docs/index.html"></head>\n'
        '<body><h1>tvm-ffi</h1><p><a href="docs/index.html">The pages are '
        'here.</a></p></body></html>\n',
        encoding="utf-8")
    return output


def main():
    work = pathlib.Path(sys.argv[1]).resolve()
    read_headers(work)
    build_tool(work)
    output = build_pages(work)
    problems, summary, external = check.check(output)
    not_found, searches = search.check(output)
    (work / "external.txt").write_text("".join(f"{link}\n" for link in external), encoding="utf-8")
    print("\n".join([*problems, *not_found, summary, searches]))
    print(f"links to other sites, not checked: {os.path.relpath(work / 'external.txt')}")
    print(f"open {os.path.relpath(output / 'index.html')}")
    return len(problems + not_found) != 0


if __name__ == "__main__":
    sys.exit(main())
