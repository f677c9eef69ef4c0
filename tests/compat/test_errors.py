# SPDX-License-Identifier: Apache-2.0
"""kernels_errors.c: errors that kernels raise, and errors that they inspect."""
import signal
import traceback

from kernels import Case, kernels

# In the order of fail_plainly.
PLAIN_KINDS = ["", "ValueError", "EnvErrorAlreadySet"]

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

    def failing(self):
        """A module's function and two that a kernel made, which return the code that they get."""
        return [kernels.fail_plainly, kernels.make_failing(False), kernels.make_failing(True)]

    def check_failing(self, function, kind, code, exception, message):
        with self.subTest(function=function, kind=kind, code=code):
            with self.assertRaises(Exception) as caught:
                function(PLAIN_KINDS.index(kind), code)
            self.assertIs(type(caught.exception), exception)
            self.assertEqual(str(caught.exception), message)

    def test_codes(self):
        """Any code is a failure. The package takes -2 to mean that a Python exception is set, and
        crashes if none is; on its own library, with functions that no module has."""
        for number, function in enumerate(self.failing()):
            for code in (-1, 1, 7, -7) + ((-2,) if kernels.ours or number == 0 else ()):
                self.check_failing(function, "ValueError", code, ValueError, "plainly")

    def test_nothing_is_raised(self):
        if not kernels.ours:
            self.skipTest("the package crashes on its own library")
        for function in self.failing():
            for code in (-1, -2, 1, 7, -7):
                self.check_failing(function, "", code, RuntimeError,
                                   f"callee returned {code} without setting an error")
                self.check_failing(
                    function, "EnvErrorAlreadySet", code, RuntimeError,
                    "callee raised EnvErrorAlreadySet, but the frontend has no exception set")

    def test_already_set(self):
        """The kind by which a frontend says that its own exception is pending; here none is."""
        function = kernels.already_set
        if not kernels.ours:
            self.skipTest("from Python 3.12 on, the package crashes on its own library")
        with self.assertRaises(RuntimeError):
            function()

    def test_exception_is_set(self):
        """The exception that a signal's handler raised is the one that the caller gets."""

        def interrupt(_signal, _frame):
            raise KeyboardInterrupt("by the handler")

        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            for kind in ("EnvErrorAlreadySet",) + (("",) if kernels.ours else ()):
                for code in (-1, -2, 7):
                    signal.setitimer(signal.ITIMER_REAL, 0.01)
                    with self.subTest(kind=kind, code=code):
                        with self.assertRaisesRegex(KeyboardInterrupt, "by the handler"):
                            kernels.await_signal(PLAIN_KINDS.index(kind), code)
        finally:
            signal.signal(signal.SIGALRM, before)

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
