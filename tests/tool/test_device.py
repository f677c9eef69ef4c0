# SPDX-License-Identifier: Apache-2.0
"""Tensors on a device: with a stand-in for the CUDA driver whose memory the CPU cannot access."""
import os
import pathlib
import re
import shutil
import unittest

from tool import FILES, OK, RAISED, USAGE, WINDOWS, bad, good, run, run_tests, work_folder

LIBRARIES = {pathlib.Path(f).stem: os.path.abspath(f) for f in FILES}
K = LIBRARIES["run_kernels"]
FOLDER = work_folder()
PLACE = ({"WINEPATH": f"{FOLDER};{os.environ['WINEPATH']}"}
         if WINDOWS else {"LD_LIBRARY_PATH": str(FOLDER)})
DRIVER = FOLDER / ("nvcuda.dll" if WINDOWS else "libcuda.so.1")
ENV = {**os.environ, **PLACE}
CUDA = ["run", K, "--device=cuda"]


class Device(unittest.TestCase):
    def setUp(self):
        shutil.copy(LIBRARIES["fake_cuda"], DRIVER)

    def test_no_driver(self):
        DRIVER.write_text("no library\n", encoding="utf-8")
        bad(USAGE, "--device=cuda: there is no CUDA driver: ", *CUDA, "identity(5)", env=ENV)

    def test_copies(self):
        """Arguments are copied to the device, and results back."""
        assert good(*CUDA, "show(4xf32=1, 5, &2xi8)", env=ENV) == \
            'result[0]: "(float32[4]@cuda:0, 5, int8[2]@cuda:0)"\narg[2]: 2xi8=0 0\n'
        assert good(*CUDA, "identity(2x2xf32=1 2 3 4)", "-e", "2x2xf32=1 2 3 4", env=ENV) == \
            "[PASS] identity: result[0] 2x2xf32 max|err|=0\n"
        assert good(*CUDA, "make_like(3xi16=7)", env=ENV) == "result[0]: 3xi16=0 0 0\n"
        assert good(*CUDA, "make(3)", env=ENV) == "result[0]: 3xf32=0 1 2\n"
        assert good("bench", K, "identity(4xf32=1)", "--device=cuda:0", "--warmup=0", "--repeat=6",
                    env=ENV).count("\n") == 4

    def test_failures(self):
        """Of calls, of the driver, and of options."""
        crashing = dict(
            ENV, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0:detect_leaks=0")
        bad(RAISED, "bump: crashed while it was called", *CUDA, "bump(1xi32=1)", env=crashing)
        bad(RAISED, "identity: RuntimeError: CUDA cannot finish: illegal address (700)", *CUDA,
            "identity(1xi32=1)", env=dict(ENV, FAKE_CUDA_FAILS="1"))
        bad(USAGE, "RuntimeError: CUDA cannot allocate memory: out of memory (2)", *CUDA,
            "identity(9999999xi32=1)", env=ENV)
        bad(USAGE, "--device=cuda:1: invalid device ordinal", "run", K, "identity(5)",
            "--device=cuda:1", env=ENV)
        bad(USAGE, '--device must be cpu or cuda:N, not "gpu"', "run", K, "identity(5)",
            "--device=gpu")
        bad(USAGE, "--guard is only for CPU memory", *CUDA, "identity(5)", "--guard=end", env=ENV)

    def test_layouts(self):
        """With what arguments share."""
        assert good(*CUDA, "identity(4x4xf32[::2, ::-1]=1 2 3 4 5 6 7 8)", "-e",
                    "2x4xf32=1 2 3 4 5 6 7 8",
                    env=ENV) == "[PASS] identity: result[0] 2x4xf32 max|err|=0\n"
        assert good(*CUDA, "show(4xi8[1:]=1, &arg[0].base, 2xi8=5)", env=ENV) == (
            'result[0]: "(int8[3]@cuda:0, int8[4]@cuda:0, int8[2]@cuda:0)"\narg[1]: 4xi8=-1 1 1 1\n'
        )
        code, out, err = run(*CUDA, "describe(4x4xi8[1:, ::2].dltensor, &arg[0].base, 4xi8)",
                             env=ENV)
        assert code == OK and out.startswith(
            "arg[0]: 3x2xi8=[0 0][0 0][0 0]\narg[1]: 4x4xi8=[-1"), out
        assert re.fullmatch(r"\[3, 2\] \[4, 2\]\+0 base \d+ at \+0 cuda:0 dltensor; "
                            r"\[4, 4\] \[4, 1\]\+0 base \d+ at -4 cuda:0; .* cuda:0\n", err), err
        for word in "guard(end)", "readonly", "reserved", "device(cuda:1)":
            bad(
                USAGE,
                f"argument 0: .{word.split('(')[0]} is only for memory of the CPU, not for "
                "--device",
                *CUDA, f"identity(4xi8.{word})", env=ENV)


run_tests()
