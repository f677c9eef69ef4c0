# SPDX-License-Identifier: Apache-2.0
"""Whatever a library does, each command that loads it prints its results, or one line of error.

test_isolate.py TVM-FFI DEEDS KERNELS [NO-MEMFD]"""
import concurrent.futures
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import time

from elf import Library, blob
from tool import COMMAND, FILES, LOAD, OK, RAISED, TOOL, USAGE, bad, good, run, work_folder

DEEDS, KERNELS, *NO_MEMFD = map(os.path.abspath, FILES)
WORK = work_folder()
TEMPORARY = WORK / "temporary"
TEMPORARY.mkdir()
FLOOD = "again and again\n"
IS_FULL = os.environ["TVM_FFI_PROFILE"] == "full"
# A sanitizer must leave crashes to the tool.
BASE = dict(os.environ, TMPDIR=str(TEMPORARY),
            ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0:handle_abort=0:detect_leaks=0")

# Commands, with LIB for the library; those of REGISTERED have it loaded until they end.
LISTED = [["list", "--load", "LIB"], ["stub", "LIB"]]
REGISTERED = [["registry", "--match=ffi.json.*", "--lib=LIB"], ["types", "--match=ffi.Module", "--lib=LIB"]]
CALLED = [["run", "LIB", "kernel()"], ["bench", "LIB", "kernel()", "--warmup=0", "--repeat=7"]]
if not IS_FULL:
    REGISTERED, CALLED = [], []
ALL = LISTED + REGISTERED + CALLED
# Of stub; the core profile reads no types.
NOTE = "" if IS_FULL else "tvm-ffi: note: LIB: no types were read from its metadata, so the wrappers take any arguments\n"


def fill_in(command, library=DEEDS):
    return [word.replace("LIB", str(library)) for word in command]


def attempt(command, *options, library=DEEDS, **deeds):
    return run(*fill_in(command, library), *options, env=dict(BASE, **deeds))


def expect(command, code, message, *options, out="", **deeds):
    """The command ends with this code and error line, besides the library's own output, and prints this."""
    got, printed, err = attempt(command, *options, **deeds)
    own = err.replace(FLOOD, "")
    assert got == code and own.startswith("tvm-ffi: ") and message in own, (command, deeds, got, own)
    assert own.count("\n") == 1 and printed.replace(FLOOD, "") == out, (command, deeds, printed, err)


def succeed(command, library=DEEDS, **deeds):
    """The output of a command that must succeed, and print nothing on stderr but the note of stub."""
    code, out, err = attempt(command, library=library, **deeds)
    assert code == OK and err == note_of(command, library), (command, code, out, err)
    return out


def note_of(command, library=DEEDS):
    return NOTE.replace("LIB", str(library)) if command[0] == "stub" else ""


def is_the_same(printed, command):
    """Compares results, except for the numbers that bench measures."""
    return len(printed.splitlines()) == 4 if command[0] == "bench" else printed == RESULTS[command[0]]


RESULTS = {command[0]: succeed(command) for command in ALL}
UNASKED = good("list", DEEDS).replace("[no metadata; --load to ask the library]", "[the library did not answer]")
if IS_FULL:
    assert RESULTS["run"] == "result[0]: 7\n" and len(RESULTS["registry"].splitlines()) == 2, RESULTS
assert UNASKED.splitlines()[1] == "  kernel  ?  [the library did not answer]", UNASKED

# ---- Crashes, exits and hangs, at each moment ----

WRONG = {"crash": "crashed{}: Aborted", "leave": "ended the program{}, with exit code 3",
         "leave_quietly": "ended the program{}, with exit code 0", "stop": "was killed{}: it stopped itself"}
ENDLESS = ["hang", "shut_all_and_hang", "resist", "flood"]


def go_wrong(commands, code, moment, ending, subject):
    for command in commands:
        for deed, message in WRONG.items():
            expect(command, code, f"{subject}: {message.format(ending)}", out=UNASKED if command[0] == "list" else "",
                   **{moment: deed})


go_wrong(ALL, LOAD, "ON_LOAD", " while it was loaded", DEEDS)
go_wrong(LISTED, LOAD, "ON_ASK", " while it was asked for __tvm_ffi__metadata_kernel", DEEDS)
go_wrong(CALLED, LOAD, "ON_ASK", " while it was asked for the types of kernel", DEEDS)
go_wrong(CALLED, RAISED, "ON_CALL", " while it was called", "kernel")
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    waits = []

    def expect_late(command, code, ending, limit=1, **kwargs):
        message = f"was killed{ending}: it took longer than {limit} s (--timeout)"
        waits.append(pool.submit(expect, command, code, message, f"--timeout={limit}", **kwargs))

    for deed in ENDLESS:
        for command in ALL:
            expect_late(command, LOAD, " while it was loaded", 0.1, ON_LOAD=deed,
                        out=UNASKED if command[0] == "list" else "")
        expect_late(LISTED[1], LOAD, " while it was asked for __tvm_ffi__metadata_kernel", ON_ASK=deed)
        for command in CALLED:
            if deed != "flood":  # the output of a call is passed on
                expect_late(command, RAISED, " while it was called", ON_CALL=deed)
        for command in CALLED[:1] + REGISTERED:
            expect_late(command, RAISED, " when the program ended", ON_END=deed, out=RESULTS[command[0]])
    for wait in waits:
        wait.result()
# All results are printed although the process fails at its end; the listing commands run no destructors.
for deed in ["crash", "leave", "stop"]:
    for command in CALLED[:1] + REGISTERED:
        expect(command, RAISED, f"{DEEDS}: {WRONG[deed].format(' when the program ended')}", ON_END=deed,
               out=RESULTS[command[0]])
    for command in LISTED:
        assert succeed(command, ON_END=deed) == RESULTS[command[0]], (command, deed)
listed = json.loads(attempt(LISTED[0], "--json", ON_ASK="crash")[1])
assert listed["functions"][0]["error"] == "the library did not answer", listed
for command in ALL:
    bad(USAGE, '--timeout must be a number from 0.001 to 1e+06, not "0"', *fill_in(command), "--timeout=0")

# ---- Harmless deeds ----

# The library closes the standard files, forks a process that keeps all files open, or one that continues as the
# tool. These runs do end: otherwise the pipes would stay open.
for moment in "ON_LOAD", "ON_ASK", "ON_CALL":
    for deed in "shut", "spawn", "split":
        for command in ALL:
            if (command[0], moment, deed) == ("bench", "ON_CALL", "split"):
                continue  # the number of callers would double with every call
            code, out, err = attempt(command, **{moment: deed})
            assert code == OK and is_the_same(out, command) and err == note_of(command), (command, moment, deed, code, out, err)
# The output of the library comes before the results of a call, and never among the results of others or in JSON.
SAID = "written\nprinted\n"
for moment in "ON_LOAD", "ON_ASK":
    for command in LISTED + REGISTERED:
        if moment == "ON_ASK" and command in REGISTERED:
            continue
        assert attempt(command, **{moment: "print"}) == (OK, RESULTS[command[0]], SAID + note_of(command)), (command, moment)
        code, out, err = attempt(command, "--json", **{moment: "print"})
        assert code == OK and json.loads(out) and err == SAID + note_of(command), (command, moment, code, out, err)
for command in CALLED[:1]:
    for moment in "ON_LOAD", "ON_ASK", "ON_CALL":
        assert attempt(command, **{moment: "print"}) == (OK, SAID + RESULTS["run"], ""), moment
        for options in [], ["--no-fork"]:
            code, out, err = attempt(command, "--json", *options, **{moment: "print"})
            assert code == OK and json.loads(out)["outputs"] and err == SAID, (moment, options, code, out, err)
    assert attempt(command, ON_END="print") == (OK, RESULTS["run"] + SAID, "")
    # A closed pipe ends the tool by SIGPIPE.
    reader, ours = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, *fill_in(command)], stdout=ours, stderr=subprocess.PIPE, env=BASE, check=False)
    os.close(ours)
    assert done.returncode == -signal.SIGPIPE and done.stderr == b"", done

# ---- Processes ----


def wait_for_child(process):
    """The child's process number, as soon as it runs the library's code."""
    children = pathlib.Path(f"/proc/{process}/task/{process}/children")
    while not (found := children.read_text().split()):
        time.sleep(0.01)
    while not any(name in pathlib.Path(f"/proc/{found[0]}/maps").read_text() for name in ("deeds.so", "library.so")):
        time.sleep(0.01)
    return int(found[0])


def start_hanging(command, **kwargs):
    """Start the tool with a library that hangs: its process, and the number of its child."""
    tool = subprocess.Popen([*COMMAND, *fill_in(command, kwargs.pop("library", DEEDS))], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=dict(BASE, ON_LOAD="hang", **kwargs.pop("env", {})), **kwargs)
    return tool, wait_for_child(tool.pid)


def wait_until_gone(process):
    """Wait until the process is gone or is a zombie."""
    status = pathlib.Path(f"/proc/{process}/stat")
    while status.exists() and ") Z " not in status.read_text():
        time.sleep(0.01)


if pathlib.Path("/proc/self/task").exists():
    for command in LISTED[:1] + CALLED[:1]:
        for ending in signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM, signal.SIGUSR1:
            tool, child = start_hanging(command)
            limits = re.sub(" +", " ", pathlib.Path(f"/proc/{child}/limits").read_text())
            assert "\nMax core file size 0 0 bytes" in limits, limits
            tool.send_signal(ending)
            out, err = tool.communicate()
            assert tool.returncode == -ending and out == err == b"", (command, tool, out, err)
            wait_until_gone(child)

    # By Ctrl-C on its terminal, whichever process group each process is in.
    for command in LISTED[:1] + CALLED[:1]:
        process, terminal = pty.fork()
        if process == 0:
            os.execve(TOOL, [TOOL, *fill_in(command)], dict(BASE, ON_LOAD="hang"))
        child = wait_for_child(process)
        os.write(terminal, b"\x03")
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGINT, command
        wait_until_gone(child)
        os.close(terminal)

# A slow operation is announced on a terminal, then erased; file names are escaped.
odd = WORK / "o\x1b[31mdeeds.so"
odd.write_bytes(pathlib.Path(DEEDS).read_bytes())
for command in LISTED[:1] + REGISTERED[:1]:
    terminal, ours = pty.openpty()
    with subprocess.Popen([*COMMAND, *fill_in(command, odd), "--timeout=1.4"], stdout=subprocess.DEVNULL, stderr=ours,
                          env=dict(BASE, ON_LOAD="hang")):
        os.close(ours)
        shown = b""
        while True:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # the other end is closed
                break
    os.close(terminal)
    assert re.search(rb"\r\x1b\[Kloading \S+/o\\x1b\[31mdeeds\.so, \d+ s\r\x1b\[K", shown), shown
    assert b"\x1b[31m" not in shown, shown
    assert b": it took longer than 1.4 s (--timeout)\r\n" in shown, shown

# ---- A library from stdin ----


def from_stdin(command, file, **deeds):
    with open(file, "rb") as stdin:
        done = subprocess.run([*COMMAND, *fill_in(command, "-")], stdin=stdin, capture_output=True, text=True, check=False,
                              env=dict(BASE, **deeds))
    assert not list(TEMPORARY.iterdir()), (command, deeds)
    return done.returncode, done.stdout, done.stderr


ways = [{}] + [{"LD_PRELOAD": library} for library in NO_MEMFD]
for way in ways:
    for command in ALL:
        code, out, err = from_stdin(command, DEEDS, **way)
        expected = {"list": RESULTS["list"].replace(DEEDS, "-"),
                    "stub": succeed(["stub", "--prefix=kernels", "LIB"]).replace("deeds.so", "kernels.so")}
        assert code == OK and err == note_of(command, "-"), (command, way, code, out, err)
        assert out == expected[command[0]] if command in LISTED else is_the_same(out, command), (command, way, out)
        code, out, err = from_stdin(command, DEEDS, ON_LOAD="crash", **way)
        assert code == LOAD and err == "tvm-ffi: -: crashed while it was loaded: Aborted\n", (command, way, err)
        code, out, err = from_stdin(command, __file__, **way)
        assert code == LOAD and out == "" and err.startswith("tvm-ffi: -: ") and err.count("\n") == 1, (command, err)
        code, out, err = from_stdin([*command, "--timeout=0.1"], DEEDS, ON_LOAD="hang", **way)
        assert code == LOAD and "tvm-ffi: -: was killed while it was loaded: " in err, (command, way, err)
    if CALLED:
        assert from_stdin(["run", "--module=-", "--function=kernel"], DEEDS, **way) == (OK, RESULTS["run"], ""), way
for preload in NO_MEMFD:
    for ending in signal.SIGTERM, signal.SIGINT:
        with open(DEEDS, "rb") as stdin:
            tool, child = start_hanging(LISTED[0], library="-", stdin=stdin, env={"LD_PRELOAD": preload})
        [folder] = TEMPORARY.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700, folder
        tool.send_signal(ending)
        tool.communicate()
        assert tool.returncode == -ending and not list(TEMPORARY.iterdir()), tool
code, out, err = from_stdin(["check", "-"], KERNELS)
assert code == OK and out.startswith("-\n  ok "), (code, out, err)
for command in ["list", "-", "-"], ["check", "-", KERNELS, "-"], ["bench", "-", "-", "add(1, 2)"]:
    code, out, err = from_stdin(command, KERNELS)
    said = f"tvm-ffi: {command[0]}: - is standard input, which can be read once, not 2 times\n"
    assert (code, out, err) == (USAGE, "", said), (command, code, out, err)
packed = Library().data("__tvm_ffi__library_bin", blob([(b"k", b"payload", [])])).write(WORK / "packed.so")
assert from_stdin(["unpack", "LIB", "--extract=k[0]"], packed) == (OK, "payload", "")

# ---- info ----

# info loads the helper beside the library; if that crashes, it still prints the rest.
runtime = pathlib.Path(json.loads(good("info", "--json"))["library"])
if runtime.name == "libtvm_ffi.so":
    (WORK / runtime.name).write_bytes(runtime.read_bytes())
    (WORK / "libtvm_ffi_cxx.so").write_bytes(pathlib.Path(DEEDS).read_bytes())
    found = dict(BASE, LD_LIBRARY_PATH=str(WORK))
    helper = json.loads(good("info", "--json", env=found))["cxx_helper"]
    assert helper == str(WORK / "libtvm_ffi_cxx.so"), helper
    code, out, err = run("info", "--json", env=dict(found, ON_LOAD="crash"))
    assert code == LOAD and err == f"tvm-ffi: {helper}: crashed while it was loaded: Aborted\n", (code, err)
    assert json.loads(out)["cxx_helper"] == "broken: modules written in C++ cannot be called", out

# ---- Files ----

# A truncated file: its segments would be mapped beyond its end.
whole = pathlib.Path(KERNELS).read_bytes()
cut = WORK / "cut.so"
for size in 1000, 4000:
    cut.write_bytes(whole[:size])
    for command in ALL:
        bad(LOAD, f"{cut}: malformed ELF file: it is cut off after {size} bytes", *fill_in(command, cut), env=BASE)
# A name without a slash is a file in the current folder, and is not searched for in the system's folders.
os.chdir(WORK)
pathlib.Path("here.so").write_bytes(pathlib.Path(DEEDS).read_bytes())
for command in ALL:
    succeed(command, library="here.so")
    bad(LOAD, "tvm-ffi: libc.so.6: No such file or directory", *fill_in(command, "libc.so.6"), env=BASE)
