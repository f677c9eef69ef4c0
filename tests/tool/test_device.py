# SPDX-License-Identifier: Apache-2.0
"""Tensors on a device: with a stand-in for the CUDA driver whose memory the CPU cannot access, and
with a plugin for a device whose memory has handles and no addresses."""
import json
import os
import pathlib
import re
import shutil
import struct
import sys
import unittest

from tool import (FILES, LOAD, OK, RAISED, TOOL, USAGE, WINDOWS, bad, good, run, run_tests,
                  work_folder)

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
        bad(USAGE, "--device=cuda: CUDA cannot use the device: there is no driver: ", *CUDA,
            "identity(5)", env=ENV)

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
        bad(USAGE, "--device=cuda:1: CUDA cannot use the device: invalid device ordinal (101)",
            "run", K, "identity(5)", "--device=cuda:1", env=ENV)
        bad(USAGE, '--device must be cpu or a device, such as cuda:0, not "gpu"', "run",
            K, "identity(5)", "--device=gpu")
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


# A library that is a plugin, and a kernel for its device.
PLUGIN = FOLDER / ("tvm_ffi_device_ext_dev" + pathlib.Path(K).suffix)
DEVICE = ["run", str(PLUGIN), "--device=ext_dev"]
TWICE = "twice(4xf32=[1 2 3 4], &4xf32)"


class Plugin(unittest.TestCase):
    def setUp(self):
        shutil.copy(LIBRARIES["tvm_ffi_device_ext_dev"], PLUGIN)

    def test_none(self):
        """Until a device has a plugin, the tool says which file it looked for."""
        for name in "opencl", "metal:1", "cuda_managed", "rocm", "webgpu", "ext_dev":
            PLUGIN.unlink(missing_ok=True)
            file = f"tvm_ffi_device_{name.split(':')[0]}{PLUGIN.suffix}"
            bad(USAGE, f"tvm-ffi: --device={name}: its plugin {file} cannot be used: ", "run", K,
                "identity(5)", f"--device={name}", env=ENV)

    def test_copies(self):
        """To handles and offsets, on the stream of the plugin."""
        assert good(*DEVICE, TWICE, env=ENV) == "arg[1]: 4xf32=2 4 6 8\n"
        assert good(*DEVICE, "twice(8xf32[4:]=1 2 3 4, &arg[0].base[:4])", env=ENV) == \
            "arg[1]: 4xf32=2 4 6 8\n"
        assert good(*DEVICE, "twice(8xf32[4:]=1 2 3 4, &4xf32)", "-e", "4xf32=2 4 6 8",
                    env=ENV) == "[PASS] twice: arg[1] 4xf32 max|err|=0\n"
        on_device = "--device=ext_dev:0"
        assert good("run", K, on_device, "identity(4x4xf32[::2, ::-1]=1 2 3 4 5 6 7 8)",
                    env=ENV) == "result[0]: 2x4xf32=[1 2 3 4][5 6 7 8]\n"
        assert good("run", K, on_device, "show(4xi8[1:]=1, 5, &2xi8)", env=ENV) == (
            'result[0]: "(int8[3]@ext_dev:0, 5, int8[2]@ext_dev:0)"\narg[2]: 2xi8=0 0\n')
        assert good("run", K, on_device, "make(0)", env=ENV) == "result[0]: 0xf32=\n"
        assert good("run", K, on_device, "make_like(3xi16=7)", env=ENV) == \
            "result[0]: 3xi16=0 0 0\n"
        assert good("bench", *DEVICE[1:], TWICE, "--warmup=0", "--repeat=6",
                    env=ENV).count("\n") == 4

    def test_wrong(self):
        """A plugin that misbehaves is named, with what is wrong."""
        name, failed = PLUGIN.name, "--device=ext_dev: its plugin {} cannot be used: {}"
        for wrong, text in {
                "raise": "no licence",
                "null": "its function tvm_ffi_device_plugin returned no plugin",
                "number": "its function tvm_ffi_device_plugin returned no plugin",
                "version": "it is of version 2, and this program takes version 1",
                "type": "it is for device type 9, not 12",
                **{f"no {f}": f"its function `{f}` is missing" for f in (
                    "stream", "allocate", "release", "copy_in", "copy_out", "wait")}}.items():
            bad(USAGE, failed.format(name, text), *DEVICE, TWICE,
                env=dict(ENV, FAKE_DEVICE=wrong))
        bad(LOAD, f"{name}: crashed while it was loaded", *DEVICE, TWICE,
            env=dict(ENV, FAKE_DEVICE="crash"))
        shutil.copy(K, PLUGIN)
        bad(USAGE, failed.format(name, ""), "run", K, "identity(5)", "--device=ext_dev", env=ENV)

    def test_failures(self):
        """Of the plugin's functions."""
        name = PLUGIN.name
        bad(USAGE, f"--device=ext_dev:7: {name} cannot use the device: there is no device 7",
            "run", K, "identity(5)", "--device=ext_dev:7", env=ENV)
        bad(USAGE, f"RuntimeError: {name} cannot allocate memory: 4000000 bytes are too many",
            *DEVICE, "twice(1000000xf32=1, &4xf32)", env=ENV)
        bad(RAISED, f"make_like: RuntimeError: {name} cannot allocate memory: full", "run", K,
            "make_like(3xi16=7)", "--device=ext_dev", env=dict(ENV, FAKE_DEVICE="full"))
        for wrong, code, text in (
                ("allocate", USAGE, "cannot allocate memory: it returned NULL without an error"),
                ("copy_in", USAGE, "cannot copy to the device: the bus is out"),
                ("wait", RAISED, "cannot finish: a kernel failed")):
            bad(code, f"{name} {text}", *DEVICE, TWICE, env=dict(ENV, FAKE_DEVICE=wrong))
        assert run(*DEVICE, TWICE, env=dict(ENV, FAKE_DEVICE="copy_out")) == (
            RAISED, "arg[1]: 4xf32 on ext_dev:0\n",
            f"tvm-ffi: {name} cannot copy from the device: callee returned 7 without setting an "
            "error\n")
        bad(RAISED, f"{name} cannot finish: a kernel failed", "bench", *DEVICE[1:], TWICE,
            "--warmup=0", "--repeat=6", env=dict(ENV, FAKE_DEVICE="wait"))


class Recorded(unittest.TestCase):
    """The recorder reads memory by the plugin."""

    def setUp(self):
        shutil.copy(LIBRARIES["tvm_ffi_device_ext_dev"], PLUGIN)

    def test_contents(self):
        """Of handles, with offsets, before and after; and they are replayed."""
        folder, calls = record_run(self, PLUGIN, "twice(8xf32[4:]=1 2 3 4, &4xf32)", "ext_dev")
        self.assertEqual([call["function"] for call, _ in calls], ["twice"])
        call, end = calls[0]
        self.assertEqual([s["bytes"] for s in call["storages"]], [16, 16])
        self.assertEqual([read(folder, s) for s in call["storages"]], [[1, 2, 3, 4], [0] * 4])
        self.assertEqual([read(folder, {**s, "bytes": 16}) for s in end["storages"]],
                         [[1, 2, 3, 4], [2, 4, 6, 8]])
        self.assertIn("1 of 1 call is the same as recorded",
                      good("replay", folder, "--device=ext_dev", env=ENV))

    def test_large(self):
        """What is kept in a file of its own is copied in parts."""
        folder, calls = record_run(self, PLUGIN, "twice(100000xf32=1.5, &100000xf32)", "ext_dev")
        digest = calls[0][1]["storages"][1]["data"]
        data = (folder / "tensors" / f"{digest}.npy").read_bytes()[128:]
        self.assertEqual(data, struct.pack("=f", 3) * 100000)

    def test_left_out(self):
        """Of a plugin that cannot copy; the call's own error stays as it is."""
        env = dict(ENV, FAKE_DEVICE="copy_out")
        _, calls = record_run(self, PLUGIN, TWICE, "ext_dev", env=env, code=RAISED)
        why = "its device plugin could not copy it"
        self.assertEqual([s.get("left_out") for part in calls[0] for s in part["storages"]],
                         [why] * 4)
        _, calls = record_run(self, PLUGIN, "twice(4xf32=1, &5xf32)", "ext_dev", env=env,
                              code=RAISED)
        self.assertIn("Mismatched", calls[0][1]["error"]["message"])
        self.assertEqual(calls[0][0]["storages"][0]["left_out"], why)


def record_run(test, library, call, device, env=None, code=OK):
    """Record a run on the device: the folder, and the events of each call."""
    if not sys.platform.startswith(("linux", "darwin")) or WINDOWS:
        test.skipTest("the recorder needs Linux or macOS")
    folder = work_folder() / "recording"
    run_it = ["run", str(library), call, f"--device={device}"]
    alone = run(*run_it, env=env or ENV)
    done = run("record", "-o", folder, "--", TOOL, *run_it, env=env or ENV)
    if "recorder" in done[2] and done[0] == USAGE:
        test.skipTest(done[2])
    test.assertEqual((done, done[0]), (alone, code))
    events = [json.loads(line) for line in open(folder / "calls.jsonl", encoding="utf-8")]
    calls = [event for event in events if event["event"] == "call"]
    ends = {event["call"]: event for event in events if event["event"] in ("return", "error")}
    return folder, [(call, ends[call["call"]]) for call in calls]


def read(folder, storage):
    """The numbers of a small storage."""
    memory = (folder / "calls.memory").read_bytes()[storage["at"]:][:storage["bytes"]]
    return list(struct.unpack(f"={len(memory) // 4}f", memory))


def need_plugin(test, name, lacks):
    """Leave out a test of the plugin of a sample that this build does not have."""
    if name not in LIBRARIES:
        test.skipTest(lacks)
    return {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(LIBRARIES[name])}


class Samples(unittest.TestCase):
    """The plugins of samples."""

    def test_opencl(self):
        env = need_plugin(self, "tvm_ffi_device_opencl",
                          "needs OpenCL headers and a loader (Debian: ocl-icd-opencl-dev "
                          "opencl-headers), and no sanitizer")
        env["POCL_CACHE_DIR"] = str(FOLDER / "pocl")
        name, scale = "tvm_ffi_device_opencl.so", LIBRARIES["opencl_scale"]
        _, _, err = run("run", scale, "scale(&1xf32, &1xf32, 1)", "--device=opencl:99", env=env)
        if err.endswith("OpenCL has 0\n"):
            self.skipTest("OpenCL has no device (Debian: pocl-opencl-icd)")
        assert f"opencl:99: {name} cannot use the device: there is no device 99" in err, err
        on_device = "--device=opencl:0"
        assert good("run", scale, "scale(4xf32=[1 2 3 4], &4xf32, 2.5)", on_device,
                    env=env) == "arg[1]: 4xf32=2.5 5 7.5 10\n"
        assert good("run", scale, "scale(64xf32[16:20]=[1 2 3 4], &4xf32, 2.5)",
                    on_device, env=env) == "arg[1]: 4xf32=2.5 5 7.5 10\n"
        assert good("run", K, "identity(4x4xf32[::2, ::-1]=1 2 3 4 5 6 7 8)", on_device,
                    env=env) == "result[0]: 2x4xf32=[1 2 3 4][5 6 7 8]\n"
        probed = good("probe", scale, "scale(4xf32=rand, &4xf32, 2.5)", on_device, "--only=offset",
                      "--only=strided", "--only=repeat", "--only=sequence", env=env)
        assert re.search(r": \d{2} passed, [1-9] refused, 0 failed\n", probed), probed
        assert good("bench", scale, "scale(4xf32=1, &4xf32, 2.5)", on_device, "--warmup=0",
                    "--repeat=6", env=env).count("\n") == 4
        folder, calls = record_run(self, scale, "scale(64xf32[32:36]=[1 2 3 4], &4xf32, 2.5)",
                                   "opencl:0", env=env)
        call, end = calls[0]
        x, y = (call["args"][i]["tensor"]["storage"] for i in range(2))
        self.assertEqual((len(calls), read(folder, call["storages"][x]),
                          read(folder, {**end["storages"][y], "bytes": 16})),
                         (1, [1, 2, 3, 4], [2.5, 5, 7.5, 10]))

    def test_rocm(self):
        env = need_plugin(self, "tvm_ffi_device_rocm",
                          "needs HIP headers (Debian: libamdhip64-dev)")
        name, on_device = "tvm_ffi_device_rocm.so", "--device=rocm:0"
        assert good("run", K, "show(4xf32=1, 5, &2xi8)", on_device, env=env) == (
            'result[0]: "(float32[4]@rocm:0, 5, int8[2]@rocm:0)"\narg[2]: 2xi8=0 0\n')
        assert good("run", K, "identity(4x4xf32[::2, ::-1]=1 2 3 4 5 6 7 8)", on_device,
                    env=env) == "result[0]: 2x4xf32=[1 2 3 4][5 6 7 8]\n"
        bad(USAGE, f"--device=rocm:1: {name} cannot use the device: HIP Error: "
            "hipErrorInvalidDevice (101): invalid device ordinal", "run", K, "identity(5)",
            "--device=rocm:1", env=env)
        folder, calls = record_run(self, K, "identity(4xf32=1 2 3 4)", "rocm:0", env=env)
        self.assertEqual(read(folder, calls[0][0]["storages"][0]), [1, 2, 3, 4])
        captures = dict(env, FAKE_HIP_CAPTURES="1")
        _, calls = record_run(self, K, "identity(4xf32=1 2 3 4)", "rocm:0", env=captures,
                              code=RAISED)
        self.assertEqual(calls[0][0]["storages"][0]["left_out"],
                         "its device plugin could not copy it")


run_tests()
