# SPDX-License-Identifier: Apache-2.0
"""The processes of a command that loads a library: they end together, and what is shown on a
terminal meanwhile.

test_processes.py TVM-FFI MISBEHAVING KERNELS [NO-MEMFD]"""
import os
import pathlib
import pty
import re
import signal
import subprocess
import time
import unittest

from supervised import (BASE, CALLED, LISTED, MISBEHAVING, NO_MEMFD, REGISTERED, TEMPORARY, WORK,
                      fill_in)
from tool import COMMAND, TOOL, WINDOWS, run_tests, skip

if WINDOWS:
    skip("there are no signals and no terminals of POSIX")


def wait_for_child(process):
    """The child's process number, as soon as it runs the library's code."""
    children = pathlib.Path(f"/proc/{process}/task/{process}/children")
    while not (found := children.read_text().split()):
        time.sleep(0.01)
    while not any(name in pathlib.Path(f"/proc/{found[0]}/maps").read_text()
                  for name in ("misbehaving.so", "library.so")):
        time.sleep(0.01)
    return int(found[0])


def start_hanging(command, **kwargs):
    """Start the tool with a library that hangs: its process, and the number of its child."""
    tool = subprocess.Popen([*COMMAND, *fill_in(command, kwargs.pop("library", MISBEHAVING))],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=dict(BASE, ON_LOAD="hang", **kwargs.pop("env", {})), **kwargs)
    return tool, wait_for_child(tool.pid)


def wait_until_gone(process):
    """Wait until the process is gone or is a zombie."""
    status = pathlib.Path(f"/proc/{process}/stat")
    while status.exists() and ") Z " not in status.read_text():
        time.sleep(0.01)


class Processes(unittest.TestCase):
    def test_the_end_of_a_process(self):
        """The end of a process."""
        if pathlib.Path("/proc/self/task").exists():
            for command in LISTED[:1] + CALLED[:1]:
                for ending in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP,
                               signal.SIGALRM, signal.SIGUSR1):
                    tool, child = start_hanging(command)
                    limits = re.sub(" +", " ", pathlib.Path(f"/proc/{child}/limits").read_text())
                    assert "\nMax core file size 0 0 bytes" in limits, limits
                    tool.send_signal(ending)
                    out, err = tool.communicate()
                    assert tool.returncode == -ending and out == err == b"", (command, tool, out,
                                                                              err)
                    wait_until_gone(child)

            # By Ctrl-C on its terminal, whichever process group each process is in.
            for command in LISTED[:1] + CALLED[:1]:
                process, terminal = pty.fork()
                if process == 0:
                    os.execve(TOOL, [TOOL, *fill_in(command)], dict(BASE, ON_LOAD="hang"))
                child = wait_for_child(process)
                os.write(terminal, b"\x03")
                assert os.waitstatus_to_exitcode(os.waitpid(process,
                                                            0)[1]) == -signal.SIGINT, command
                wait_until_gone(child)
                os.close(terminal)

    def test_the_tool_ends_by_sigpipe_when_nobody_reads(self):
        """The tool ends by SIGPIPE when nobody reads its results."""
        for command in CALLED[:1]:
            reader, ours = os.pipe()
            os.close(reader)
            done = subprocess.run([*COMMAND, *fill_in(command)],
                                  stdout=ours,
                                  stderr=subprocess.PIPE,
                                  env=BASE,
                                  check=False)
            os.close(ours)
            assert done.returncode == -signal.SIGPIPE and done.stderr == b"", done

    def test_a_library_from_standard_input_is_a_file(self):
        """A library from standard input is a file, where there are none in memory: in a folder of
        its own, until the end."""
        for preload in NO_MEMFD:
            for ending in signal.SIGTERM, signal.SIGINT:
                with open(MISBEHAVING, "rb") as stdin:
                    tool, child = start_hanging(LISTED[0], library="-", stdin=stdin,
                                                env={"LD_PRELOAD": preload})
                [folder] = TEMPORARY.iterdir()
                assert folder.stat().st_mode & 0o777 == 0o700, folder
                tool.send_signal(ending)
                tool.communicate()
                assert tool.returncode == -ending and not list(TEMPORARY.iterdir()), tool

    def test_a_slow_operation_is_announced_on_a_terminal(self):
        """A slow operation is announced on a terminal, then erased; file names are escaped."""
        odd = WORK / "o\x1b[31mmisbehaving.so"
        odd.write_bytes(pathlib.Path(MISBEHAVING).read_bytes())
        for command in LISTED[:1] + REGISTERED[:1]:
            terminal, ours = pty.openpty()
            with subprocess.Popen([*COMMAND, *fill_in(command, odd), "--timeout=1.4"],
                                  stdout=subprocess.DEVNULL,
                                  stderr=ours,
                                  env=dict(BASE, ON_LOAD="hang")):
                os.close(ours)
                shown = b""
                while True:
                    try:
                        shown += os.read(terminal, 4096)
                    except OSError:  # the other end is closed
                        break
            os.close(terminal)
            assert re.search(rb"\r\x1b\[Kloading \S+/o\\x1b\[31mmisbehaving\.so, \d+ s\r\x1b\[K",
                             shown), shown
            assert b"\x1b[31m" not in shown, shown
            assert b": it took longer than 1.4 s (--timeout)\r\n" in shown, shown


run_tests()
