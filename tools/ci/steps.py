# SPDX-License-Identifier: Apache-2.0
"""What the parts of tools/test are made of: their list, their report, builds and tests of Meson,
commands."""
import contextlib
import json
import math
import os
import pathlib
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = {}
PROGRESS_SECONDS = 20
# A command that writes nothing for so long hangs: no test and no step of a build takes half of it.
SILENT_SECONDS = 900
# The variable with the time on the monotonic clock at which the whole run ends.
DEADLINE = "TVM_FFI_TEST_DEADLINE"
# The variable with the number of jobs of a part: Meson reads it for tests, build() for compilers.
JOBS = "MESON_TESTTHREADS"


class Failed(Exception):
    """A step failed, so the rest of the part is not run."""


# When parts run, each with the parts before: without arguments, with --all, with --release. The
# others run when they are named, and those for other systems with --platforms.
DAILY, ALL, RELEASE, NAMED = range(4)


def part(needs="", when=ALL, alone=""):
    """Make a function a part; --list and the report print its docstring.

    needs: what the part uses, in the words of tools/test, which installs it. when: one of the names
    above. alone: what it finds that no part before it does, or for a part of RELEASE or NAMED why
    that is enough; a row of the table in CONTRIBUTING.md."""
    words = needs.split()

    def add(function):
        function.__doc__ = " ".join(function.__doc__.split())
        function.needs, function.when, function.alone = words, when, alone
        PARTS[function.__name__] = function
        return function
    return add


# What most parts need.
BUILD = "cc meson ninja pkg-config"
C_TESTS = BUILD + " cmocka locales"
TESTS = C_TESTS + " g++ gtest"
GCC_TESTS = TESTS + " clang cmake gdb libtcc make sdt venv"
SANITIZERS = " clang clang-sanitizers lld llvm-symbolizer"
SANITIZER_TESTS = TESTS + SANITIZERS

# Optimising templates takes most of the time of a build, and four times as long with a sanitizer,
# so only gcc's build does it. Full debug information of templates takes a quarter: -g1 has
# functions and lines.
CPP = "-Dcpp_args=-g1"
PLAIN_CPP = "-Dcpp_args=-O0 -g1"
# Debug information takes a fifth of the time of a compiler for C. What reads it is tested in gcc's
# build. Reports of sanitizers name functions and lines, which -g1 has.
NO_DEBUG = "-Ddebug=false"
LINES_ONLY = "-Dc_args=-g1"

# Which parts this run is for, of the names above: some do less where others do it more thoroughly,
# or for the time that it takes. run.py sets it.
RUN = NAMED


class Report:
    """The passes, failures and skips so far, in one part or several."""

    def __init__(self):
        self.start()

    def start(self):
        """Forget everything. The modules of parts share one report."""
        self.passed, self.failures, self.skips, self.times, self.part = 0, [], [], [], ""
        self.described = None

    def counts(self):
        return self.passed, len(self.failures), len(self.skips)

    def say(self, *lines):
        """Print lines in one write, so that lines of another part do not come between them."""
        sys.stdout.write("".join(f"{self.part:13} {line}\n" for line in lines))
        sys.stdout.flush()

    def ok(self, what):
        self.passed += 1
        self.say(f"ok      {what}")

    def fail(self, what, text=""):
        lines = [line for line in text.splitlines() if not re.match(r"\[\d+/\d+\] ", line)]
        self.failures.append((f"{self.part}: {what}", lines[-40:]))
        self.say(f"FAILED  {what}", *(f"        | {line}" for line in lines[-60:]))

    def skip(self, what, reason):
        self.skips.append(f"{self.part}: {what}: {reason}")
        self.say(f"skipped {what}: {reason}")

    def add(self, other):
        """Add the counts of another report, whose lines are already printed."""
        self.passed += other.passed
        self.failures += other.failures
        self.skips += other.skips
        self.times += other.times

    def describe(self, system, compiler, runs):
        """Say what a part tests, for its row in docs/porting.md: the system with its C library, the
        compiler, and what runs the programs."""
        self.described = {"system": system, "compiler": compiler, "runs": runs}

    def check(self, what, condition, text=""):
        if condition:
            self.ok(what)
        else:
            self.fail(what, text)

    def run(self, what, command, **kwargs):
        """Run a command as one check; raise Failed if it fails, else return its output."""
        done = execute(command, what, **kwargs)
        if done.returncode != 0:
            self.fail(what, f"$ {shlex.join(map(str, command))}\n{done.stdout}")
            raise Failed
        self.ok(what)
        return done.stdout


REPORT = Report()


def processes():
    """The processes of this machine, by their numbers: the parent, and a line with the state, what
    it waits for in the kernel, and the command. None without /proc."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        wait = "?"  # not every system tells
        with contextlib.suppress(OSError):
            wait = (folder / "wchan").read_text(errors="replace")
        with contextlib.suppress(OSError):  # it has ended
            state, parent = (folder / "stat").read_text(errors="replace").rpartition(") ")[2].split(
            )[:2]
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            found[int(folder.name)] = (
                int(parent), f"{folder.name}, child of {parent}, {state}, in {wait}: {words[:300]}")
    return found


def has_open(number, file):
    """Whether a process has a file open, which may be a pipe."""
    def is_it(link):
        with contextlib.suppress(OSError):  # it is closed
            return os.path.samestat(link.stat(), file)
        return False

    with contextlib.suppress(OSError):  # it has ended, or is another user's
        return any(map(is_it, pathlib.Path(f"/proc/{number}/fd").iterdir()))
    return False


def kill(process):
    """Kill a process, all that descend from it, and what it has left behind that could still write
    where it does; return a line for each."""
    found, pipe = processes(), os.fstat(process.stdout.fileno())
    chosen = {process.pid, *(number for number in found
                             if number != os.getpid() and has_open(number, pipe))}
    while more := {number for number, (parent, _) in found.items() if parent in chosen} - chosen:
        chosen |= more
    for number in chosen:
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            os.kill(number, signal.SIGKILL)
    return [found[number][1] for number in sorted(chosen) if number in found]


def seconds_left():
    """How long this run may still take."""
    return float(os.environ.get(DEADLINE, "inf")) - time.monotonic()


def lines_until_silent(process, hung):
    """The lines that a process writes, also those of what it has started and left behind. If
    nothing comes for SILENT_SECONDS, a test or a program hangs: they are killed, and hung and the
    last lines say what they were. So are they at the end of the run."""
    pipe, waiting = process.stdout, b""
    while True:
        limit = max(0, min(SILENT_SECONDS, seconds_left()))
        if not select.select([pipe], [], [], limit)[0] or seconds_left() <= 0:
            why = ("the time of the run is over" if seconds_left() <= 0 else
                   f"nothing was written for {SILENT_SECONDS} s")
            hung += [f"{why}; killed:", *kill(process)]
            while select.select([pipe], [], [], 0)[0] and (
                    chunk := os.read(pipe.fileno(), 1 << 16)):
                waiting += chunk
            break
        chunk = os.read(pipe.fileno(), 1 << 16)
        if not chunk:
            break
        *lines, waiting = (waiting + chunk).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r").decode(errors="replace") + "\n"
    if waiting:
        yield waiting.decode(errors="replace")
    yield from (line + "\n" for line in hung)


def execute(command, what="", env=None, show=False):
    """Run a command in the root; stdout of the result has the output of both streams, which is also
    printed with show. A command that hangs has failed.

    Of a command that numbers its steps, as Ninja and Meson do, it says now and then how far it
    is."""
    command, lines, said, hung = [str(word) for word in command], [], time.monotonic(), []
    if seconds_left() <= 0:
        raise Failed
    try:
        with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **(env or {})},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            for line in lines_until_silent(process, hung):
                lines.append(line)
                if show:
                    REPORT.say(line.rstrip())
                step = re.match(r"\s*\[?(\d+)/(\d+)\b", line)
                if what and step and time.monotonic() - said >= PROGRESS_SECONDS:
                    REPORT.say(f"...     {what}: {step[1]} of {step[2]}")
                    said = time.monotonic()
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, f"{command[0]}: {error.strerror}\n")
    return subprocess.CompletedProcess(command, 124 if hung else process.returncode,
                                       "".join(lines))


def last_line(text):
    return text.strip().rpartition("\n")[2]


def tests_with_files(folder):
    """Each test of a build, and the files of the build that it depends on."""
    def read(what):
        return json.loads((folder / f"meson-info/intro-{what}.json").read_text(encoding="utf-8"))

    files = {
        target["id"]: [os.path.relpath(file, folder) for file in target["filename"]]
        for target in read("targets")
    }
    return [(test, [file for used in test["depends"] for file in files.get(used, [])])
            for test in read("tests")]


def in_suites(test, suites):
    return bool({suite.rpartition(":")[2] for suite in test["suite"]} & set(suites))


def needed(folder, suites):
    """What the tests of some suites depend on in a build; without suites all that it has, and the
    same of all tests."""
    files = dict.fromkeys(file for test, files in tests_with_files(folder) for file in files
                          if not suites or in_suites(test, suites))
    # From Meson 1.7 on, `all` does not have what is only used by tests.
    return [*([] if suites else ["all"]), *files]


def built_tests(folder, suites, without):
    """The names of the tests of a build, part of which failed, whose files are up to date. Meson
    ends with an error for a name that the suites rule out."""
    names, is_built = [], {}
    for test, files in tests_with_files(folder):
        if suites and not in_suites(test, suites) or in_suites(test, without):
            continue
        for file in files:
            if file not in is_built:
                is_built[file] = "no work to do" in execute(["ninja", "-C", folder, "-n",
                                                             file]).stdout
        if all(is_built[file] for file in files):
            names.append(test["name"])
    return names


# The builds that this run has configured: several parts may use one. Those of which a part failed.
CONFIGURED, INCOMPLETE = set(), set()


def build(name, *options, env=None, werror=True, suites=()):
    """Configure and build build-NAME, or only what some suites of its tests need; return the
    folder.

    If a file cannot be built, that is one failure, and all that does not depend on it is built and
    tested. Instrumented builds set werror to False, because instrumentation causes false
    warnings."""
    folder = ROOT / f"build-{name}"
    # Reconfiguring does not change every option, so a build with other options starts anew.
    stamp, asked = folder / "asked.json", json.dumps([werror, *map(str, options), env])
    known = stamp.exists() and stamp.read_text(encoding="utf-8") == asked
    setup = ["meson", "setup", *(["--reconfigure"] if known else []), folder,
             f"-Dwerror={str(werror).lower()}", *options]
    if name not in CONFIGURED:
        if known and execute(setup, env=env).returncode == 0:
            REPORT.ok(f"build-{name} is configured")
        else:
            shutil.rmtree(folder, ignore_errors=True)
            setup = [word for word in setup if word != "--reconfigure"]
            REPORT.run(f"build-{name} is configured", setup, env=env)
            stamp.write_text(asked, encoding="utf-8")
        CONFIGURED.add(name)
    what = f"build-{name} is built"
    done = execute(
        ["ninja", "-C", folder, "-k", "0", "-j", os.environ[JOBS], *needed(folder, suites)], what,
        env=env)
    REPORT.check(what, done.returncode == 0, done.stdout)
    INCOMPLETE.discard(folder)
    if done.returncode != 0:
        INCOMPLETE.add(folder)
    return folder


def times_of_setup(setup, text):
    """How many times as long tests may take under a setup, as the text of tests/meson.build says;
    the setups in a loop have the same."""
    setups = r"add_test_setup\((?:'(\w+)'|name), timeout_multiplier: (\d+)"
    found = dict(re.findall(setups, text))
    return int(found.get(setup) or found[""]) if setup else 1


def times_of_load(load, processors):
    """How many times as long tests may take on a machine with so many processes that run: twice
    that of a quiet one, and as much as each of them gets less."""
    return 2 + math.ceil(load / processors)


def meson_test(folder, setup=None, suites=(), without=(), env=None, base="testlog", slower=None,
               unreliable=None):
    """Run tests of a build, those of some suites or all but those of others, and report the results
    from Meson's log, whose name begins with base. Tests may take `slower` times as long, or as long
    as the setup says, and longer by the load. Samples in other programs and languages, kernels of C
    libraries, and the package's tests under the recorder, run only where they are asked for. If
    what runs the programs is known to fail by itself, `unreliable` says what it is: then a test
    that fails is run a second time, and what it said at first is printed."""
    without = [*without, *(name for name in ("programs", "languages", "c_libraries", "recorded",
                                             "soak") if name not in suites)]
    log = folder / "meson-logs" / (f"{base}-{setup}.json" if setup else f"{base}.json")
    log.unlink(missing_ok=True)
    what = f"{folder.name}{' under ' + setup if setup else ''}"
    names = built_tests(folder, suites, without) if folder in INCOMPLETE else []
    if folder in INCOMPLETE:
        REPORT.say("        the tests that need what could not be built are left out")
        if not names:
            return
    limits = (ROOT / "tests/meson.build").read_text(encoding="utf-8")
    slower = math.ceil((slower or times_of_setup(setup, limits))
                       * times_of_load(os.getloadavg()[0], os.cpu_count() or 1))
    env = {**(env or {}), "TVM_FFI_TEST_SLOWER": str(slower)}
    done = execute([
        "meson", "test", "-C", folder, "--no-rebuild", "--print-errorlogs", "--logbase", base, "-t",
        str(slower), *(["--setup", setup] if setup else []),
        *(word for suite in suites
          for word in ("--suite", suite)), *(word for suite in without
                                             for word in ("--no-suite", suite)), *names
    ], what + ": tests", env=env)
    tests = []
    if log.exists():
        tests = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    good = 0
    for test in tests:
        # `project:suite / name`, or `suite - project:name` by newer versions of Meson.
        name = re.sub(r"^(?:.* / |\S+ - [^:]+:)", "", test["name"])
        # A case that calls cmocka's skip(); it may print the reason before.
        for case, why in re.findall(r"^\[ RUN      \] (\w+)\n((?:[^\[].*\n)*)\[  SKIPPED \] \1$",
                                    test.get("stdout") or "", re.M):
            REPORT.skip(f"{what}: {name}: {case}",
                        why.strip() or "what it needs is not in this build")
        if test["result"] in ("OK", "EXPECTEDFAIL"):
            good += 1
        elif test["result"] == "SKIP":
            said = (test.get("stdout", "") + test.get("stderr", "")).strip().splitlines()
            REPORT.skip(f"{what}: {name}", said[-1] if said else "no reason given")
        else:
            said = test.get("stdout", "") + test.get("stderr", "")
            again = ["meson", "test", "-C", folder, "--no-rebuild", "--logbase", f"{base}-again",
                     "-t", str(slower), name]
            if unreliable and execute(again, env=env).returncode == 0:
                good += 1
                REPORT.say(f"again   {what}: {name}: passed the second time under {unreliable}",
                           *(f"        | {line}" for line in said.splitlines()[-20:]))
            else:
                REPORT.fail(f"{what}: {name}: {test['result']}", said)
    REPORT.passed += good
    REPORT.say(f"ok      {what}: {good} of {len(tests)} tests")
    if not tests or (done.returncode != 0 and all(t["result"] in ("OK", "SKIP") for t in tests)):
        REPORT.fail(f"{what}: meson test", done.stdout)


def tool(name):
    """The path of a program, or None after noting the skip of this part."""
    path = shutil.which(name)
    if path is None:
        REPORT.skip("all of it", f"{name} is not installed")
    return path


def compiler(*command):
    """Whether a compiler is there, after saying its version; or False after noting the skip of this
    part."""
    done = execute([*command, "--version"])
    if done.returncode != 0:
        REPORT.skip("all of it", last_line(done.stdout))
    else:
        REPORT.say(f"by {done.stdout.splitlines()[0]}")
    return done.returncode == 0


def links(*command):
    """Whether a command compiles and links an empty program."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "t.c")
        source.write_text("#include <errno.h>\nint main(void) { return errno; }\n",
                          encoding="utf-8")
        return execute([*command, source, "-o", source.with_suffix("")]).returncode == 0


def tracked():
    """Files of the project: those that git lists, or without git all outside of build folders and
    releases."""
    done = execute(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"])
    if done.returncode == 0:
        names = [ROOT / name for name in done.stdout.split("\0") if name]
    else:
        names = [path for path in ROOT.rglob("*")
                 if not path.relative_to(ROOT).parts[0].startswith((".git", "build", "dist"))
                 and path.parent.name != "__pycache__"]
    return sorted(path for path in set(names) if path.is_file())
