# SPDX-License-Identifier: Apache-2.0
"""The processes of a command that loads a library: they end together, and what is shown on a
terminal meanwhile.

test_processes.py TVM-FFI MISBEHAVING KERNELS [NO-MEMFD]"""
import contextlib
import itertools
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from supervised import (BASE, CALLED, LISTED, MISBEHAVING, NO_MEMFD, REGISTERED, TEMPORARY, WORK,
                      fill_in)
from tool import (COMMAND, SLOWER, WINDOWS, need, open_terminal, patience, read_terminal,
                  run_tests, skip, start_on_terminal)

if WINDOWS:
    skip("there are no signals and no terminals of POSIX")
import termios


CHILDREN = f"/proc/self/task/{os.getpid()}/children"


def read(path):
    """The text of a file of /proc; empty if the process is gone."""
    try:
        return pathlib.Path(path).read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def descendants(process):
    """The children of a process and theirs, oldest first: between the tool and the process that
    loads the library is a keeper."""
    children = [int(word) for word in read(f"/proc/{process}/task/{process}/children").split()]
    return children + [deeper for child in children for deeper in descendants(child)]


def wait_for_child(process, *files):
    """The child's process number, as soon as it runs code of one of these files, by default the
    library's."""
    while True:
        for found in descendants(process):
            maps = read(f"/proc/{found}/maps")
            if any(name in maps for name in files or ("misbehaving.so", "library.so")):
                return found
        time.sleep(0.01)


def wait_until_in_state(state, *processes):
    while any(f") {state} " not in pathlib.Path(f"/proc/{process}/stat").read_text()
              for process in processes):
        time.sleep(0.01)


def wait_until_foreground(terminal, process):
    """Wait until the terminal gives what is typed to the group of this process, and until the
    process has gone on after that: a key that stops it would be lost before."""
    while os.tcgetpgrp(terminal) != process:
        time.sleep(0.01)
    wait_until_in_state("S", process)


def start_hanging(command, **kwargs):
    """Start the tool with a library that hangs: its process, and the number of its child."""
    tool = subprocess.Popen([*COMMAND, *fill_in(command, kwargs.pop("library", MISBEHAVING))],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=dict(BASE, ON_LOAD="hang", **kwargs.pop("env", {})), **kwargs)
    return tool, wait_for_child(tool.pid)


def wait_until_gone(process):
    """Wait until the process is gone or is a zombie."""
    status = pathlib.Path(f"/proc/{process}/stat")
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        while ") Z " not in status.read_text():
            time.sleep(0.01)


class Processes(unittest.TestCase):
    def test_the_end_of_a_process(self):
        """The end of a process."""
        need(self, CHILDREN)
        for command in LISTED[:1] + CALLED[:1]:
            for ending in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP,
                           signal.SIGALRM, signal.SIGUSR1):
                tool, child = start_hanging(command)
                limits = re.sub(" +", " ", pathlib.Path(f"/proc/{child}/limits").read_text())
                assert "\nMax core file size 0 0 bytes" in limits, limits
                tool.send_signal(ending)
                out, err = tool.communicate()
                assert tool.returncode == -ending and out == err == b"", (command, tool, out, err)
                wait_until_gone(child)

    def test_the_end_of_the_tool_alone(self):
        """What a library started ends also if the tool is killed, or is left if it cannot end."""
        need(self, CHILDREN)
        for command, ending in itertools.product(CALLED[:1],
                                                 (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)):
            for deeds in {"ON_LOAD": "spawn", "ON_CALL": "hang"}, {"ON_CALL": "detach"}:
                tool = subprocess.Popen([*COMMAND, *fill_in(command)], env=dict(BASE, **deeds),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                while len(descendants(tool.pid)) < 3:
                    time.sleep(0.01)
                time.sleep(0.1)  # until the second process is detached
                tool.send_signal(ending)
                tool.communicate(timeout=SLOWER * 20)  # all have its pipes open
            done = subprocess.run([*COMMAND, *fill_in(command)], capture_output=True, text=True,
                                  env=dict(BASE, ON_CALL="leave_traced"), timeout=SLOWER * 20)
            assert done.returncode == 0 and done.stdout, done

    def test_ctrl_c(self):
        """Ctrl-C ends the processes, whichever process group each of them is in."""
        need(self, CHILDREN)
        for command in LISTED[:1] + CALLED[:1]:
            tool, terminal = start_on_terminal(self, [*COMMAND, *fill_in(command)],
                                               env=dict(BASE, ON_LOAD="hang"))
            child = wait_for_child(tool.pid)
            os.write(terminal, b"\x03")
            assert tool.wait() == -signal.SIGINT, command
            wait_until_gone(child)
            os.close(terminal)

    def test_ctrl_z(self):
        """Ctrl-Z stops the processes, and both go on together."""
        need(self, CHILDREN)
        shell = 'set -m; "$0" "$@"; read line; fg'
        for command in LISTED[:1] + CALLED[:1]:
            process, terminal = start_on_terminal(self,
                                                  ["sh", "-c", shell, *COMMAND, *fill_in(command)],
                                                  env=dict(BASE, ON_LOAD="hang"))
            tool = wait_for_child(process.pid, "tvm-ffi")
            child = wait_for_child(tool)
            os.write(terminal, b"\x1a")
            wait_until_in_state("T", tool, child)
            os.write(terminal, b"\n")
            wait_until_in_state("S", tool, child)
            os.write(terminal, b"\x03")
            # Some shells end in the same way as the program.
            assert process.wait() in (128 + signal.SIGINT, -signal.SIGINT), (command, process)
            wait_until_gone(child)
            os.close(terminal)

    def test_a_library_reads_from_the_terminal(self):
        """A library of `run` may read from the terminal. Ctrl-C ends both processes after that,
        too."""
        need(self, CHILDREN)
        for command in CALLED[:1]:
            for is_controlling in True, False:
                for ending in "", "hang":
                    tool, terminal = start_on_terminal(
                        self, [*COMMAND, *fill_in(command)], is_controlling, stdout=subprocess.PIPE,
                        env=dict(BASE, ON_LOAD="read_line", ON_CALL=ending))
                    os.write(terminal, b"typed\n")
                    assert tool.stdout.readline() == b"typed\n"
                    if ending and is_controlling:
                        child = wait_for_child(tool.pid)
                        os.write(terminal, b"\x03")
                        assert tool.wait() == -signal.SIGINT, tool
                        wait_until_gone(child)
                    elif ending:
                        tool.terminate()
                        assert tool.wait() == -signal.SIGTERM, tool
                    else:
                        assert tool.stdout.read() == b"result[0]: 7\n" and tool.wait() == 0, tool
                    tool.stdout.close()
                    os.close(terminal)

    def start_in_shell(self, script, **deeds):
        """Start a script on a terminal, with the words of `run` as its arguments: the script, the
        terminal, and the tool's process number."""
        words = ["sh", "-c", script, *COMMAND, *fill_in(CALLED[0])]
        shell, terminal = start_on_terminal(self, words, stdout=subprocess.PIPE,
                                            env=dict(BASE, **deeds))
        return shell, terminal, wait_for_child(shell.pid, "tvm-ffi")

    def test_a_program_that_a_library_starts_reads_from_the_terminal(self):
        """It gets what is typed, as the library does; after that, the terminal is the caller's."""
        need(self, CHILDREN)
        for deed in "read_line", "start_reader":
            for moment in ("ON_LOAD", "ON_CALL") if CALLED else ():
                shell, terminal, _ = self.start_in_shell('"$0" "$@"; read line && echo got $line',
                                                         **{moment: deed})
                os.write(terminal, b"typed\n")
                assert shell.stdout.readline() == b"typed\n"
                assert shell.stdout.readline() == b"result[0]: 7\n"
                os.write(terminal, b"more\n")
                assert shell.communicate() == (b"got more\n", None), (deed, moment)
                os.close(terminal)

    def test_keys_while_a_program_reads_from_the_terminal(self):
        """Ctrl-C ends a script with the tool and all that it started, also where a program reads
        whose caller ignores Ctrl-C; Ctrl-Z stops them, and what is typed after `fg` is read."""
        need(self, CHILDREN)
        for deed in ("read_line", "start_reader") if CALLED else ():
            shell, terminal, tool = self.start_in_shell('"$0" "$@"; echo next', ON_CALL=deed)
            child = wait_for_child(tool)
            wait_until_foreground(terminal, child)
            os.write(terminal, b"\x03")
            assert shell.communicate() == (b"", None) and shell.returncode == -signal.SIGINT, shell
            wait_until_gone(child)
            os.close(terminal)
            shell, terminal, tool = self.start_in_shell('set -m; "$0" "$@"; read line; fg',
                                                        ON_CALL=deed)
            child = wait_for_child(tool)
            wait_until_foreground(terminal, child)
            os.write(terminal, b"\x1a")
            self.check_in_foreground(shell, terminal, tool, child)

    def check_in_foreground(self, shell, terminal, tool, child):
        """A stopped tool is put in the foreground, where its library reads what is typed."""
        wait_until_in_state("T", tool, child)
        os.write(terminal, b"\n")
        wait_until_foreground(terminal, child)
        os.write(terminal, b"typed\n")
        out, _ = shell.communicate()
        assert b"\ntyped\nresult[0]: 7\n" in b"\n" + out, out
        os.close(terminal)

    def test_a_library_reads_in_the_background(self):
        """The tool stops with its library until it is in the foreground."""
        need(self, CHILDREN)
        for deed in ("read_line", "start_reader") if CALLED else ():
            shell, terminal, tool = self.start_in_shell(
                'set -m; "$0" "$@" & read line; fg', ON_CALL=deed)
            child = wait_for_child(tool)
            self.check_in_foreground(shell, terminal, tool, child)

    def test_settings_of_the_terminal(self):
        """They are as before, also if the library ends by a signal after it has changed them."""
        for command in CALLED[:1]:
            for ending in "", "crash":
                tool, terminal = start_on_terminal(
                    self, [*COMMAND, *fill_in(command)], True, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, env=dict(BASE, ON_LOAD="mute", ON_CALL=ending))
                out, err = tool.communicate()
                assert (tool.returncode == 1 if ending else out == b"result[0]: 7\n"), (out, err)
                assert termios.tcgetattr(terminal)[3] & termios.ECHO, ending
                os.close(terminal)

    def test_others_of_a_pipeline_read_from_the_terminal(self):
        """A program beside the tool, such as a pager, reads after the library has done so."""
        need(self, CHILDREN)
        script = 'set -m; "$0" "$@" | (read a; read b < /dev/tty; echo "$a $b")'
        for _ in CALLED[:1]:
            shell, terminal, tool = self.start_in_shell(script, ON_LOAD="read_line",
                                                        ON_CALL="hang")
            child = wait_for_child(tool)
            os.write(terminal, b"typed\nalso\n")
            assert shell.stdout.readline() == b"typed also\n"
            os.write(terminal, b"\x03")
            assert shell.communicate() == (b"", None), shell
            wait_until_gone(child)
            os.close(terminal)

    def test_what_a_library_started_goes_on_after_a_read(self):
        """The terminal stops it together with a library that reads, but it goes on with that."""
        need(self, CHILDREN)
        for command in CALLED[:1]:
            tool, terminal = start_on_terminal(
                self, [*COMMAND, *fill_in(command)], stdout=subprocess.PIPE,
                env=dict(BASE, ON_LOAD="spawn", ON_CALL="read_line", ON_END="hang"))
            child = wait_for_child(tool.pid)
            started = wait_for_child(child)
            os.write(terminal, b"typed\n")
            assert tool.stdout.readline() == b"typed\n"
            wait_until_in_state("S", started)
            os.write(terminal, b"\x03")
            assert tool.wait() == -signal.SIGINT, tool
            wait_until_gone(started)
            tool.stdout.close()
            os.close(terminal)

    def test_the_time_while_it_is_stopped(self):
        """It is no part of the time that a library may take."""
        need(self, CHILDREN)
        limit = patience(2)
        shell = 'set -m; "$0" "$@"; read line; fg'
        for command in LISTED[:1] + CALLED[:1]:
            begin = time.monotonic()
            process, terminal = start_on_terminal(
                self, ["sh", "-c", shell, *COMMAND, *fill_in(command), f"--timeout={limit}"],
                stderr=subprocess.PIPE, env=dict(BASE, ON_LOAD="hang"))
            tool = wait_for_child(process.pid, "tvm-ffi")
            child = wait_for_child(tool)
            os.write(terminal, b"\x1a")
            wait_until_in_state("T", tool, child)
            begin_stop = time.monotonic()
            time.sleep(float(limit) + 0.2)
            end_stop = time.monotonic()
            os.write(terminal, b"\n")
            _, err = process.communicate()
            ran = time.monotonic() - begin - (end_stop - begin_stop)
            assert f"it took longer than {limit} s".encode() in err, err
            assert ran > float(limit), (ran, err)
            os.close(terminal)

    def test_what_a_library_starts_ends_on_a_terminal(self):
        """What a library starts ends with the tool if standard input is a terminal, too: otherwise
        the pipes would stay open."""
        for command in CALLED:
            for moment in "ON_LOAD", "ON_CALL":
                for is_controlling in True, False:
                    tool, terminal = start_on_terminal(
                        self, [*COMMAND, *fill_in(command)], is_controlling, stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE, env=dict(BASE, **{moment: "spawn"}))
                    out, err = tool.communicate()
                    assert tool.returncode == 0 and out and not err, (command, moment, out, err)
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
        need(self, CHILDREN)
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
            terminal, ours = open_terminal(self)
            with subprocess.Popen([*COMMAND, *fill_in(command, odd), "--timeout=1.4"],
                                  stdout=subprocess.DEVNULL,
                                  stderr=ours,
                                  env=dict(BASE, ON_LOAD="hang")):
                os.close(ours)
                shown = read_terminal(terminal)
            assert re.search(rb"\r\x1b\[Kloading \S+/o\\x1b\[31mmisbehaving\.so, \d+ s\r\x1b\[K",
                             shown), shown
            assert b"\x1b[31m" not in shown, shown
            assert b": it took longer than 1.4 s (--timeout)\r\n" in shown, shown


run_tests()
