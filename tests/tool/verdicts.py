# SPDX-License-Identifier: Apache-2.0
"""Checks libraries that a test writes, and compares the verdicts."""
from tool import CHECK, OK, run


class Checker:
    """Writes libraries to a file, which it has checked."""

    def __init__(self, path):
        self.path = path

    def check(self, library, *options):
        """The exit code, and the lines with verdicts."""
        code, out, err = run("check", *options, library.write(self.path))
        lines = out.splitlines()
        assert err == "" and lines[0] == str(self.path), (code, out, err)
        return code, lines[1:]

    def says(self, library, line, *options):
        """The verdicts must contain this line, and the exit code must agree with them."""
        code, lines = self.check(library, *options)
        assert "  " + line in lines, (line, lines)
        assert code == (CHECK if any(line.startswith("  FAIL")
                                     for line in lines) else OK), (code, lines)
