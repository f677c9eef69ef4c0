#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks of the built libraries, with readelf.

    binary.py exports  LIBRARY exports.txt... the exported symbols are exactly the listed ones
    binary.py covers   PROGRAM exports.txt    a static host exports the listed functions of the ABI
    binary.py imports  LIBRARY imports.txt    it needs only libc, and imports only the listed names
                                              of it
    binary.py cxx_imports LIBRARY imports.txt the same for a library that may need the C++ runtime
    binary.py dynamic  LIBRARY                soname, nodelete, bind now, own names not looked up
    binary.py sections ARCHIVE                no object file has code that runs at load
    binary.py size     LIBRARY BYTES          code and data in the file are at most this large
    binary.py writable ARCHIVE writable.txt   all writable data is listed
    binary.py hardening FILE-OR-FOLDER...     what is installed, or these files of a folder, is
                                              hardened
    binary.py kernel   LIBRARY lists.txt SECTION VERSION.txt...
                                              of the runtime a kernel imports exactly the names of a
                                              section, and each of these versions of the reference
                                              has them

A list holds one name a line; '#' starts a comment, and [NAME] a section in a file of several lists.
"""
import os
import pathlib
import re
import subprocess
import sys

# Not allowed even in imports.txt: these end the process, print, or handle signals.
FORBIDDEN = re.compile(r"""
    _?_?exit|_Exit|quick_exit|abort|raise|kill|tgkill|p?thread_kill|pthread_exit|terminate
  | atexit|at_quick_exit|on_exit|signal|bsd_signal|sigaction|sigprocmask|pthread_sigmask|sigaltstack
  | stdin|stdout|stderr|write|writev|dprintf|perror|psignal|syslog|v?warnx?|v?errx?|error
  | (?:__)?v?f?w?printf(?:_chk)?|f?put[sc]|putchar|putw|fputwc|fputws|fwrite(?:_unlocked)?
  | __assert.*|__fortify_fail|__chk_fail|environ|setenv|putenv
  | setlocale|system|popen|fork|vfork|exec[vl].*
""", re.X)
# Names of the C++ runtime. A weak reference to one of them does not require that runtime.
CXX_RUNTIME = re.compile(r"_Z.*|__cxa_(?!finalize$).*|__gxx_.*|_Unwind_.*")
# Parts of libc that some systems keep in separate files, and the dynamic loader.
LIBC = r"libc|libpthread|libdl|ld-[\w.-]+|ld(64)?|libc\.musl-\w+"
# On ARM, tables for unwinding name functions of libgcc_s, and 64-bit division may raise a signal,
# for zero.
ARM = {"__aeabi_unwind_cpp_pr0", "__aeabi_unwind_cpp_pr1", "raise"}
# What processors without instructions for atomic operations on 64 bits need.
ATOMIC = re.compile(r"__atomic_\w+_8")
LIBCXX = r"libstdc\+\+|libc\+\+|libc\+\+abi|libunwind|libgcc_s|libm"


def readelf(*args):
    tool = os.environ.get("READELF", "readelf")
    done = subprocess.run([tool, "-W", *args], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def read_list(path):
    with open(path, encoding="utf-8") as lines:
        names = [line.split("#")[0].strip() for line in lines]
    return [name for name in names if name]


def read_section(path, section):
    """One of the lists of a file."""
    lines = read_list(path)
    names = lines[lines.index(f"[{section}]") + 1:]
    ends = [number for number, name in enumerate(names) if name.startswith("[")]
    return names[:ends[0]] if ends else names


def symbols(path, table):
    """(section index, type, binding, size, name) of every symbol in a table."""
    for line in readelf(table, path):
        cells = line.split()
        if len(cells) >= 8 and re.fullmatch(r"\d+:", cells[0]):
            name = cells[7].split("@")[0]
            yield cells[6], cells[3], cells[4], int(cells[2], 0), name


def dynamic(path):
    """(tag, text) of every entry of the dynamic section."""
    for line in readelf("-d", path):
        found = re.match(r"\s*0x[0-9a-f]+ \((\w+)\)\s*(.*)", line)
        if found:
            yield found.groups()


def compare(got, wanted, problem):
    got, wanted = set(got), set(wanted)
    return ([f"{problem}, but is not in the list: {name}" for name in sorted(got - wanted)]
            + [f"in the list, but not {problem}: {name}" for name in sorted(wanted - got)])


def check_exports(library, *list_paths):
    names, problems = [], []
    for path in list_paths:
        listed = read_list(path)
        problems += [] if listed == sorted(listed) else [f"{path} is not sorted"]
        names += listed
    defined = {name for section, _, binding, _, name in symbols(library, "--dyn-syms")
               if section != "UND" and binding != "LOCAL"}
    return problems + compare(defined, names, "exported")


def check_covers(program, list_path):
    # TVMFFIRuntime* is for the host itself; archive members with nothing else need not be linked.
    wanted = {name for name in read_list(list_path) if not name.startswith("TVMFFIRuntime")}
    defined = {
        name for section, _, _, _, name in symbols(program, "--dyn-syms") if section != "UND"
    }
    return [f"not exported: {name}" for name in sorted(wanted - defined)]


def check_imports(library, list_path, needed=LIBC, is_cxx=False):
    allowed, arm = set(read_list(list_path)), set()
    if re.search(r"Machine:\s+ARM$", "\n".join(readelf("-h", library)), re.M):
        arm, needed = ARM, f"{needed}|libgcc_s"
    imports = {name: binding for section, _, binding, _, name in symbols(library, "--dyn-syms")
               if section == "UND" and name}
    used = {name for name in imports if name not in arm and not ATOMIC.fullmatch(name)}
    if len(used) < len(imports.keys() - arm):
        needed += "|libatomic"
    problems = [f"must never be imported: {name}" for name in sorted(used | allowed)
                if FORBIDDEN.fullmatch(name)]
    for name in sorted(used):
        if is_cxx and CXX_RUNTIME.fullmatch(name):
            continue
        if name not in allowed:
            problems.append(f"imported, but is not in the list: {name}")
        if CXX_RUNTIME.fullmatch(name) and imports[name] != "WEAK":
            problems.append(f"needs a C++ runtime, for it is not weak: {name}")
    return problems + [f"needs {text}" for tag, text in dynamic(library)
                       if tag == "NEEDED" and not re.search(rf"\[({needed})\.so[.\d]*\]", text)]


def check_cxx_imports(library, list_path):
    return check_imports(library, list_path, f"{LIBC}|{LIBCXX}", is_cxx=True)


def check_dynamic(library):
    entries = list(dynamic(library))
    texts = {tag: text for tag, text in entries}
    problems = []
    if "[libtvm_ffi.so]" not in texts.get("SONAME", ""):
        problems.append(f"soname is {texts.get('SONAME')}")
    flags = texts.get("FLAGS_1", "")
    for flag in ("NODELETE", "NOW"):
        if flag not in flags:
            problems.append(f"{flag} is not set, FLAGS_1 is: {flags}")
    for tag in ("TEXTREL", "RPATH"):
        if tag in texts:
            problems.append(f"has {tag}")
    own = {name for section, _, _, _, name in symbols(library, "--dyn-syms") if section != "UND"}
    for line in readelf("-r", library):
        cells = line.split()
        # type_info, its name and virtual tables of C++ classes must be unique in the process: they
        # may be bound to a client's copy.
        if (len(cells) >= 5 and cells[4].split("@")[0] in own and not cells[4].startswith(
            ("_ZTI", "_ZTS", "_ZTV"))):
            problems.append(f"relocation by the name of an own export: {cells[2]} {cells[4]}")
    if not any(re.match(r"\s*GNU_STACK\b.*\bRW\b", line) for line in readelf("-l", library)):
        problems.append("asks for an executable stack")
    return problems


def check_size(library, limit):
    """Sizes of loaded sections: debug information and padding between sections do not count."""
    total = 0
    for line in readelf("-S", library):
        found = re.match(
            r"\s*\[\s*\d+\] \S+\s+(\w+)\s+[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) \w\w\s+(\w*)\s", line)
        if found and found.group(1) != "NOBITS" and "A" in found.group(3):
            total += int(found.group(2), 16)
    print(f"{total} of {limit} bytes")
    return [] if 0 < total <= int(limit) else [f"{total} bytes, which is not in 1 to {limit}"]


def check_sections(archive):
    problems, member, members = [], "?", 0
    for line in readelf("-S", archive):
        if line.startswith("File: "):
            member, members = line[6:], members + 1
        found = re.search(
            r"\s(\.(?:preinit_array|init_array|fini_array|ctors|dtors|init|fini)\b\S*)", line)
        if found:
            problems.append(f"{member} has {found.group(1)}")
    return problems or ([] if members else [f"no object file in {archive}"])


def check_writable(archive, list_path):
    """Unlisted data is an error; listed data that a compiler or profile leaves out is not."""
    allowed = set(read_list(list_path))
    member, sections, found = "?", {}, set()
    for line in readelf("-S", "-s", archive):
        file = re.match(r"File: .*[(\[](\w+\.c)\.o[)\]]", line)
        section = re.match(
            r"\s*\[\s*(\d+)\] (\S+)\s+\w+\s+[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ \w\w\s+(\w*)\s", line)
        cells = line.split()
        if file:
            member, sections = file.group(1).replace("_", "/", 1), {}
        elif (section and "W" in section.group(3)
              and not section.group(2).startswith(".data.rel.ro")):
            sections[section.group(1)] = section.group(2)
        elif (len(cells) == 8 and cells[3] in ("OBJECT", "TLS", "COMMON") and cells[7][0] != "$"
              and cells[6] in {*sections, "COM"}):
            # Strip what compilers add to the name of a function's static variable: name.1,
            # function.name
            name = re.sub(r"^.*\.(?=\D)|\.\d+$", "", cells[7])
            found.add(f"{member}: {name}")
    problems = [f"writable, but is not in the list: {name}" for name in sorted(found - allowed)]
    return problems if found else [f"no writable data at all in {archive}: was it read?"]


# What we install, and whether it has text buffers and calls of libc that write to them.
INSTALLED = {
    "libtvm_ffi.so": True, "libtvm_ffi_cxx.so": False, "tvm-ffi": True, "libtvm_ffi.a": None
}


def check_archive_stack(archive):
    """Without the section .note.GNU-stack in each object file, the linker gives a program an
    executable stack."""
    stacks, members = [], 0
    for line in readelf("-S", archive):
        members += line.startswith("File: ")
        found = re.match(
            r"\s*\[\s*\d+\] \.note\.GNU-stack\s+\w+\s+[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ "
            r"\w\w\s+([A-Z]*)\s",
            line)
        stacks += [found.group(1)] if found else []
    good = members > 0 and stacks.count("") == members
    return [] if good else [f"{archive}: {members} object files, .note.GNU-stack: {stacks}"]


def check_hardened(path):
    text = "\n".join(readelf("-h", "-l", "-n", path))
    flags = " ".join(f"{tag} {value}" for tag, value in dynamic(path))
    imports = {name for section, _, _, _, name in symbols(path, "--dyn-syms") if section == "UND"}
    conditions = {
        "is not position-independent": re.search(r"Type:\s+DYN\b", text),
        "has an executable stack": re.search(r"^\s*GNU_STACK\b.*\bRW\s+0x", text, re.M),
        "has a segment both writable and executable": not re.search(r"^\s*LOAD\b.*\bRWE\b", text,
                                                                    re.M),
        "has no read-only relocations (RELRO)": re.search(r"^\s*GNU_RELRO\b", text, re.M),
        "binds functions when they are called": re.search(r"\b(BIND_NOW|NOW)\b", flags),
        "has text relocations": "TEXTREL" not in flags,
    }
    # The default library has no start files, which on some systems have no note.
    if (re.search(r"Machine:.*X86-64", text) and path.name == "libtvm_ffi.so"
            and "cxx" not in path.parent.name):
        conditions["has no note for shadow stacks"] = re.search(r"x86 feature:.*SHSTK", text)
    if INSTALLED[path.name]:
        conditions["has no stack protector"] = "__stack_chk_fail" in imports
        if "libc.so.6" in flags:  # other C libraries have no functions that check
            conditions["is built without _FORTIFY_SOURCE"] = any(
                re.fullmatch(r"__\w+_chk", name) for name in imports)
    return [f"{path} {problem}" for problem, good in conditions.items() if not good]


def check_hardening(*paths):
    files = [
        file for path in map(pathlib.Path, paths)
        for file in ([path] if path.is_file() else path.rglob("*"))
        if file.name in INSTALLED and file.is_file() and file.read_bytes().startswith((b"\177ELF",
                                                                                       b"!<"))
    ]
    print(*files, sep="\n")
    problems = [] if files else [f"none of {', '.join(INSTALLED)} in {', '.join(paths)}"]
    for file in files:
        problems += check_archive_stack(file) if file.suffix == ".a" else check_hardened(file)
    return problems


def check_kernel(library, lists_path, list_name, *version_paths):
    imports = {
        name for section, _, _, _, name in symbols(library, "--dyn-syms") if section == "UND"
    }
    used = {name for name in imports if name.startswith("TVMFFI")}
    problems = compare(used, read_section(lists_path, list_name), "imported")
    for path in version_paths:
        problems += [f"not in {os.path.basename(path)[:-len('.txt')]}: {name}"
                     for name in sorted(used - set(read_list(path)))]
    is_cxx = any(re.match(r"_Z|__gxx_|__cxa_(?!finalize$)", name) for name in imports)
    needed = [text for tag, text in dynamic(library) if tag == "NEEDED"]
    return problems + [f"needs {text}" for text in needed
                       if "tvm_ffi" in text or ("stdc++" in text and not is_cxx)]


def main():
    checks = {
        "exports": check_exports, "covers": check_covers, "imports": check_imports,
        "cxx_imports": check_cxx_imports, "dynamic": check_dynamic, "sections": check_sections,
        "size": check_size, "hardening": check_hardening, "writable": check_writable,
        "kernel": check_kernel
    }
    problems = checks[sys.argv[1]](*sys.argv[2:])
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
