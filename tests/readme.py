#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run every command of README.md on a new Debian, where nothing is installed.

    readme.py FOLDER

FOLDER keeps the new system (`debootstrap --variant=minbase`, of the release and from the mirror of this machine) and
the packages that the commands install, for the next time. Each run works on a copy of the system, as root of it, in
namespaces of its own. Exits with 77 after a line with the reason where this cannot be done.

Commands are the indented blocks of README.md, run in their order by one shell: what README forgets to install or to
change into is missing here too. Lines for CMake, Meson and make go into a file of a small project. (Fenced blocks are
from samples; tests/quoted.py compares them.) The program of the first sample must print what it should each time.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SAMPLE = "samples/01_load_and_call"

# What a reader does after a block, by its first words.
AFTER = {
    "tools/quickstart": """
        cat /tmp/output
        sed -n 's/^    //p' /tmp/output >/tmp/next          # the lines that it ends with
        [ "$(wc -l </tmp/next)" = 3 ]
        (eval "$(head -n 2 /tmp/next)")
        [ ! -e build ]""",
    "meson setup build -Dtests=disabled -Dsamples=disabled\n": """
        [ -z "$(command -v c++ dpkg-architecture)" ]        # nothing has brought them in
        ls /usr/local/include/tvm/ffi/c.h /usr/local/include/tvm/ffi/function.h
        [ "$(command -v tvm-ffi)" = /usr/local/bin/tvm-ffi ]
        apt-get -qq install -y --no-install-recommends cmake make >/dev/null
        ninja -C build uninstall >/dev/null                 # a reader does this or the next, not both
        rm -r build""",
    "meson setup build -Dtests=disabled -Dsamples=disabled --prefix": """
        [ "$(command -v tvm-ffi)" = "$HOME/.local/bin/tvm-ffi" ]""",
    "cd samples/01_load_and_call": "cp ../27_wrapped_function/normalize.c .",
    "tvm-ffi wrap": """
        [ "$(tvm-ffi run normalize.so 'normalize(&1x2xf32, 1x2xf32=1 3)')" = 'arg[0]: 1x2xf32=[0.25 0.75]' ]""",
    "../../tools/amalgamate": """
        ./host ./kernel.so
        [ -z "$(ldd host | grep libtvm_ffi)" ]""",
}
# The first words of a fragment: its file, what the file has besides, how it is built, and the program.
FRAGMENTS = {
    "find_package": ("CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(host C)\n"
                     "add_executable(host host.c)\n", "cmake . && cmake --build .", "./host"),
    "executable": ("meson.build", "project('host', 'c')\n", "meson setup build && ninja -C build", "build/host"),
    "CPPFLAGS": ("Makefile", "", "make", "./host"),
}


def skip(reason):
    print(reason)
    sys.exit(77)


def last_line(text):
    return text.strip().rpartition("\n")[2]


def blocks():
    """The indented blocks of README.md, each with the number of its first line."""
    found, before = [], ""
    for number, line in enumerate((ROOT / "README.md").read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("    ") and before.startswith("    "):
            found[-1][1].append(line[4:])
        elif line.startswith("    ") and not before:
            found.append((number, [line[4:]]))
        before = line
    return found


def script():
    """All blocks as one script of the shell, and how often the program of the sample runs."""
    known, lines, runs = {**AFTER, **FRAGMENTS}, ["set -ex", "cd /root/tvm-ffi"], 1  # by tools/quickstart
    for number, block in blocks():
        text = "\n".join(block)
        (start,) = [start for start in known if text.startswith(start)] or sys.exit(
            f"README.md:{number}: no test knows what to do with `{block[0]}`")
        after = known.pop(start)
        lines.append(f": README.md:{number}")
        if start in AFTER:
            # Only the list: the tests take minutes, and other parts run them.
            text = text.replace("tools/test ", "tools/test --list ")
            lines += [text.replace("tools/quickstart ", "tools/quickstart >/tmp/output "), after]
            runs += (text + after).count("./host ./kernel.so")
        else:
            file, rest, build, program = after
            project = f"/tmp/with-{start}"
            lines += [f"mkdir {project} && cp host.c {project} && cat >{project}/{file} <<'EOF'", rest + text, "EOF",
                      f"(cd {project} && {build} && {program} $OLDPWD/kernel.so)"]
            runs += 1
    if known:
        sys.exit(f"README.md has no block that starts with {', '.join(known)}")
    return "\n".join(lines) + "\n", runs


def mirror():
    """The release of this machine's system, the address that apt takes it from, and its components."""
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)', pathlib.Path("/etc/os-release").read_text(encoding="utf-8"), re.M))
    name = release.get("VERSION_CODENAME", "")
    done = subprocess.run(["apt-get", "indextargets", "--format", "$(CODENAME) $(COMPONENT) $(REPO_URI)",
                           "Created-By: Packages"], text=True, check=True, stdout=subprocess.PIPE)
    places = [line.split()[1:] for line in done.stdout.splitlines() if line.split()[0] == name]
    if not places:
        skip(f"apt has no packages of `{name}`")
    return name, places[0][1], ",".join(component for component, place in places if place == places[0][1])


def new_system(folder):
    """The folder of a new system, which is made if it is not there."""
    name, place, components = mirror()
    system, made, log = folder / name, folder / f"{name}.new", folder / "debootstrap.log"
    if not system.exists():
        shutil.rmtree(made, ignore_errors=True)
        with open(log, "w", encoding="utf-8") as output:
            done = subprocess.run(["debootstrap", "--variant=minbase", f"--components={components}", name, made, place],
                                  stdout=output, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            skip("debootstrap: " + last_line(log.read_text(encoding="utf-8")))
        # dpkg does not wait for the disk then.
        (made / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n", encoding="utf-8")
        made.rename(system)
    return system


def run_in(system, packages, command):
    """Run a command in a system, whose apt keeps its packages in a folder; returns its output."""
    env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8",
           **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}}
    enter = 'mount --bind "$1" "$2/var/cache/apt/archives" && mount -t proc proc "$2/proc" && shift && exec chroot "$@"'
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", enter, "sh",
                           packages, system, *command], env=env, text=True, errors="replace", check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main():
    commands, runs = script()
    folder = pathlib.Path(sys.argv[1]).resolve()
    if os.geteuid() != 0:
        skip("making a new system takes root")
    for tool in ("debootstrap", "unshare", "apt-get"):
        if shutil.which(tool) is None:
            skip(f"{tool} is not installed")
    packages, system = folder / "packages", folder / "system"
    packages.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(system, ignore_errors=True)
    subprocess.run(["cp", "--archive", new_system(folder), system], check=True)
    shutil.copy("/etc/resolv.conf", system / "etc/resolv.conf")
    shutil.copytree(ROOT, system / "root/tvm-ffi", symlinks=True, ignore=lambda path, names: [
        name for name in names if pathlib.Path(path, name) == folder
        or path == str(ROOT) and name.startswith((".git", "build"))])
    (system / "root/readme.sh").write_text(commands, encoding="utf-8")

    empty = run_in(system, packages, ["true"])
    if empty.returncode != 0:
        skip("no namespaces: " + last_line(empty.stdout))
    done = run_in(system, packages, ["sh", "/root/readme.sh"])
    print(done.stdout, end="")
    if done.returncode != 0:
        update = run_in(system, packages, ["apt-get", "-qq", "-o", "APT::Update::Error-Mode=any", "update"])
        if update.returncode != 0:
            skip("no packages: " + last_line(update.stdout))
        sys.exit("README.md: the last command above failed")
    expected = (ROOT / SAMPLE / "expected.txt").read_text(encoding="utf-8")
    printed = [text.strip() for _, block in blocks() for line in block for text in re.findall("# prints (.*)", line)]
    if done.stdout.count(expected) != runs or not all(text in done.stdout for text in printed):
        sys.exit(f"README.md: the first sample should have printed {runs} times, and there should be {printed}")
    shutil.rmtree(system)


if __name__ == "__main__":
    main()
