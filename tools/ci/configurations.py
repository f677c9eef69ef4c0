# SPDX-License-Identifier: Apache-2.0
"""The parts `configurations` and `meson_options` of tools/test: every option of the build, and
machines that lack something.

The options and their values are those that Meson lists, so a new one is tested without a change
here. Each configuration is set up in the build tree that the one before has left, Ninja plans its
build, and the libraries are compiled if their commands differ from those of every configuration
before. One that fails is tried again in a new tree, with one option after the other left out; the
report has the command that repeats the failure.
"""
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import stat
import sys
import time

import steps
from steps import (ALL, JOBS, PROGRESS_SECONDS, RELEASE, REPORT, ROOT, TESTS, execute, links,
                   meson_test, needed, part, tracked)

WORK = ROOT / "build-configurations"

# Options of ours that exclude each other, and what the build says of them.
WITH_CXX = "it takes a C++ compiler, -Dprofile=full, a shared library"
REFUSED = [
    ({"single_file": "true", "cpp": "auto"}, "single_file wants -Dcpp=disabled"),
    ({"single_file": "true", "cpp": "enabled"}, "single_file wants -Dcpp=disabled"),
    ({"cxx_exports": "enabled", "cpp": "disabled"}, WITH_CXX),
    ({"cxx_exports": "enabled", "profile": "core"}, WITH_CXX),
    ({"cxx_exports": "enabled", "loading": "disabled"}, WITH_CXX),
    ({"cxx_exports": "enabled", "single_file": "true"}, "wants -Dcpp=disabled"),
    ({"tools": "enabled", "loading": "disabled"}, "it needs dlopen"),
    ({"benchmarks": "enabled", "loading": "disabled"}, "they need dlopen"),
    *(({"isolated": "enabled", name: value},
       "it needs Linux or macOS, threads, dlopen and the full profile")
      for name, value in (("profile", "core"), ("loading", "disabled"), ("threads", "disabled"))),
]
# Options of Meson that are not tried: for other backends, for how its output looks, for folders, or
# with values that are no more than a list of names.
NOT_TRIED = {
    "backend", "b_colorout", "b_lto_mode", "b_lto_threads", "b_thinlto_cache", "b_bitcode",
    "b_vscrt", "errorlogs", "stdsplit", "genvslite", "install_umask", "unity_size", "vsenv",
    "os2_emxomf", "python.install_env", "python.bytecompile", "python.allow_limited_api",
    "pkgconfig.relocatable"
}
# Options that get configurations of their own, because they would hide errors of others. The others
# are spread over a few.
ALONE = {
    "auto_features", "b_coverage", "b_lto", "b_pgo", "b_sanitize", "buildtype", "default_library",
    "warning_level", "werror"
}
SPREAD = 8
# How many choices are tried for few configurations with all pairs of options, and for each of them.
TRIED = 16

# Standards that are too old for this project. It ignores them where a project around it sets them.
OLDER = {"c_std": ".*(89|90)", "cpp_std": r".*\+\+(98|03|0x|11|1y|14)"}
TOO_OLD = "tests, samples and the tool take C99 and C++17"
# Tests and samples take most of the time of a setup; optimising, and debug information, most of
# that of a compiler.
FEW = {"tests": "disabled", "samples": "disabled"}
QUICK = {"buildtype": "plain"}


def introspected(what, folder):
    """What Meson knows of a build tree."""
    return json.loads((folder / f"meson-info/intro-{what}.json").read_text(encoding="utf-8"))


def as_word(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def options(folder):
    """The options of ours and those of Meson, each with its values, the first being that of a build
    tree."""
    ours, usual = {}, {}
    for option in introspected("buildoptions", folder):
        values, default = option.get("choices") or ([True, False] if option["type"] == "boolean"
                                                    else []), as_word(option["value"])
        if option["name"] == "b_sanitize":  # a list since Meson 1.8
            values, default = [
                "none", "address", "thread", "undefined", "leak", "address,undefined"
            ], "none"
        others = [as_word(value) for value in values if as_word(value) != default]
        if option["section"] == "user":
            ours[option["name"]] = [default, *others]
        elif (option["section"] in ("core", "base", "compiler") and others
              and option["name"] not in NOT_TRIED and ":" not in option["name"]
              and not option["name"].startswith("build.")):
            usual[option["name"]] = [default, *others]
    return ours, usual


def pairs_covered(values, refused):
    """Configurations that have every pair of values of two options, but those that are refused, at
    least once: the fewest that some random choices find, which are the same each time."""
    def allowed(chosen):
        return not any(
            all(chosen.get(name) == value for name, value in pair.items()) for pair, _ in refused)

    left = {
        frozenset(pair) for one, other in itertools.combinations(values, 2)
        for pair in itertools.product([(one, value)
                                       for value in values[one]], [(other, value)
                                                                   for value in values[other]])
        if allowed(dict(pair))
    }

    def pairs_of(row):
        return set(map(frozenset, itertools.combinations(row.items(), 2)))

    def complete(row, left, numbers):
        """A configuration with the values of this one, and for each other option, in a random
        order, the value with most pairs that are left; None if those of some option are
        refused."""
        for name in numbers.sample(sorted(values.keys() - row.keys()), len(values) - len(row)):
            row[name] = max(
                (value for value in values[name] if allowed({**row, name: value})),
                key=lambda value: (sum(frozenset([(name, value), pair]) in left
                                       for pair in row.items()), numbers.random()), default=None)
            if row[name] is None:
                return None
        return row

    def cover(left, numbers):
        left, rows = set(left), []
        while left:
            ordered = sorted(map(sorted, left))
            tried = filter(None, (complete(dict(numbers.choice(ordered)), left, numbers)
                                  for _ in range(TRIED)))
            rows.append(max(tried, key=lambda row: len(pairs_of(row) & left), default=None))
            if rows[-1] is None:
                return None
            left -= pairs_of(rows[-1])
        return rows

    found = (cover(left, random.Random(seed)) for seed in range(TRIED))
    return min(filter(None, found), key=len)


class Tree:
    """A build tree that configurations are tried in, one after the other."""
    compiled = set()  # digests of the commands of libraries that were compiled in any tree

    def __init__(self, name, source=ROOT, always=(), env=None, wanted=None, under=(), tried=None):
        self.folder, self.source, self.always, self.env = WORK / name, source, list(
            always), env or {}
        self.under = list(under)  # the beginning of each command
        self.tried = tried  # uses what was compiled, and returns what is wrong with it
        self.wanted = (wanted or
                       (lambda target: target["type"].endswith(" library") and target["installed"]))
        shutil.rmtree(self.folder, ignore_errors=True)

    def setup(self, chosen, again=True):
        """The words of the command that sets it up with some options."""
        known = (self.folder / "build.ninja").exists()
        return [
            *self.under, "meson", "setup", *(["--reconfigure"] if known and again else []),
            self.folder, self.source, *self.always,
            *(f"-D{name}={value}" for name, value in chosen.items())
        ]

    def command(self, chosen):
        """The same for a person."""
        words = [f"{name}={shlex.quote(value)}" for name, value in self.env.items()]
        setup = map(str, self.setup(chosen, again=False))
        return " ".join([*words, shlex.join(setup), "&& ninja -C", shlex.quote(str(self.folder))])

    def attempt(self, chosen, compiling=True):
        """Set it up, plan its build, and compile the libraries if no configuration was compiled
        like this before. Returns the output of the step that failed, or None and the output of
        Meson."""
        done = execute(self.setup(chosen), env=self.env)
        if done.returncode != 0:
            return done.stdout, ""
        planned = execute(["ninja", "-C", self.folder, "-n"], env=self.env)
        if planned.returncode != 0:
            return planned.stdout, ""
        files = [
            os.path.relpath(file, self.folder) for target in introspected("targets", self.folder)
            if self.wanted(target) for file in target["filename"]
        ]
        if not files:
            return "there is no library among its targets", ""
        commands = execute(["ninja", "-C", self.folder, "-t", "commands", *files]).stdout
        # Folders aside, what compilers write for Ninja, and standards that add little to those
        # before.
        commands = re.sub(r"-std=(gnu|c)(99|11|17|18)\b|-std=(gnu|c)\+\+(17|1z)\b", "", commands)
        words = re.sub(
            r"(?m)^.*\b(?:symbolextractor|cleantrees?)\b.*$| -(?:I|M[A-Z] ?|o |isystem ?)\S+|\S*/",
            " ", commands)
        digest = hashlib.sha256(" ".join(words.split()).encode()).digest()
        if compiling and digest not in Tree.compiled:
            built = execute(
                [*self.under, "ninja", "-C", self.folder, "-j", os.environ[JOBS], *files],
                env=self.env)
            if built.returncode != 0:
                return built.stdout, ""
            wrong = self.tried and self.tried(self.folder)
            if wrong:
                return wrong, ""
            Tree.compiled.add(digest)
        return None, done.stdout


def smallest(tree, chosen, defaults):
    """The options that it takes for a configuration to fail, and what it says; None if it passes in
    a new tree."""
    def fails(some):
        shutil.rmtree(tree.folder, ignore_errors=True)
        Tree.compiled.clear()
        return tree.attempt(some)[0]

    chosen = {name: value for name, value in chosen.items() if value != defaults.get(name)}
    said = fails(chosen)
    if said is None:
        return None, ""
    for name in list(chosen):
        rest = {other: value for other, value in chosen.items() if other != name}
        less = fails(rest)
        if less is not None:
            chosen, said = rest, less
    return chosen, said


def try_all(what, tree, rows, defaults):
    """Try configurations one after the other; report how many pass, and of each that fails the
    options that it takes."""
    good, said_at = 0, time.monotonic()
    for number, row in enumerate(rows, 1):
        if time.monotonic() - said_at >= PROGRESS_SECONDS:
            REPORT.say(f"...     {what}: {number} of {len(rows)}")
            said_at = time.monotonic()
        said, _ = tree.attempt({**defaults, **row})
        if said is None:
            good += 1
            continue
        alone = Tree("failed", tree.source, tree.always, tree.env, tree.wanted, tree.under,
                     tree.tried)
        chosen, less = smallest(alone, row, defaults)
        if chosen is None:
            less, chosen = "It fails only after other configurations:\n" + said, row
        REPORT.fail(f"{what}: {' '.join(f'-D{n}={v}' for n, v in chosen.items())}",
                    f"$ {alone.command(chosen)}\n{less}")
        shutil.rmtree(tree.folder, ignore_errors=True)
    REPORT.passed += good
    REPORT.say(f"ok      {what}: {good} of {len(rows)} configurations")


def refusals(ours, tree, defaults):
    """The options that exclude each other are refused, and with a reason. Returns the refusals,
    with those that this machine adds because it lacks something."""
    refused = list(REFUSED)
    for name, values in ours.items():
        if "enabled" in values:
            said, _ = tree.attempt({**defaults, **FEW, name: "enabled"}, compiling=False)
            lacks = re.search(
                r"ERROR: ((Feature|Program|Dependency) .*(cannot be enabled|not found).*)", said
                or "")
            if lacks:
                REPORT.skip(f"{name}=enabled", lacks[1])
                refused.append(({name: "enabled"}, ""))
    for pair, message in REFUSED:
        said, _ = tree.attempt({**defaults, **FEW, **pair}, compiling=False)
        REPORT.check(f"refused: {' '.join(f'-D{n}={v}' for n, v in pair.items())}", said
                     and message in said, said or "")
    return refused


def places_of_dlpack():
    """An environment where -Ddlpack finds the header of the system and that of a package: both are
    ours."""
    header = ROOT / "subprojects/dlpack/include/dlpack"
    system, package = WORK / "places/system", WORK / "places/python"
    shutil.copytree(header, system / "dlpack")
    shutil.copytree(header, package / "tvm_ffi/3rdparty/dlpack/include/dlpack")
    (package / "tvm_ffi/__init__.py").write_text("", encoding="utf-8")
    return {"CPATH": str(system), "PYTHONPATH": str(package)}


def defaults_of(usual):
    """What all of Meson's options are set to, so that the next configuration does not keep the
    value of the one before. The type of the build sets two more."""
    return {
        **{
            name: values[0]
            for name, values in usual.items() if name not in ("debug", "optimization")
        }, **QUICK
    }


def rows_of_meson(usual, with_older):
    """Configurations that have every value of Meson's options: those of ALONE have one each, the
    others share some."""
    values = {
        name: [
            value for value in values[1:]
            if with_older or not re.fullmatch(OLDER.get(name, ""), value)
        ] for name, values in usual.items()
    }
    # The oldest last, so that the others share configurations with and without them.
    for name, older in OLDER.items():
        values[name].sort(key=lambda value: bool(re.fullmatch(older, value)))
    values["b_sanitize"] = [
        value for value in values["b_sanitize"]
        if links(os.environ.get("CC", "cc"), f"-fsanitize={value}")
    ]
    shared = [name for name in values if name not in ALONE]
    rows = [{} for _ in range(max(len(values[name]) for name in shared))]
    for number, name in enumerate(shared):
        for index, value in enumerate(values[name]):
            # In different configurations, and the same ones with and without older standards.
            rows[index if name in OLDER else (number + index) % SPREAD][name] = value
    return [{name: value} for name in sorted(ALONE) for value in values[name]] + rows


def project_around():
    """A project with this one among its subprojects: that of tests/downstream, whose sources are
    those of samples."""
    folder = WORK / "parent"
    shutil.copytree(ROOT / "tests/downstream/meson", folder)
    for source in ("samples/01_load_and_call/kernel.c", "samples/01_load_and_call/host.c",
                   "samples/11_cpp_add_one/add_one.cc", "samples/11_cpp_add_one/load.cc",
                   "tests/downstream/cxx_host.cc", "tests/downstream/isolated_host.c"):
        shutil.copy(ROOT / source, folder)
    (folder / "subprojects/tvm_ffi").symlink_to(ROOT)
    return folder


def hidden(*paths):
    """The beginning of a command that does not find these files and folders."""
    there = [path for path in dict.fromkeys(map(pathlib.Path, paths)) if path.exists()]
    binds = "".join(
        f"mount --bind {shlex.quote(str(WORK / ('empty' if path.is_dir() else 'nothing')))} "
        f"{shlex.quote(str(path))} && " for path in there)
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", *user, "--mount", "sh", "-c", binds + 'exec "$@"', "sh"]


def without_something():
    """Machines that lack one of the things that are used where they are there."""
    (WORK / "empty").mkdir()
    # A socket cannot be opened, and Meson does not take it for a file.
    os.mknod(WORK / "nothing", stat.S_IFSOCK | 0o600)
    (WORK / "bin").mkdir()
    python = WORK / "bin/python3"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(shutil.which("python3"))} -I -S "$@"\n',
                      encoding="utf-8")
    python.chmod(0o755)
    cmocka, gtest = (pathlib.Path(
        execute(["pkg-config", "--variable=pcfiledir", name]).stdout.strip())
                     for name in ("cmocka", "gtest"))
    libraries = [
        execute([os.environ.get("CC", "cc"),
                 f"-print-file-name=lib{name}.{suffix}"]).stdout.strip()
        for name in ("gtest", "gtest_main") for suffix in ("a", "so")
    ]
    # How it is hidden, the variables, and what the end of the setup says.
    lacking = {
        "cmocka": (hidden(cmocka / "cmocka.pc", cmocka / "../cmake/cmocka"), {},
                   "tests +: all, by the stand-in for cmocka\n"),
        "GoogleTest": (hidden(gtest / "gtest.pc", gtest / "gtest_main.pc", gtest / "../cmake/GTest",
                              "/usr/src/gtest", "/usr/src/googletest",
                              *filter(os.path.isabs, libraries)), {},
                       "tests +: without those that need GoogleTest\n"),
        "nvcc": (hidden(*(f"{folder}/nvcc"
                          for folder in ("/usr/local/cuda/bin", *os.get_exec_path()))), {},
                 "CUDA +: no\n"),
        "sys/sdt.h": (hidden("/usr/include/sys/sdt.h",
                             *pathlib.Path("/usr/include").glob("*/sys/sdt.h")), {},
                      "probes +: False\n"),
        "a C++ compiler": ([], {"CXX": "/nonexistent"}, r"C\+\+ +: no\n"),
        "pkg-config": ([], {"PKG_CONFIG": "/nonexistent"}, "tests +: "),
        "modules of Python": ([], {"PATH": f"{python.parent}:{os.environ['PATH']}"},
                              "tests +: all\n"),
    }
    namespaces = execute([*hidden(sys.executable), "true"]).returncode == 0
    for name, (under, env, told) in lacking.items():
        if under and not namespaces:
            REPORT.skip(f"without {name}", "unshare and mount cannot hide files here")
            continue
        tree = Tree("without", under=under, env=env)
        chosen = {"cxx_exports": "auto", **QUICK}
        said, printed = tree.attempt(chosen, compiling=False)
        REPORT.check(f"without {name}", said is None and re.search(told, printed),
                     f"$ {tree.command(chosen)}\n{said or printed}")
        if name == "cmocka" and said is None:
            run_tests(tree, "unit", "without cmocka")


def run_tests(tree, suite, how):
    REPORT.run(f"the tests `{suite}` are built {how}", [
        *tree.under, "ninja", "-C", tree.folder, "-j", os.environ[JOBS],
        *needed(tree.folder, [suite])])
    meson_test(tree.folder, suites=[suite])


def without_local_runtime():
    """Kernels are refused that find this runtime only by a file that it writes."""
    tree = Tree("refused")
    said, _ = tree.attempt({"local_runtime": "false", "cpp": "disabled", **QUICK}, compiling=False)
    REPORT.check("local_runtime=false", said is None, said or "")
    if said is None:
        run_tests(tree, "modules", "without local_runtime")


def other_places():
    """Both kinds of compilers together, other locales, and a user with a strict umask and spaces in
    paths."""
    for compilers in ("clang", "g++"), ("gcc", "clang++"):
        tree = Tree("compilers", env=dict(zip(("CC", "CXX"), compilers)),
                    always=["-Dcxx_exports=enabled"])
        said, _ = tree.attempt(QUICK)
        REPORT.check(f"CC={compilers[0]} CXX={compilers[1]}", said is None, said or "")
    locales = WORK / "locales"
    locales.mkdir(exist_ok=True)
    for locale in "C", "de_DE.UTF-8", "ja_JP.UTF-8", "tr_TR.UTF-8":
        if locale != "C":
            name, charmap = locale.split(".")
            if execute(["localedef", f"--inputfile={name}", f"--charmap={charmap}",
                        locales / locale]).returncode != 0:
                REPORT.skip(f"LC_ALL={locale}", "localedef cannot make this locale")
                continue
        said, _ = Tree("locale", env={"LC_ALL": locale, "LOCPATH": str(locales)}).attempt(
            FEW, compiling=False)
        REPORT.check(f"LC_ALL={locale}", said is None, said or "")

    around = WORK / "a folder with spaces"
    for path in tracked():
        copy = around / "the sources" / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    prefix = around / "the prefix"
    strict = ["sh", "-c", 'umask 077; exec "$@"', "sh"]
    tree = Tree(
        "a folder with spaces/the build", source=around / "the sources", under=strict,
        always=[f"--prefix={prefix}", "--libdir=lib", "-Ddlpack=fallback", "-Dbuildtype=plain"])
    said, _ = tree.attempt({}, compiling=False)
    REPORT.check("a folder with spaces", said is None, said or "")
    said, _ = tree.attempt({**FEW, "tools": "disabled"})
    REPORT.check("the libraries in a folder with spaces", said is None, said or "")
    REPORT.run("installed under umask 077", [*strict, "ninja", "-C", tree.folder, "install"])
    closed = [str(path) for path in prefix.rglob("*") if path.stat().st_mode & 0o044 != 0o044]
    REPORT.check("others may read what is installed", not closed, "\n".join(closed))
    env = {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"), "LD_LIBRARY_PATH": str(prefix / "lib")}
    flags = shlex.split(
        REPORT.run("pkg-config in a folder with spaces",
                   ["pkg-config", "--cflags", "--libs", "tvm_ffi"], env=env))
    sample = ROOT / "samples/01_load_and_call"
    REPORT.run("a kernel",
               ["cc", "-shared", "-fPIC", sample / "kernel.c", *flags, "-o", around / "kernel.so"])
    REPORT.run("a host", ["cc", sample / "host.c", *flags, "-o", around / "host"])
    printed = REPORT.run("it runs", [around / "host", around / "kernel.so"], env=env)
    REPORT.check("and prints what it should",
                 printed == (sample / "expected.txt").read_text(encoding="utf-8"), printed)


def pairs_of_ours(ours):
    """Every value of our options, and every pair of values of two."""
    tree, defaults = Tree(
        "tree", env=places_of_dlpack()), {name: values[0] for name, values in ours.items()}
    rows = pairs_covered(ours, refusals(ours, tree, defaults))
    # What changes most commands changes seldom.
    rows.sort(key=lambda row: [row[name] in ("disabled", "core", "true")
                               for name in ("single_file", "profile", "threads", "loading")])
    try_all("pairs of options of this project", tree, [{**row, **QUICK} for row in rows], defaults)


def options_of_meson(usual):
    """Every value of an option of Meson. Tests are configured where they or samples read the
    option."""
    for name, value in ("c_std", "c89"), ("cpp_std", "c++14"):
        said, _ = Tree("tree").attempt({**FEW, name: value}, compiling=False)
        REPORT.check(f"refused: -D{name}={value}", said and TOO_OLD in said, said or "")
    text = "".join(
        path.read_text(encoding="utf-8") for path in tracked()
        if path.name == "meson.build" and path.relative_to(ROOT).parts[0] in ("tests", "samples",
                                                                              "demos"))
    read = {"layout", *re.findall(r"get_option\('(\w+)'\)", text)}
    rows = [{**row, **(dict.fromkeys(FEW, "auto") if read & row.keys() else FEW)}
            for row in rows_of_meson(usual, False)]
    try_all("options of Meson", Tree("tree", always=["-Dcxx_exports=auto"]), rows,
            defaults_of(usual))


def host_runs(folder):
    """Run the host of the project around with its kernel; returns what is wrong."""
    done = execute([folder / "host", folder / "kernel.so"])
    expected = (ROOT / "samples/01_load_and_call/expected.txt").read_text(encoding="utf-8")
    return ("" if done.stdout == expected else
            f"host exits with {done.returncode} and prints:\n{done.stdout}")


def options_around(usual):
    """The same in a project around this one."""
    tree = Tree(
        "parent/build", source=project_around(),
        always=["--wrap-mode=forcefallback", "-Dtvm_ffi:cxx_exports=auto"],
        wanted=lambda target: "subprojects/tvm_ffi" in target["defined_in"] or target["name"] in
        ("host", "kernel"), tried=host_runs)
    usual = {name: values for name, values in usual.items() if name != "wrap_mode"}
    try_all("options of a project around this one", tree, rows_of_meson(usual, True),
            defaults_of(usual))


def default_options():
    """The options of the default configuration, in a new folder; None after noting that it
    fails."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir()
    Tree.compiled.clear()
    tree = Tree("tree")
    said, _ = tree.attempt({}, compiling=False)
    if said:
        REPORT.fail("the default configuration", said)
        return None
    return options(tree.folder)


@part(TESTS + " clang",
      alone="options of ours that exclude each other, a machine that lacks something")
def configurations():
    """every option of this project's build, and pairs of them; what is optional hidden; with
    --release other compilers and places"""
    found = default_options()
    if found:
        pairs_of_ours(found[0])
        without_something()
        without_local_runtime()
        if steps.RUN != ALL:
            other_places()


@part(TESTS, when=RELEASE,
      alone="an option that Meson has for all projects: these change with Meson, not with sources")
def meson_options():
    """every option of Meson, here and in a project around this one"""
    found = default_options()
    if found:
        options_of_meson(found[1])
        options_around(found[1])
