# SPDX-License-Identifier: Apache-2.0
"""Files read and written by `tvm-ffi run`, checked against the description of the format and, if it
is installed, with NumPy."""
import os
import pathlib
import re
import struct
import unittest

from tool import FILES, USAGE, bad, good, run, run_tests, work_folder

ORDER = "<" if "little-endian" in good("info") else ">"  # of the processor that the tool is for
BFLOATS = struct.pack(ORDER + "2H", 0x3f80, 0x4000)  # 1 and 2
KERNELS = next(os.path.abspath(f) for f in FILES if pathlib.Path(f).stem == "run_kernels")
os.chdir(work_folder())


def header(text, version=1):
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text.encode()


def npy(descr, shape, data, order="False", version=1):
    return header(f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n",
                  version) + data


def reads(content, expected, spec="@x.npy"):
    pathlib.Path("x.npy").write_bytes(content)
    got = good("run", KERNELS, f"identity({spec})")
    assert got == f"result[0]: {expected}\n", (content, got)


MARKED = re.compile(rb"\x93NUMPY\x01\x00(..)(\{.*\} *\n)", re.DOTALL)


def writes(value, descr, shape, data):
    pathlib.Path("y.npy").unlink(missing_ok=True)
    assert good("run", KERNELS, f"identity({value})", "--output=@y.npy") == ""
    content = pathlib.Path("y.npy").read_bytes()
    match = MARKED.match(content)
    assert (match and len(match[0]) % 64 == 0
            and struct.unpack("<H", match[1])[0] == len(match[2])), content
    # pylint: disable-next=eval-used
    assert eval(match[2]) == {"descr": descr, "fortran_order": False, "shape": shape}, content
    assert content[len(match[0]):] == data, content


try:
    import numpy
except ImportError:
    numpy = None


class Npy(unittest.TestCase):
    def test_types(self):
        """Versions, byte orders, row-major and column-major order."""
        for version in (1, 2, 3):
            reads(npy("<f4", "(3,)", struct.pack("<3f", 1, 2, 3), version=version), "3xf32=1 2 3")
        reads(npy(">f4", "(3,)", struct.pack(">3f", 1, 2, 3)), "3xf32=1 2 3")
        reads(npy(">i8", "(2, 2)", struct.pack(">4q", 1, -2, 3, 2**62), "True"),
              "2x2xi64=[1 3][-2 4611686018427387904]")
        reads(npy("<i4", "(2, 3)", struct.pack("<6i", *range(6)), "True"), "2x3xi32=[0 2 4][1 3 5]")
        reads(npy("<i4", "(2, 3, 2)", struct.pack("<12i", *range(12)), "True"),
              "2x3x2xi32=[[0 6][2 8][4 10]][[1 7][3 9][5 11]]")
        reads(npy("|b1", "(2,)", b"\1\0"), "2xbool=1 0")
        reads(npy("|u1", "()", b"\7"), "ui8=7")
        reads(npy("<f2", "(1,)", struct.pack("<e", 0.5)), "1xf16=0.5")
        reads(npy(">c8", "(1,)", struct.pack(">2f", 1, 2)), "1xc64=[1 2]")
        reads(npy("<f8", "(0, 3)", b""), "0x3xf64=")
        reads(npy("<f8", "(3, 0)", b"", "True"), "3x0xf64=")
        reads(
            header("{'shape':(2L,),\"fortran_order\":False,'descr':'=u2'}") +
            struct.pack(ORDER + "2H", 1, 65535), "2xui16=1 65535")
        reads(npy("|V2", "(2,)", BFLOATS), "2xbf16=1 2", "2xbf16=@x.npy")
        reads(npy("<f4", "(1,)", struct.pack("<f", 1)), "1xf32=1", "1xf32=@x.npy")

    def test_several_arrays(self):
        """In one file."""
        pathlib.Path("two.npy").write_bytes(
            npy("<i4", "(1,)", b"\1\0\0\0") + npy("|i1", "(2,)", b"\2\3"))
        assert good("run", KERNELS,
                    "show(@two.npy, +two.npy)") == 'result[0]: "(int32[1]@cpu:0, int8[2]@cpu:0)"\n'
        assert good("run", KERNELS, "show(+two.npy, *two.npy, @two.npy)") == \
            'result[0]: "(int32[1]@cpu:0, int8[2]@cpu:0, int32[1]@cpu:0)"\n'
        assert good("run", KERNELS, "-f", "show", "-i",
                    "*two.npy") == 'result[0]: "(int32[1]@cpu:0, int8[2]@cpu:0)"\n'
        bad(USAGE, "two.npy: there are no more arrays", "run", KERNELS,
            "show(@two.npy, +two.npy, +two.npy)")

    def test_raw_bytes(self):
        pathlib.Path("raw.bin").write_bytes(struct.pack(ORDER + "6h", *range(6)))
        assert good("run", KERNELS, "identity([2xi16=@raw.bin, 3xi16=+raw.bin])") == \
            "result[0]: 2xi16=0 1\nresult[1]: 3xi16=2 3 4\n"
        bad(USAGE, "8 bytes are needed, but raw.bin has 4", "run", KERNELS,
            "identity([4xi16=@raw.bin, 4xi16=+raw.bin])")
        raw = "".join(f"\\x{b:02x}" for b in pathlib.Path("raw.bin").read_bytes())
        assert good("run", KERNELS, "identity(x:@raw.bin)") == f'result[0]: b"{raw}"\n'
        pathlib.Path("a, b.bin").write_bytes(b"\1\2")
        assert good("run", KERNELS, 'show(x:"ab", 1)')
        assert good("run", KERNELS, "-f", "identity", "-i",
                    "2xi8=@a, b.bin") == "result[0]: 2xi8=1 2\n"

    def test_malformed_files(self):
        whole = npy("<f4", "(3,)", struct.pack("<3f", 1, 2, 3))
        for size in range(len(whole)):
            pathlib.Path("x.npy").write_bytes(whole[:size])
            code, out, err = run("run", KERNELS, "identity(@x.npy)")
            assert (code == USAGE and out == "" and err.startswith("tvm-ffi: x.npy: ")
                    and err.count("\n") == 1), (size, err)
        pathlib.Path("x.npy").write_bytes(whole[:-1])
        bad(USAGE, "x.npy: it ends after 11 of 12 bytes of data", "run", KERNELS,
            "identity(@x.npy)")
        for content, message in [
            (b"text", "it does not begin like an .npy file"),
            (header("{}", 4), "its format 4.0 is not 1.0"),
            (header("[]"), "its header is not a dict"), (header("{}"), "its header lacks"),
            (npy("<f3", "(1,)", b""), "its descr is not a type of numbers"),
            (npy("|O", "(1,)", b""), "not a type of numbers"),
            (npy("<U4", "(1,)", b""), "not a type of numbers"),
            (npy("<f4", "1", b""), "its shape is not a tuple"),
            (npy("<f4", "(-1,)", b""), "not a tuple of sizes"),
            (npy("<f4", "(1 2)", b""), "not a tuple of sizes"),
            (npy("<f4", "(99999999999999999999,)", b""), "its shape is too large"),
            (npy("<f4", "(4294967296, 4294967296)", b""), "its shape is too large"),
            (npy("<f4", "(" + "1," * 33 + ")", b""), "more than 32 dimensions"),
            (npy("<f4", "(1,)", b"", "1"), "its fortran_order is not a bool"),
            (header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"),
             "not a type of numbers"),
            (header("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}"),
             "a key that .npy files do not have"),
            (header("{'descr': '<f4"), "not a type of numbers")
        ]:
            pathlib.Path("x.npy").write_bytes(content)
            bad(USAGE, f"x.npy: {message}" if message.startswith("it") else message, "run", KERNELS,
                "identity(@x.npy)")
        pathlib.Path("x.npy").write_bytes(npy("|V2", "(2,)", b"1234"))
        bad(USAGE, "x.npy holds 2 raw bytes per element; give their type", "run", KERNELS,
            "identity(@x.npy)")
        bad(USAGE, "the array in x.npy has the shape [2], not [3]", "run", KERNELS,
            "identity(3xbf16=@x.npy)")
        bad(USAGE, "the elements of the array in x.npy are 2 raw bytes, not f32", "run", KERNELS,
            "identity(2xf32=@x.npy)")
        pathlib.Path("x.npy").write_bytes(npy("<i4", "(2,)", bytes(8)))
        bad(USAGE, "the elements of the array in x.npy are i32, not f32", "run", KERNELS,
            "identity(2xf32=@x.npy)")
        bad(USAGE, "none.npy: No such file or directory", "run", KERNELS, "identity(@none.npy)")

    def test_output_files(self):
        """They have the format, and can be read back."""
        writes("3xf32=1 2 3", ORDER + "f4", (3,), struct.pack(ORDER + "3f", 1, 2, 3))
        writes("2x2xui8=1 2 3 4", "|u1", (2, 2), b"\1\2\3\4")
        writes("2xbool=1 0", "|b1", (2,), b"\1\0")
        writes("2xbf16=1 2", "|V2", (2,), BFLOATS)
        writes("1xc64=1 2", ORDER + "c8", (1,), struct.pack(ORDER + "2f", 1, 2))
        writes("0x2xi16", ORDER + "i2", (0, 2), b"")
        writes("5", ORDER + "i8", (), struct.pack(ORDER + "q", 5))
        writes("2.5", ORDER + "f8", (), struct.pack(ORDER + "d", 2.5))
        writes("true", "|b1", (), b"\1")
        bad(USAGE, "y.npy: cannot write result[0]: a ffi.SmallStr is neither", "run", KERNELS,
            'identity("a")', "-o", "@y.npy")
        bad(USAGE, "y.npy: cannot write result[0]: its elements are not whole bytes", "run",
            KERNELS, "identity(2xi4=1)", "--output=@y.npy")
        bad(USAGE, "no/y.npy: No such file or directory", "run", KERNELS, "identity(2xi8=1)",
            "--output=@no/y.npy")
        pathlib.Path("y.npy").unlink()
        assert good("run", KERNELS, "make_two()", "-o", "@y.npy", "-o", "+y.npy") == ""
        assert good("run", KERNELS, "-f", "show", "-i",
                    "*y.npy") == 'result[0]: "(float32[1]@cpu:0, float32[2]@cpu:0)"\n'
        assert good("run", KERNELS, "make_two()", "-o", "", "-o", "@y.bin") == ""
        assert pathlib.Path("y.bin").read_bytes() == struct.pack(ORDER + "2f", 0, 1)
        assert good("run", KERNELS, "make_two()", "-o", "-", "-o",
                    "+y.bin") == "result[0]: 1xf32=0\n"
        assert len(pathlib.Path("y.bin").read_bytes()) == 16
        assert good("run", KERNELS, "scale(3xf32=1 2 3, 2, "
                                    "&3xf32)", "-o", "@y.npy", "-e", "3xf32=2 4 6") == \
            "[PASS] scale: arg[2] 3xf32 max|err|=0\n"
        assert good("run", KERNELS, "identity(3xf32=2 4 6)", "-e",
                    "@y.npy") == "[PASS] identity: result[0] 3xf32 max|err|=0\n"

    def test_numpy(self):
        if numpy is not None:
            for array in [
                    numpy.arange(6, dtype="<i2").reshape(2, 3),
                    numpy.arange(6.0).reshape(2, 3).T,
                    numpy.arange(6, dtype=">f4"),
                    numpy.float64(0.5),
                    numpy.zeros((0, 3), "u8"),
                    numpy.array([True, False]),
                    numpy.array([1 + 2j])
            ]:
                numpy.save("n.npy", array)
                good("run", KERNELS, "identity(@n.npy)", "-o", "@m.npy")
                back = numpy.load("m.npy")
                assert (back == array).all() and back.shape == array.shape, array
                assert back.dtype == array.dtype.newbyteorder(ORDER), array


run_tests()
