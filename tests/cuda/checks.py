# SPDX-License-Identifier: Apache-2.0
"""Checks of the scripts that on_gpu runs, one process for each case: SCRIPT CASE --device cuda|cpu
--work FOLDER [...]

A line for each check, which on_gpu counts: `ok WHAT`, `FAILED WHAT`, `skipped WHAT: REASON`. A
check that fails does not end the case. What follows WHAT is the same on every library, so that
on_gpu can compare them; lines that begin with a blank are only shown.
"""
import argparse
import inspect
import pathlib
import sys
import traceback

CASES = {}
counts = {"ok": 0, "FAILED": 0, "skipped": 0}


def case(function):
    """Make a function a case; it is called with the arguments of the command line that it has
    parameters for."""
    CASES[function.__name__] = function
    return function


def say(result, text):
    counts[result] += 1
    print(f"{result} {text}", flush=True)


def check(what, condition, detail=""):
    say("ok" if condition else "FAILED",
        what + ("" if condition or detail == "" else f": {detail}"))


def equal(what, got, wanted):
    check(what, got == wanted, f"{got!r}, not {wanted!r}")


def raises(what, kind, text, function, *args):
    """The function raises an error of that kind, with the text in its message."""
    try:
        result = function(*args)
    except kind as error:
        check(what, text in str(error), f"the message is {error}")
    except Exception as error:  # any other kind is a failed check
        check(what, False, f"{type(error).__name__}: {error}")
    else:
        check(what, False, f"no error, but {result!r}")


def outcome(function, *args):
    """What a call does, as a text: its result, or the kind and the first line of its error."""
    try:
        return repr(function(*args))
    except Exception as error:  # whatever it is
        return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def skip(what, reason):
    say("skipped", f"{what}: {reason}")


def show(*lines):
    """Print what may differ between two libraries or two runs."""
    print("".join(f" {line}\n" for line in lines), end="", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=CASES)
    parser.add_argument("--device", choices=("cuda", "cpu"), required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--libraries", type=pathlib.Path, required=True)
    args = parser.parse_args()
    function = CASES[args.case]
    try:
        function(*(getattr(args, name) for name in inspect.signature(function).parameters))
    except Exception:  # the case cannot go on
        traceback.print_exc()
        say("FAILED", f"{args.case} ran to its end")
    if not any(counts.values()):
        say("FAILED", f"{args.case} checks something")
    return 1 if counts["FAILED"] else 0 if counts["ok"] else 77


def run():
    sys.stdout.reconfigure(line_buffering=True)
    sys.exit(main())
