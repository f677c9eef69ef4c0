# SPDX-License-Identifier: Apache-2.0
"""What client_*.py print: outputs, each a line `== name` and the text below. on_both.py compares them."""
import re


def say(name, *values):
    print(f"== {name}", *values, sep="\n", flush=True)


def say_error(name, call, *args):
    """What the call raises, or that it raises nothing."""
    try:
        say(name, "no error", call(*args))
    except Exception as error:  # of any kind: the kind is compared
        # Files and lines of Python are those of the environment.
        text = re.sub(r'File "[^"]*", line \d+', "File", str(error))
        say(name, type(error).__name__, text)
