#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follow README.md and the pages of docs/start on a new Debian, where nothing is installed.

    readme.py FOLDER [RELEASE]

RELEASE is one of Debian's, such as trixie or sid, by default that of this machine. FOLDER keeps the
new system and the packages that the commands install, for the next time (tools/ci/debian_roots.py).
Exits with 77 after a line with the reason where this cannot be done; a page that needs what cannot
be fetched is named in a line that begins with `skipped `.

README.md: its indented blocks are commands, as is one of docs/building.md that it links to. One
shell reads all of them from its standard input, as when a person pastes the page: what README
forgets to install or to change into is missing here too, and a command that reads standard input
would swallow the commands after it. Blocks for CMake go into the file of a small project; the other
fenced ones are from samples, which code_in_pages.py compares. The program of the first sample must
print what it should each time. In the end `tools/test spdx` passes, and README has left nothing
among the sources.

The pages: on another new system, where tools/quickstart runs in sources that cannot be written to,
and the library is installed as it says then. What each page needs is installed if the page says so.
Their commands run in one folder (tutorials.py); a page builds the library anew first if it
says so.
"""
import pathlib
import re
import shlex
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/ci"))
from debian_roots import Impossible, System  # noqa: E402
from steps import last_line  # noqa: E402

SAMPLE = "samples/01_load_and_call"
SOURCES = "root/tvm-ffi"
# In the order of docs/index.md.
PAGES = ["call", "kernel_c", "kernel_cpp", "generate", "from_reference", "programs"]
# What pages ask for before their first heading, and the packages.
NEEDS = {
    "C compiler": "gcc libc6-dev", "C++17 compiler": "g++", "pkg-config": "pkg-config",
    "`python3-venv`": "python3-venv"
}
INSTALL = "apt-get -qq install -y --no-install-recommends"
# The lines that tools/quickstart ends with.
NEXT = r"sed -n 's/^    \([^.]\)/\1/p' /tmp/output"
# Sources that cannot be written to, and what tools/quickstart says to do next; it installs the
# library.
QUICKSTART = f"""
    set -ex
    mount --bind /{SOURCES} /{SOURCES}
    mount -o remount,bind,ro /{SOURCES}
    cd /{SOURCES}
    tools/quickstart >/tmp/output
    cat /tmp/output
    eval "$({NEXT})"
    mkdir /root/start
"""

# What is checked after a block, by its first words, in a shell of its own.
CHECKS = {
    "tools/quickstart": f"""
        cat /tmp/output
        [ "$({NEXT} | wc -l)" = 4 ]
        eval "$({NEXT} | head -n 2)"
        [ ! -e build ]""",
    "meson setup build ": """
        [ -z "$(command -v c++ dpkg-architecture)" ]        # nothing has brought them in
        ls /usr/local/include/tvm/ffi/c.h /usr/local/include/tvm/ffi/function.h
        [ "$(command -v tvm-ffi)" = /usr/local/bin/tvm-ffi ]""",
    "meson setup build-home": """
        [ "$(command -v tvm-ffi)" = "$HOME/.local/bin/tvm-ffi" ]""",
    "tvm-ffi wrap": """
        result=$(tvm-ffi run normalize.so 'normalize(&1x2xf32, 1x2xf32=1 3)')
        [ "$result" = 'arg[0]: 1x2xf32=[0.25 0.75]' ]""",
    "find_package": """
        $INSTALL cmake make >/dev/null
        mkdir /tmp/project
        cp host.c /tmp/project
        { printf '%s\\n' 'cmake_minimum_required(VERSION 3.18)' 'project(host C)' \\
            'add_executable(host host.c)'; echo "$block"
        } >/tmp/project/CMakeLists.txt
        cmake -S /tmp/project -B /tmp/project/build
        cmake --build /tmp/project/build
        /tmp/project/build/host ./kernel.so""",
    "../tools/amalgamate": """
        ./host ./kernel.so
        [ -z "$(ldd host | grep libtvm_ffi)" ]""",
}
# What Meson and Python leave anywhere; .gitignore has them, too.
LEFT = (".wraplock", "__pycache__")
# Programs of the sample that blocks and checks run: of quickstart, of CMake, and those called
# `host`.
OTHER_RUNS = 2


def read_blocks(page):
    """The blocks of a page: the number of the first line, whether it is for the shell, and its
    text."""
    found, before, fence = [], "", None
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            if fence is None and line == "```cmake":
                found.append((number + 1, False, []))
            fence = line if fence is None else None
        elif fence == "```cmake":
            found[-1][2].append(line)
        elif fence is None and line.startswith("    "):
            if not before.startswith("    "):
                found.append((number, True, []))
            found[-1][2].append(line[4:])
        before = line
    return [(f"{page}:{number}", is_shell, "\n".join(lines)) for number, is_shell, lines in found]


def read_commands():
    """The blocks of README.md, and after the installation into /usr/local, the one that README
    links to, into a prefix of one's own."""
    found = []
    for block in read_blocks("README.md"):
        found.append(block)
        if block[2].startswith("meson setup build "):
            found += [other for other in read_blocks("docs/building.md")
                      if other[2].startswith("meson setup build-home")]
    return found


def make_script():
    """All blocks, for a shell, and how often the program of the sample runs."""
    left, lines, runs = dict(CHECKS), ["set -ex", f"cd /{SOURCES}"], OTHER_RUNS
    for place, is_shell, text in read_commands():
        lines.append(f": {place}")
        check = left.pop(next((start for start in left if text.startswith(start)), None), None)
        if is_shell:
            # Only the list: the tests take minutes, and other parts run them.
            lines.append(
                text.replace("tools/test ",
                             "tools/test --list ").replace("tools/quickstart ",
                                                           "tools/quickstart >/tmp/output "))
        elif check is None:
            sys.exit(f"{place}: no test knows what to do with this block")
        if check is not None:
            lines.append(
                f"( block={shlex.quote(text)} INSTALL={shlex.quote(INSTALL)}\n{check}\n) </dev/null"
            )
        runs += (text + (check or "")).count("./host ./kernel.so")
    if left:
        sys.exit(f"README.md has no block that starts with {', '.join(left)}")
    return "\n".join([*lines, f"cd /{SOURCES}", "tools/test spdx", ""]), runs


def copy_sources(system):
    """Copy what is no build folder, and nothing of git, as from an archive of the sources."""
    shutil.copytree(
        ROOT, system.root / SOURCES, symlinks=True, ignore=lambda path, names: [
            name for name in names if name == "__pycache__" or pathlib.Path(path, name) == system.
            root.parent or path == str(ROOT) and name.startswith((".git", "build"))
        ])


def list_sources(system):
    top = system.root / SOURCES
    return {
        str(path.relative_to(top)) for path in top.rglob("*")
        if not path.relative_to(top).parts[0].startswith("build") and path.name not in LEFT
        and path.parent.name not in LEFT
    }


def run_script(system, script):
    """Have bash read a script from its standard input; returns its output, or ends after a
    failure."""
    (system.root / "root/script").write_text(script, encoding="utf-8")
    done = system.run(["bash", "-c", "exec bash </root/script"])
    print(done.stdout, end="", flush=True)
    if done.returncode != 0:
        update = system.run(["apt-get", "-qq", "-o", "APT::Update::Error-Mode=any", "update"])
        if update.returncode != 0:
            raise Impossible("no packages: " + last_line(update.stdout))
        sys.exit("the last command above failed")
    return done.stdout


def follow_readme(system):
    script, runs = make_script()
    copy_sources(system)
    before = list_sources(system)
    printed = run_script(system, script)
    expected = (ROOT / SAMPLE / "expected.txt").read_text(encoding="utf-8")
    if printed.count(expected) != runs:
        sys.exit(
            f"README.md: the first sample should have printed {runs} times, not "
            f"{printed.count(expected)}"
        )
    for _, _, text in read_commands():
        for line in re.findall("# prints (.*)", text):
            if line not in printed.splitlines():
                sys.exit(f"README.md: nothing has printed {line}")
    left = list_sources(system) - before
    if left:
        sys.exit(f"README.md leaves these among the sources: {', '.join(sorted(left))}")


def follow_pages(system):
    """Follow the pages of docs/start; returns what is to be said of each."""
    said = []
    copy_sources(system)
    run_script(system, QUICKSTART)
    for page in PAGES:
        text = (ROOT / f"docs/start/{page}.md").read_text(encoding="utf-8")
        beginning = text.partition("\n## ")[0]
        needs = [names for words, names in NEEDS.items() if words in beginning]
        build = re.findall(r"^    (?!\$ )(.*)", beginning, re.M)
        follow = f"python3 tests/docs/tutorials.py --folder /root/start docs/start/{page}.md"
        printed = run_script(
            system, "\n".join([
                "set -ex", f"{INSTALL} {' '.join(needs)}", f"cd /{SOURCES}", *build,
                f"if {follow}; then result=followed; else [ $? = 77 ]; result=skipped; fi",
                "echo $result", ""
            ]))
        *_, reason, result = [line for line in printed.splitlines() if not line.startswith("+ ")]
        said.append(f"{result} docs/start/{page}.md: {reason}")
    return said


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder, name = pathlib.Path(sys.argv[1]).resolve(), "".join(sys.argv[2:])
    try:
        system = System(folder, name)
        follow_readme(system)
        system.remove()
        print("followed README.md", flush=True)
        system = System(folder, name)
        said = follow_pages(system)
        system.remove()
    except Impossible as reason:
        print(reason)
        sys.exit(77)
    print(*said, sep="\n")


if __name__ == "__main__":
    main()
