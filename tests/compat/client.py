# SPDX-License-Identifier: Apache-2.0
"""The output format of client_*.py: a line `== name`, then the text of that output. on_both.py
compares them."""
import re


def say(name, *values):
    print(f"== {name}", *values, sep="\n", flush=True)


def say_error(name, call, *args):
    """Outputs the exception of a call, or that there is none."""
    try:
        say(name, "no error", call(*args))
    except Exception as error:  # every kind: the kind is part of the output
        # Paths and line numbers of Python files depend on the environment.
        text = re.sub(r'File "[^"]*", line \d+', "File", str(error))
        say(name, type(error).__name__, text)
