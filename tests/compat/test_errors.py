# SPDX-License-Identifier: Apache-2.0
"""kernels_errors.c: errors that kernels raise, and errors that they inspect."""
import sys
import traceback

from kernels import Case, kernels

# From Python 3.12 on, PyTraceBack_Here crashes for a function of the package that returns NULL
# without an exception.
CRASHES_FOR_NULL = sys.version_info >= (3, 12)

# In the order of raise_known. For kinds that have no class in the package it raises RuntimeError.
KINDS = {
    "AssertionError": AssertionError, "AttributeError": AttributeError, "IndexError": IndexError,
    "InternalError": RuntimeError, "KeyError": KeyError, "MemoryError": MemoryError,
    "NotImplementedError": RuntimeError, "OverflowError": RuntimeError,
    "RuntimeError": RuntimeError, "TypeError": TypeError, "ValueError": ValueError,
    "compat.OwnError": RuntimeError
}


def fail(*args):
    raise ValueError("raised in Python")


class Raised(Case):
    def test_kinds(self):
        self.check_raises("raise_known",
                          *[(i, kind, f"kind {i}") for i, kind in enumerate(KINDS.values())])
        for name in ("raise_plain", "raise_here", "raise_at", "raise_over", "raise_with_cause",
                     "wrap_nothing"):
            for message in ("", "a message", "\u00e4\n%d \u20ac", 1000 * "x"):
                self.check_raises(name, *[(kind, message, KINDS[kind], message) for kind in KINDS])

    def test_ways(self):
        self.check_raises("raise_long",
                          ("ValueError", "long", ValueError, "%300s|%300s" % ("long", "long")))
        self.check_raises("raise_memory", ("", "", MemoryError, "out of memory"))
        self.check("check_positive", (1, 1))
        self.check_raises("check_positive", (0, ValueError, "n must be positive, but is 0"))

    def test_silence(self):
        """A failure code without an error; otherwise Python would crash or raise SystemError."""
        self.check("fail_silently", (0, None))
        self.check_raises(
            "fail_silently",
            *[(code, RuntimeError, f"callee returned {code} without setting an error")
              for code in (-1, -2, 3)])

    def test_codes(self):
        """Our library passes a kernel's code on; the package takes -2 to mean that a Python
        exception is set."""
        self.check_raises("fail_plainly", (-1, ValueError, "plainly"), (3, ValueError, "plainly"))
        if not kernels.ours:
            self.check_raises("fail_plainly", (-2, ValueError, "plainly"))
        elif not CRASHES_FOR_NULL:
            self.check_raises(
                "fail_plainly",
                (-2, SystemError, "ffi.Function returned NULL without setting an exception"))

    def test_already_set(self):
        """The kind by which a frontend says that its own exception is pending; here none is."""
        function = kernels.already_set
        if CRASHES_FOR_NULL:
            self.skipTest(
                "this version of Python crashes where the package returns NULL without an exception"
            )
        with self.assertRaises(SystemError):
            function()

    def test_tracebacks(self):
        """Python's traceback contains the place in the C file."""
        for name, place in (("raise_here", "kernels_errors.c"), ("raise_at", "their.py")):
            try:
                getattr(kernels, name)("ValueError", "x")
            except ValueError as error:
                files = [
                    frame.filename.rsplit("/", 1)[-1]
                    for frame in traceback.extract_tb(error.__traceback__)
                ]
            self.assertIn(place, files)
        self.check("print_backtrace", (True,))


class Seen(Case):
    def test_told(self):
        self.check("tell_error",
                   (fail, "ValueError|raised in Python|ValueError: raised in Python|ValueError:|1|"
                    "cause none|context 0|left 0"), (lambda: None, "no error"))
        self.assertEqual(
            kernels.tell_error(lambda: kernels.raise_plain("my.Kind", "m")).split("|")[:3],
            ["my.Kind", "m", "my.Kind: m"])

    def test_places(self):
        self.check("tell_place", (lambda: kernels.raise_at("ValueError", "x"), True),
                   (lambda: None, None), (fail, False))

    def test_printed(self):
        self.check("print_error", (fail, 2 * "ValueError: raised in Python\n" + "(no error)\n"),
                   (lambda: 1, "(no error)\n"))
        wrapped = kernels.print_error(lambda: kernels.raise_with_cause("ValueError", "x"))
        self.assertTrue(wrapped.startswith("ValueError: x\ncaused by IndexError: the second cause\n"
                                           "caused by KeyError: the first cause\n"), wrapped)

    def test_passed_on(self):
        """A Python exception passes through a kernel unchanged."""
        self.check_raises("call", (fail, ValueError, "raised in Python"),
                          (fail, 1, 2, ValueError, "raised in Python"),
                          (lambda: {}["key"], KeyError, "'key'"))

        def divide(i):
            return 10 // (2 - i)

        # Versions of Python word it differently.
        with self.assertRaises(ZeroDivisionError) as caught:
            divide(2)
        self.check_raises("sum_calls", (divide, 5, RuntimeError, str(caught.exception)))
