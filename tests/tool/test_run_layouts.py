# SPDX-License-Identifier: Apache-2.0
"""Tensors in any layout: where `run` puts them, what it refuses, and what it finds afterwards."""
import os
import pathlib
import random
import re
import struct
import unittest

from tool import (CHECK, FILES, OK, RAISED, USAGE, bad, good, good_json, run, run_tests,
                  work_folder)

LIBRARIES = {pathlib.Path(f).stem: os.path.abspath(f) for f in FILES}
K = LIBRARIES["run_kernels"]
CRASHING = dict(os.environ,
                ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0:detect_leaks=0")
os.chdir(work_folder())


def describe(*arguments):
    """Of each tensor: shape, strides, byte_offset, address modulo 64, distance, and the rest."""
    code, _, err = run("run", K, f"describe({', '.join(arguments)})")
    assert code == OK, err
    found = re.findall(r"\[([^]]*)\] \[([^]]*)\]\+(\d+) base (\d+) at ([+-]\d+) ([^;\n]*)", err)
    assert len(found) == len(arguments), err

    def numbers(text):
        return [int(number) for number in text.split(", ") if number]

    return [(numbers(shape), numbers(strides), int(offset), int(base), int(at), rest)
            for shape, strides, offset, base, at, rest in found]


def is_refused(call, message, *args):
    bad(USAGE, message, "run", K, call, *args)


def write(cut):
    if isinstance(cut, int):
        return str(cut)
    parts = ["" if part is None else str(part) for part in (cut.start, cut.stop)]
    return ":".join(parts + ([] if cut.step is None else [str(cut.step)]))


def check_slices(extents, cuts):
    """The elements of the part are those that Python finds in the array."""
    strides = [extents[1] * extents[2], extents[2], 1]
    shape, steps, first = [], [], 0
    for extent, stride, cut in zip(extents, strides, cuts + [slice(None)] * (3 - len(cuts))):
        if isinstance(cut, int):
            first += range(extent)[cut] * stride
            continue
        taken = range(extent)[cut]
        shape.append(len(taken))
        steps.append(taken.step * stride)
        first += (taken[0] if taken else 0) * stride
    part = f"{'x'.join(map(str, extents))}xi16[{', '.join(map(write, cuts))}]"
    (got_shape, got_strides, _, _, at, _), whole = describe(part, "arg[0].base")
    assert got_shape == shape, (part, got_shape, shape)
    if 0 not in shape:
        assert -whole[4] == 2 * first and at == 0, (part, whole, first)
        for extent, got, step in zip(shape, got_strides, steps):
            assert extent == 1 or got == step, (part, got_strides, steps)
    assert whole[:2] == (extents, strides)


def choose(rng, extent):
    if extent > 0 and rng.random() < 0.25:
        return rng.randrange(-extent, extent)
    ends = [rng.choice([None, rng.randrange(-extent - 2, extent + 3)]) for _ in range(2)]
    return slice(*ends, rng.choice([None, None, 1, 2, 3, -1, -2, -5]))


KINDS = ("cpu", "cuda", "cuda_host", "opencl", "vulkan", "metal", "vpi", "rocm", "rocm_host",
         "ext_dev", "cuda_managed", "oneapi", "webgpu", "hexagon", "maia", "trn")


def npy(shape, is_fortran, numbers):
    header = f"{{'descr': '|u1', 'fortran_order': {is_fortran}, 'shape': {shape}, }}\n"
    return (b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + bytes(numbers))


class Layouts(unittest.TestCase):
    def test_slices(self):
        """They take what Python takes."""
        rng = random.Random(1)
        for _ in range(40):
            extents = [rng.choice([1, 2, 3, 4, 7]) for _ in range(3)]
            check_slices(extents, [choose(rng, extents[i]) for i in range(rng.choice([1, 2, 3]))])
        far = 2**70
        check_slices([4, 5, 6], [slice(-far, far), slice(far, -far, -far), slice(None, None, far)])
        # One after the other, with the rest of the dimensions, and in reverse order.
        assert describe("4x4xi16[1:][::2]")[0][:2] == ([2, 4], [8, 1])
        assert describe("2x3x4xi16[..., 0]")[0][:2] == ([2, 3], [12, 4])
        assert describe("2x3x4xi16[0, ..., 1:]")[0][:2] == ([3, 3], [4, 1])
        assert describe("2x3x4xi16[1, 2, 3]", "arg[0].base")[1][4] == -46
        assert describe("2x3xi16[...]")[0][:2] == ([2, 3], [3, 1])
        assert describe("2x3x4xi16.T[1:, 1]")[0][:2] == ([3, 2], [1, 12])
        # Spaces, and a comma at the end.
        assert describe("4x4xi16[ 1 : 3 : 1 , ]")[0][:2] == ([2, 4], [4, 1])

    def test_contents(self):
        """They are those of the part."""
        for spec, expected in [
            ("4x4xf32[::2, 1:]=[1 2 3][4 5 6]", "2x3xf32=[1 2 3][4 5 6]"),
            ("6xi32[::-2]=1 2 3", "3xi32=1 2 3"),
            ("6xi32[::-2]=7", "3xi32=7 7 7"),
            ("2x3xf64.T=1 2 3 4 5 6", "3x2xf64=[1 2][3 4][5 6]"),
            ("2x3xbf16.order(F)=1 2 3 4 5 6", "2x3xbf16=[1 2 3][4 5 6]"),
            ("2x3xi8.strides(4, -1)=1 2 3 4 5 6", "2x3xi8=[1 2 3][4 5 6]"),
            ("2x3xi8.strides(0, 1)=1 2 3", "2x3xi8=[1 2 3][1 2 3]"),
            ("2x3xi8.strides(0, 0)=4", "2x3xi8=[4 4 4][4 4 4]"),
            ("2x3xi8.strides(1, 1)=1 2 3 2 3 4", "2x3xi8=[1 2 3][2 3 4]"),
            ("4xi8[2]=5", "i8=5"),
            ("0x3xi8[::2, ::-1]=", "0x3xi8="),
            ("3xi8.guard(end)=1 2 3", "3xi8=1 2 3"),
            ("i8.guard(start)=3", "i8=3"),
            ("3xi8.device(cuda:7)=1 2 3", "3xi8=1 2 3"),
            ("3xi8.readonly=1 2 3", "3xi8=1 2 3"),
            ("3xi4.misaligned(1)=1 2 3", "3xi4=1 2 3"),
        ]:
            got = good("run", K, f"identity({spec})")
            assert got == f"result[0]: {expected}\n", (spec, got)
        assert good("run", K, "number(2x1xi8.dltensor=5)") == "arg[0]: 2x1xi8=[1][2]\n"
        for guard in "start", "end":
            assert good("run", K, "number(&2x3xi8.strides(4, -1))", f"--guard={guard}") == (
                "arg[0]: 2x3xi8=[1 2 3][4 5 6]\n")
        # The same random numbers as without a layout.
        assert good("run", K, "identity(4x2xf32[::2, ::-1]=rand)") == good("run", K,
                                                                          "identity(2x2xf32=rand)")
        data = good_json("run", K, "identity(8xf32.strides(1)[1::2].misaligned(5)=1 2 3 4)")
        assert data["outputs"][0]["data"] == [1, 2, 3, 4]

    def test_where_the_memory_is(self):
        assert describe("4xi16")[0][2:] == (0, 0, 0, "cpu:0")
        assert describe("4xi16.byte_offset(6)")[0][2:4] == (6, 0)
        assert describe("4xi16[2:].byte_offset(4)", "arg[0].base") == [
            ([2], [1], 4, 0, 0, "cpu:0"), ([4], [1], 0, 0, 0, "cpu:0")]
        assert describe("4xi16[2:].byte_offset(1)", "arg[0]",
                        "arg[0].byte_offset(3)") == [([2], [1], 1, 3, 0, "cpu:0"),
                                                     ([2], [1], 0, 4, 1, "cpu:0"),
                                                     ([2], [1], 3, 1, -2, "cpu:0")]
        for distance in 1, 2, 63:
            assert describe(f"4xi16.misaligned({distance})")[0][3] == distance
            assert describe(f"4xi16[1:].misaligned({distance})")[0][3] == (distance + 2) % 64
        assert describe("4xi16.readonly", "arg[0]", "4xi16",
                        "arg[2].readonly")[1][5] == "cpu:0 read-only"
        assert [one[5] for one in describe("4xi16.device(cuda:1)", "arg[0]", "arg[0].device(cpu)")
                ] == ["cuda:1", "cuda:1", "cpu:0"]
        for kind in KINDS:
            assert [one[5] for one in describe(f"4xi16.device({kind})", f"4xi16.device({kind}:3)")
                    ] == [f"{kind}:0", f"{kind}:3"]
        assert [one[5] for one in describe("4xi16.dltensor", "arg[0]", "arg[0].dltensor")] == [
            "cpu:0 dltensor", "cpu:0", "cpu:0 dltensor"]
        assert describe("2x3xi16.order(C)")[0][1] == [3, 1]
        assert describe("2x3xi16.order(F)")[0][1] == [1, 2]
        assert describe("2x1x3xi16.strides(-7, 99, 0)")[0][:2] == ([2, 1, 3], [-7, 99, 0])
        # More than there is memory.
        assert describe(f"{2**33}xi64.reserved" if struct.calcsize("P") ==
                        8 else f"{2**28}xi8.reserved")
        # Arguments given as options.
        assert good("run", K, "-f", "scale", "-i", "5xf32[:4]=1", "-i", "2", "-i",
                    "&arg[0].base[1:]") == ("arg[0]: 4xf32=1 2 4 8\narg[2]: 4xf32=2 4 8 16\n")
        # An argument that had no layout is shared too, and is still an output.
        assert good("run", K, "scale(4xf32=3, 2, &arg[0])") == (
            "arg[0]: 4xf32=6 6 6 6\narg[2]: 4xf32=6 6 6 6\n")
        assert good("run", K, "number(&4x6xi8.T[::2, ::-1])") == (
            "arg[0]: 3x4xi8=[1 2 3 4][5 6 7 8][9 10 11 12]\n")
        assert good("run", K, "number(2x2xi8.order(F)=9)") == "arg[0]: 2x2xi8=[1 2][3 4]\n"
        # A word where the function takes a text.
        assert "arg[0]" in good("run", K, "show_typed(1, arg[0], f32, cpu, [1], 1, [1], none)")

    def test_files(self):
        pathlib.Path("c.npy").write_bytes(npy((2, 3), False, range(6)))
        pathlib.Path("f.npy").write_bytes(npy((2, 3), True, [0, 3, 1, 4, 2, 5]))
        pathlib.Path("a b.npy.npy").write_bytes(npy((2, 3), True, [0, 3, 1, 4, 2, 5]))
        for spec, shape, strides, numbers in [
            ("@c.npy", [2, 3], [3, 1], [0, 1, 2, 3, 4, 5]),
            ("@f.npy", [2, 3], [3, 1], [0, 1, 2, 3, 4, 5]),
            ("@c.npy.order(F)", [2, 3], [1, 2], [0, 1, 2, 3, 4, 5]),
            ("@f.npy.order(F)", [2, 3], [1, 2], [0, 1, 2, 3, 4, 5]),
            ("@c.npy.order(K)", [2, 3], [3, 1], [0, 1, 2, 3, 4, 5]),
            ("@f.npy.order(K)", [2, 3], [1, 2], [0, 1, 2, 3, 4, 5]),
            ("@f.npy.order(C)", [2, 3], [3, 1], [0, 1, 2, 3, 4, 5]),
            ("@c.npy[:, 1:]", [2, 2], [3, 1], [1, 2, 4, 5]),
            ("@f.npy.order(K)[1, ::-1]", [3], [-2], [5, 4, 3]),
            ("+f.npy.T", [3, 2], [1, 3], [0, 3, 1, 4, 2, 5]),
            ("@c.npy.strides(10, 3)", [2, 3], [10, 3], [0, 1, 2, 3, 4, 5]),
            ('@"a b.npy.npy"[1]', [3], [1], [3, 4, 5]),
            ("@a b.npy.npy[1]", [3], [1], [3, 4, 5]),
            ("2x3xu8.order(F)=@c.npy", [2, 3], [1, 2], [0, 1, 2, 3, 4, 5]),
            ("4x3xu8[::2]=@f.npy", [2, 3], [6, 1], [0, 1, 2, 3, 4, 5]),
        ]:
            assert describe(spec)[0][:2] == (shape, strides), spec
            output = good_json("run", K, f"identity({spec})")["outputs"][0]
            assert (output["shape"], output["data"]) == (shape, numbers), (spec, output)
        bad(USAGE, "the array in c.npy has the shape [2, 3], not [3, 2]", "run", K,
            "describe(2x3xu8.T=@c.npy)")
        is_refused("describe(@c.npy.strides(0, 1))",
                   "elements that share memory cannot have different contents")
        is_refused("describe(*c.npy[1])",
                   "a layout can follow @FILE and +FILE, which are one array")
        is_refused("describe(@c.npy.reserved)", "has no memory for the array of a file")
        is_refused("describe(@c.npy.transposed)", "c.npy.transposed: No such file")
        is_refused("describe(@c.npy[1]x)", "`x` is unexpected here")

    def test_refusals(self):
        for spec, message in [
            ("4xf32.foo", "`.foo` is none of .T .order .strides .base .byte_offset"),
            ("4xf32.", "`.` is none of .T"),
            ("4xf32[]", "a slice is missing between [ and ]"),
            ("4xf32[a]", "a slice is START:STOP:STEP, an index or `...`, not `a`"),
            ("4xf32[1.5]", "`,` or `]` is missing after a slice"),
            ("4xf32[1:2:0]", "the step of a slice cannot be 0"),
            ("4xf32[4]", "index 4 is beyond dimension 0, which has 4 elements"),
            ("4xf32[-5]", "index -5 is beyond dimension 0, which has 4 elements"),
            ("2x4xf32[1, 4]", "index 4 is beyond dimension 1, which has 4 elements"),
            ("4xf32[1, 2]", "there are 2 slices for 1 dimension"),
            ("4x4xf32[..., ...]", "there can be one `...`"),
            ("4xf32.guard", "`.guard` is written .guard(end) or .guard(start)"),
            ("4xf32.guard(middle)", "`.guard` is written .guard(end) or .guard(start)"),
            ("4xf32.misaligned(64)", "`.misaligned` is written .misaligned(1), from 0 to 63"),
            ("4xf32.misaligned(-1)", "`.misaligned` is written .misaligned(1), from 0 to 63"),
            ("4xf32.misaligned(1).guard(end)", "memory next to a guard cannot also be misaligned"),
            ("4xf32.fill(256)", "`.fill` is written .fill(0x7f), a byte"),
            ("4xf32.byte_offset(x)", "`.byte_offset` is written .byte_offset(8)"),
            ("4xf32.byte_offset()", "`.byte_offset` is written .byte_offset(8)"),
            ("4xf32.device(gpu)",
             "`.device` is written .device(cuda:1), with one of " + ", ".join(KINDS)),
            ("4xf32.device(cuda_host:)",
             "`.device` is written .device(cuda:1), with one of cpu, cuda, "),
            ("4xf32.device(cuda_host:x)",
             "`.device` is written .device(cuda:1), with one of cpu, cuda, "),
            ("4xf32.strides(1, 2)", "there are 2 strides for 1 dimension"),
            ("4xf32.strides(x)", "`.strides` is written .strides(4, 1)"),
            ("4xf32[1:].strides(2)", "`.strides` comes before slices and .T"),
            ("4xf32.T.order(F)", "`.order` comes before slices and .T"),
            ("4xf32.order(K)",
             "`.order` is written .order(C), .order(F) or, after a file, .order(K)"),
            ("4xf32.base", "`.base` follows arg[N]"),
            ("4xf32.strides(9223372036854775807)", "it reaches beyond what can be addressed"),
            ("4xf32.strides(2305843009213693951)", "beyond what can be addressed"),
            ("4xf32.reserved=1", "a tensor that is .reserved has no memory for contents"),
            ("4xi4[1:]", "elements of i4 are not whole bytes, and can only lie row by row"),
            ("2x2xi4.T", "elements of i4 are not whole bytes, and can only lie row by row"),
            ("2x3xi8.strides(1, 1)=1 2 3 4 5 6", "share memory cannot have different contents"),
            ("5000x5000xi8.strides(1, 1)", "too many of its elements share memory"),
            ("[4xf32.dltensor]", "a list or a map cannot hold a DLTensor *"),
            ("&arg[0]", "there is no argument 0 before it"),
            ("&arg[x]", "`&` must be followed by the type of a tensor, as in &4xf32, or arg[N]"),
            ("5, arg[0]", "argument 0 is not a tensor"),
            ("4xf32, arg[0]=1", "its contents are those of argument 0"),
            ("4xf32, arg[0].guard(end)",
             "`.guard` is not possible in the memory of an earlier argument"),
            ("4xf32, arg[0].strides(1)", "`.strides` is not possible in the memory of an earlier"),
            ("4xf32, arg[0][1:].base", "`.base` comes before slices and .T"),
            ("4xf32, arg[0].byte_offset(4)", "it leaves the memory of the other tensor"),
            ("4xf32[1:2]x", "`x` is unexpected here"),
        ]:
            is_refused(f"describe({spec})", message)
        is_refused("describe(4xf32.misaligned(1))",
                   "memory next to a guard cannot also be misaligned", "--guard=end")

    def test_what_a_function_does_wrong(self):
        inside = "number(&2x3xi8.strides(10, 3))"
        assert good("run", K, inside) == "arg[0]: 2x3xi8=[1 2 3][4 5 6]\n"
        for spec, offset, where in [
            ("4xi8.fill(0)", 4, "byte 1 after its highest element"),
            ("4xi8.fill(0)", -64, "byte 64 before its lowest element"),
            ("4xi8[1:3]", 2, "byte 1 after its highest element"),
            ("4xi8[1:3]", -1, "byte 1 before its lowest element"),
            ("4xi8[::2]", 1, "byte 2 from its lowest element on, between elements"),
            ("4xi8[::-2]", -1, "byte 2 from its lowest element on, between elements"),
            ("4xi8.misaligned(3)", -10, "byte 10 before its lowest element"),
            ("4xi8.guard(end)", -1, "byte 1 before its lowest element"),
        ]:
            code, _, err = run("run", K, f"poke({spec}, {offset}, 5)")
            assert (code, err) == (
                CHECK, f"tvm-ffi: poke: wrote outside the elements of arg[0]: {where}\n"), (spec,
                                                                                               err)
        assert run("run", K, "poke(4xi8.fill(5), 4, 5)")[0] == OK  # the byte that was there
        # The elements of another argument in the same memory are no gap.
        assert run("run", K, "scale(4xf32[::2]=1, 2, &arg[0].base[1::2])")[0] == OK
        for call, note in [
            ("poke(4xi8.readonly, 0, 1)", "it wrote to a read-only tensor of 4 bytes"),
            ("poke(4xi8.reserved, 0, 1)", "it used a tensor of 4 bytes, which has no memory"),
            ("poke(4xi8.guard(end), 4, 1)", "it reached beyond a tensor of 4 bytes"),
            ("poke(4xi8.guard(start), -1, 1)", "it reached before a tensor of 4 bytes"),
            ("poke(8xi8[:4].guard(end), 8, 1)", "it reached beyond a tensor of 8 bytes"),
        ]:
            bad(RAISED, f"; {note}", "run", K, call, env=CRASHING)
        assert good("run", K, "peek(4xi8.guard(end)=1, 3)", "--guard=start") == "result[0]: 1\n"
        # What is in gaps.
        assert good("run", K, "peek(4xi8[1:]=3, -1)") == "result[0]: 255\n"
        assert good("run", K, "peek(4xi8[1:].fill(0x7f)=3, -1)") == "result[0]: 127\n"
        assert good("run", K, "peek(4xi8[::2].fill(10)=3, 1)") == "result[0]: 10\n"

    def test_bench(self):
        """It takes the same; what it counts are the bytes of the elements."""
        report = good_json("bench", K, "number(4x6xi8[::2, ::-1].guard(end)=1)", "--warmup=0",
                           "--repeat=7")["runs"][0]
        assert abs(report["bytes_per_second"] * report["median"] * 1e-9 - 12) < 0.01, report
        bad(USAGE, "the step of a slice cannot be 0", "bench", K, "number(4x6xi8[::0]=1)")


run_tests()
