# SPDX-License-Identifier: Apache-2.0
"""Files that never end, or that say that they are larger than memory: only what is needed is read
of them.

test_endless.py TVM-FFI RUN_KERNELS..."""
import os
import pathlib
import struct
import subprocess
import unittest

from tool import COMMAND, FILES, LOAD, OK, USAGE, WINDOWS, need, run_tests, skip, work_folder

if WINDOWS:
    skip("devices and pipes that never end have no name there")

KERNELS = next(os.path.abspath(f) for f in FILES if pathlib.Path(f).stem == "run_kernels")
LIMIT = "has more than 256 MB, the most that is read from a device or a pipe\n"
os.chdir(work_folder())


def ends(code, out, err, *words, stdin=subprocess.DEVNULL):
    done = subprocess.run([*COMMAND, *words], stdin=stdin, capture_output=True, text=True,
                          check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, out, err), (words, done)


def call(value, err, code=USAGE, **kwargs):
    ends(code, "", f"tvm-ffi: {err}", "run", KERNELS, "-f", "identity", "-i", value, **kwargs)


TAKING = [["list"], ["list", "--load"], ["check"], ["stub"], ["run"], ["bench"],
          ["registry", "--lib"], ["types", "--lib"]]

dictionary = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n"
array = b"\x93NUMPY\1\0" + struct.pack("<H", len(dictionary)) + dictionary + struct.pack(
    "<2f", 1, 2)


class Endless(unittest.TestCase):
    def test_libraries(self):
        """Libraries: what does not begin as one is not read further."""
        need(self, "/dev/zero")
        for words in TAKING:
            ends(LOAD, "", "tvm-ffi: /dev/zero: not an ELF, PE or Mach-O file\n", *words,
                 "/dev/zero")
            with open("/dev/zero", "rb") as zero:
                ends(LOAD,
                     "",
                     "tvm-ffi: -: not an ELF, PE or Mach-O file\n",
                     *words,
                     "-",
                     stdin=zero)

    def test_tensors(self):
        """Tensors: as many bytes as the tensor has, from a device."""
        need(self, "/dev/zero")
        ends(OK, "result[0]: 3xf32=0 0 0\n", "", "run", KERNELS, "identity(3xf32=@/dev/zero)")
        ends(OK, "result[0]: 2xi8=0 0\n", "", "run", KERNELS, "-f", "identity", "-i",
             "2xi8=+/dev/zero")
        for mode in "@+*":
            call(f"{mode}/dev/zero", "/dev/zero: it does not begin like an .npy file\n")

    def test_a_pipe_by_name(self):
        """A pipe that stays open is read only as far as the tensor goes."""
        need(self, "/dev/stdin")
        for content, spec, expected in (array, "@/dev/stdin",
                                        "2xf32=1 2"), (b"\1\2\3", "2xi8=@/dev/stdin", "2xi8=1 2"):
            reader, writer = os.pipe()
            os.write(writer, content)
            ends(OK, f"result[0]: {expected}\n", "", "run", KERNELS, "-f", "identity", "-i", spec,
                 stdin=reader)
            os.close(reader)
            os.close(writer)

    def test_whole_files(self):
        """Whole files: a limit for devices and pipes."""
        need(self, "/dev/zero")
        call("x:@/dev/zero", f"/dev/zero: {LIMIT}")
        ends(LOAD, "", f"tvm-ffi: /dev/zero: {LIMIT}", "unpack", "/dev/zero")
        ends(USAGE, "", f"tvm-ffi: /dev/zero: {LIMIT}", "embed", "--name=k", "/dev/zero")
        ends(USAGE, "", f"tvm-ffi: /dev/zero: {LIMIT}", "embed", "--library-bin", "/dev/zero")
        with open("/dev/zero", "rb") as zero:
            call("x:@-", f"standard input: {LIMIT}", stdin=zero)

    def test_a_sparse_file_of_a_terabyte(self):
        """A sparse file of a terabyte: refused by its first bytes, or read as far as its array
        goes."""
        try:
            for name, content in ("huge.so", b"no library"), ("huge.npy", array):
                pathlib.Path(name).write_bytes(content)
                os.truncate(name, 1 << 40)
        except OSError as error:
            print(f"no file of a terabyte: {error}")
        else:
            ends(LOAD, "", "tvm-ffi: huge.so: not an ELF, PE or Mach-O file\n", "list", "huge.so")
            ends(OK, "result[0]: 2xf32=1 2\n", "", "run", KERNELS, "identity(@huge.npy)")
            ends(OK, "result[0]: 2xi8=110 111\n", "", "run", KERNELS, "identity(2xi8=@huge.so)")

    def test_headers_of_npy_files_that_claim_more(self):
        """Headers of .npy files that claim more than there is."""
        for claim, message in [(b"\x93NUMPY\2\0" + struct.pack("<I", 2**32 - 1),
                                "its header is larger than a megabyte\n"),
                               (b"\x93NUMPY\2\0" + struct.pack("<I", 1 << 20),
                                "it ends inside its header\n")]:
            pathlib.Path("claims.npy").write_bytes(claim)
            call("@claims.npy", f"claims.npy: {message}")


run_tests()
