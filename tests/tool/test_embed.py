# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import random
import shlex
import struct
import subprocess
import tempfile

from elf import Library, blob
from tool import FILES, LOAD, USAGE, bad, good, good_json, run

HERE = pathlib.Path(__file__).parent
CC = shlex.split(os.environ["CC"])
WORK = pathlib.Path(tempfile.mkdtemp(prefix="tvm-ffi-embed-"))
random.seed(1)
CONTENT = {"a-b.bin": random.randbytes(10001), "c.spv": b"\x03\x02\x23\x07\"\\?", "0": bytes(256)}
for name, content in CONTENT.items():
    (WORK / name).write_bytes(content)
PATHS = [WORK / name for name in CONTENT]


def checksum(content):
    total = 0
    for byte in content:
        total = total * 31 % 1000003 + byte
    return total


SAID = "".join(f"{name} {len(content)} {checksum(content)} 0\n" for name, content in CONTENT.items()) + "10001 1\n"

# ---- Files with a table of contents: compiled, linked, run -------------------------------------------


def compile(*args):
    done = subprocess.run([*CC, *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", (args, done.stderr)


STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
for form in "c", "incbin", "obj":
    for options in [], ["--export"]:
        written = WORK / ("blob.o" if form == "obj" else "blob.c")
        command = ["embed", "--format=" + form, "--name=k", "--align=128", "-o", written, *options]
        good(*command, "-H", WORK / "k.h", *PATHS)
        first = written.read_bytes()
        good(*command, "-H", WORK / "k.h", *PATHS)
        assert written.read_bytes() == first, form
        made = WORK / "blob.o"
        if form != "obj":
            compile(*STRICT, "-fPIC", "-c", written, "-o", made)
        compile(*STRICT, "-I", WORK, HERE / "embedded.c", made, "-o", WORK / "embedded")
        assert subprocess.run([WORK / "embedded"], capture_output=True, text=True, check=True).stdout == SAID, form
        for name, content in CONTENT.items():
            symbol = "k_" + name.replace("-", "_").replace(".", "_")
            good("unpack", made, "--extract=" + symbol, "-o", WORK / "back")
            assert (WORK / "back").read_bytes() == content, (form, name)
        # In a library other libraries see them, or not; the stack is not executable.
        compile("-shared", made, "-Wl,-z,relro", "-o", WORK / "blob.so")
        code, out, err = run("unpack", WORK / "blob.so", "--extract=k_0", "-o", WORK / "back")
        assert (code, err) == ((0, "") if options else (USAGE, f"tvm-ffi: {WORK}/blob.so: no symbol k_0\n")), (form, err)
        assert "  ok    stack      PT_GNU_STACK: not executable" in good("check", WORK / "blob.so").splitlines()

# C alone declares for itself; a name is made of the output's, symbols of the files'.
good("embed", *PATHS, "-o", WORK / "my-blob.c")
text = (WORK / "my-blob.c").read_text()
assert "\nmy_blob_PLACE const unsigned char my_blob_c_spv[7] = {\n3,2,35,7,34,92,63\n};\n" in text, text
assert '    {"c.spv", my_blob_c_spv, 7},\n' in text and "__attribute__((aligned(64)))" in text
compile(*STRICT, "-c", WORK / "my-blob.c", "-o", WORK / "my.o")
assert good("embed", PATHS[1], "--name=x").startswith("/* Written by tvm-ffi embed. */\n#if defined(__GNUC__)")
c23 = good("embed", PATHS[1], "--format=c23", "--section=.lrodata")
assert f'const unsigned char embedded_c_spv[7] = {{\n#embed "{PATHS[1].resolve()}"\n}};\n' in c23, c23
assert 'section(".lrodata")' in c23

# Make's rule names what was read, quoted.
(WORK / "a b#$.bin").write_bytes(b"x")
good("embed", WORK / "a b#$.bin", PATHS[1], "-o", WORK / "out.c", "--depfile", WORK / "d")
assert (WORK / "d").read_text() == f"{WORK}/out.c: {WORK}/a\\ b\\#$$.bin {PATHS[1]}\n"

assert good_json("embed", *PATHS, "-o", WORK / "k.o")["symbols"] == [
    {"name": "k_a_b_bin", "size": 10001}, {"name": "k_c_spv", "size": 7}, {"name": "k_0", "size": 256}]

# For TVM_FFI_EMBED_CUBIN: two symbols around the bytes.
for form in "obj", "incbin":
    good("embed", "--cubin", "--name=mine", "--format=" + form, PATHS[0], "-o", WORK / "cubin.c")
    if form == "incbin":
        compile(*STRICT, "-c", WORK / "cubin.c", "-o", WORK / "cubin.o")
    else:
        (WORK / "cubin.c").rename(WORK / "cubin.o")
    (WORK / "user.c").write_text("extern const char __tvm_ffi__cubin_mine[], __tvm_ffi__cubin_mine_end[];\n"
                                 "int main(void) { return *__tvm_ffi__cubin_mine_end != 0 ||\n"
                                 "  __tvm_ffi__cubin_mine_end - __tvm_ffi__cubin_mine != 10001; }\n")
    compile(WORK / "user.c", WORK / "cubin.o", "-o", WORK / "user")
    assert subprocess.run([WORK / "user"], check=False).returncode == 0, form

# ---- Object files of other machines -------------------------------------------------------------------

KNOWN = {"x86-64": (62, 64, "<", 1), "aarch64": (183, 64, "<", 257), "i386": (3, 32, "<", 1), "arm": (40, 32, "<", 2),
         "riscv64": (243, 64, "<", 2), "riscv32": (243, 32, "<", 1), "ppc64le": (21, 64, "<", 38),
         "ppc64": (21, 64, ">", 38), "powerpc": (20, 32, ">", 1), "s390x": (22, 64, ">", 22),
         "loongarch64": (258, 64, "<", 2)}
for machine, (number, bits, order, relocation) in KNOWN.items():
    made = WORK / "other.o"
    good("embed", *PATHS, "--name=k", "--machine=" + machine, "-o", made)
    listed = good_json("list", made)
    assert (listed["machine"], listed["bits"], listed["object"]) == (machine, bits, True), listed
    assert listed["byte_order"] == ("little" if order == "<" else "big"), listed
    for name, content in CONTENT.items():
        good("unpack", made, "-x", "k_" + name.replace("-", "_").replace(".", "_"), "-o", WORK / "back")
        assert (WORK / "back").read_bytes() == content, (machine, name)
    word = "Q" if bits == 64 else "I"
    good("unpack", made, "-x", "k_a_b_bin_size", "-o", WORK / "back")
    assert (WORK / "back").read_bytes() == struct.pack(order + word, 10001), machine
    good("unpack", made, "-x", "k_files", "-o", WORK / "back")
    table = struct.unpack(order + 12 * word, (WORK / "back").read_bytes())
    assert table[2::3] == (10001, 7, 256, 0) and table[1::3] == (0, 0, 0, 0), (machine, table)
    # Its relocations, read by hand: they name the table's fields in their order.
    image = made.read_bytes()
    at, = struct.unpack_from(order + word, image, 40 if bits == 64 else 32)
    entry = at + 3 * (64 if bits == 64 else 40)
    offset, size = struct.unpack_from(order + 2 * word, image, entry + (24 if bits == 64 else 16))
    has_addend = struct.unpack_from(order + "I", image, entry + 4) == (4,)
    assert has_addend == (machine not in ("i386", "arm")), machine
    fields = struct.unpack_from(order + size // (bits // 8) * word, image, offset)
    step = 3 if has_addend else 2
    assert [f // (bits // 8) for f in fields[0::step]] == [0, 1, 3, 4, 6, 7], (machine, fields)
    kinds = {f & (0xffffffff if bits == 64 else 0xff) for f in fields[1::step]}
    assert kinds == {relocation}, (machine, kinds)
(WORK / "one.txt").write_text("k c.spv\n")
good("embed", "--library-bin", WORK / "one.txt", "--machine=4711:32:be", "-o", WORK / "other.o")
assert good_json("list", WORK / "other.o")["machine"] == "machine 4711"
assert good_json("list", WORK / "other.o")["embedded"]["modules"] == [
    {"kind": "k", "size": 7, "content": "SPIR-V", "imports": []}]
bad(USAGE, "needs a relocation of 4711:64:le that is not known here", "embed", PATHS[0], "--machine=4711:64:le", "-o",
    WORK / "other.o")

# ---- Trees of modules -----------------------------------------------------------------------------------

LIST = r'''# comment
_lib -> 2 1 # the order counts

cuda a-b.bin
"de mo\x07\"\\" "c.spv" -> 3
cuda 0
'''
TREE = blob([(b"_lib", None, [2, 1]), (b"cuda", CONTENT["a-b.bin"], []), (b'de mo\x07"\\', CONTENT["c.spv"], [3]),
             (b"cuda", CONTENT["0"], [])])
(WORK / "list.txt").write_text(LIST)
good("embed", "--library-bin", WORK / "list.txt", "--format=raw", "-o", WORK / "tree.bin")
assert (WORK / "tree.bin").read_bytes() == TREE
good("embed", "--library-bin", WORK / "list.txt", "-o", WORK / "tree.o", "--depfile", WORK / "d")
assert (WORK / "d").read_text() == " ".join(map(str, [f"{WORK}/tree.o:", WORK / "list.txt", *PATHS])) + "\n"
made = {"raw": WORK / "tree.bin", "obj": WORK / "tree.o",
        "library": Library("s390x").data("__tvm_ffi__library_bin", TREE).write(WORK / "tree.so")}
for form in "c", "incbin":
    good("embed", "--library-bin", WORK / "list.txt", "--format=" + form, "-o", WORK / "tree.c")
    made[form] = WORK / f"tree-{form}.so"
    compile(*STRICT, "-fvisibility=hidden", "-fPIC", "-shared", WORK / "tree.c", "-o", made[form])
for form, path in made.items():
    folder = WORK / ("of-" + form)
    names = ["1-cuda.bin", "2-de_mo___.bin", "3-cuda.bin"]
    assert good("unpack", path, "-o", folder).splitlines() == [f"{folder}/{name}" for name in [*names, "modules.txt"]]
    assert good_json("unpack", path, "-o", folder) == {"folder": str(folder), "list": "modules.txt", "files": names}
    assert [(folder / name).read_bytes() for name in names] == [CONTENT["a-b.bin"], CONTENT["c.spv"], CONTENT["0"]]
    assert good("embed", "--library-bin", "--format=raw", folder / "modules.txt", "-o", WORK / "again") == ""
    assert (WORK / "again").read_bytes() == TREE, form
    for which, content in ("cuda[0]", "a-b.bin"), ("cuda[1]", "0"), ('de mo\x07"\\[0]', "c.spv"), ("[2]", "c.spv"):
        good("unpack", path, "--extract", which, "-o", WORK / "back")
        assert (WORK / "back").read_bytes() == CONTENT[content], (form, which)
    assert good_json("unpack", path, "-x", "cuda[1]", "-o", WORK / "back") == {"output": str(WORK / "back"), "size": 256}
    if form != "raw":
        good("unpack", path, "--extract=__tvm_ffi__library_bin", "-o", WORK / "back")
        assert (WORK / "back").read_bytes() == TREE, form
c23 = good("embed", "--library-bin", "--format=c23", WORK / "one.txt")
numbers = ",".join(str(byte) for byte in blob([(b"k", CONTENT["c.spv"], [])])[:-7])
assert c23.replace("\n", "").endswith("{" + numbers + f",#embed \"{PATHS[1].resolve()}\"" + "};"), c23

for folder in range(8): # trees by chance
    count = random.randrange(1, 6)
    tree = [(random.choice([b"_lib", b"k", bytes([random.randrange(1, 256), 32, 0, 35])]),
             random.sample(range(i + 1, count), random.randrange(count - i))) for i in range(count)]
    tree = blob([(kind, None if kind == b"_lib" else random.randbytes(random.randrange(1, 99)), imports)
                 for kind, imports in tree])
    (WORK / "tree.bin").write_bytes(tree)
    good("unpack", WORK / "tree.bin", "-o", WORK / str(folder + 1))
    good("embed", "--library-bin", "--format=raw", WORK / str(folder + 1) / "modules.txt", "-o", WORK / "again")
    assert (WORK / "again").read_bytes() == tree, tree

# ---- Loaded by the runtime ------------------------------------------------------------------------------

HOST, EXPECTED, *CARRIERS = FILES
for carrier in CARRIERS:
    done = subprocess.run([HOST, carrier], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (carrier, done)
    assert done.stdout.splitlines() == pathlib.Path(EXPECTED).read_text().splitlines(), (carrier, done.stdout)
    good("unpack", carrier, "--extract=polynomial[0]", "-o", WORK / "back")
    assert (WORK / "back").read_bytes() == (HERE / "../../samples/08_embedded_modules/curves.poly").read_bytes()

# ---- What is refused ---------------------------------------------------------------------------------------

(WORK / "empty").write_bytes(b"")
for message, *args in [
    (f"{WORK}/missing: No such file", WORK / "missing"), (f"{WORK}/empty is empty", WORK / "empty"),
    ("would both be the symbol k_c_spv", PATHS[1], PATHS[1], "--name=k"),
    ('--name must be an identifier of C, not "a-b"', PATHS[1], "--name=a-b"),
    ('no identifier can be made of "2.c": give --name', PATHS[1], "-o", WORK / "2.c"),
    ('--format must be c, c23, incbin, obj or raw, not "d"', PATHS[1], "--format=d"),
    ("--format=raw is for --library-bin", PATHS[1], "--format=raw"),
    ("--cubin needs --format=obj or incbin", PATHS[1], "--cubin"),
    ("--cubin takes one file", *PATHS, "--cubin", "--format=obj"),
    ("--library-bin takes one file", *PATHS, "--library-bin"),
    ("--machine is for --format=obj", PATHS[1], "--machine=arm"),
    ("--align must be a power of 2, not 48", PATHS[1], "--align=48"),
    ("--align must be an integer from 1", PATHS[1], "--align=0"),
    ('--machine must be a name', PATHS[1], "--format=obj", "--machine=pdp11"),
    ('--machine must be a name', PATHS[1], "--format=obj", "--machine=70000:64:le"),
    (f"{WORK}/no/where.c: No such file", PATHS[1], "-o", WORK / "no/where.c"),
]:
    bad(USAGE, message, "embed", *args)
for line, message in [
    ("", "no module is listed"), ("k", ":1: a module needs a file, unless it is _lib"),
    ("k missing", "/missing: No such file"), ("k empty", ":1: "), ("_lib c.spv", ":1: _lib has no file"),
    ("k c.spv 1", ":1: behind the file comes -> or nothing"), ("k c.spv ->", ":1: no number follows ->"),
    ("k c.spv -> x", ":1: behind -> come numbers of modules"), ("k c.spv -> -1", ":1: behind -> come numbers"),
    ("_lib -> 99999999999999999999", ":1: behind -> come numbers"), ("_lib -> 1", "an imported module is out of range"),
    ("_lib -> 0", "modules import each other in a circle"), ("-> 0", ":1: a line begins with the kind of a module"),
    ('"" c.spv', ":1: a line begins with the kind of a module"), ('"k c.spv', ":1: a quoted word does not end"),
    ('"k"x c.spv', ":1: a blank must follow a quoted word"), (r'"k\n" c.spv', ":1: behind \\ in a quoted word"),
    ("#\n\nk c\0spv", ":3: a list has no bytes of 0"),
]:
    (WORK / "list.txt").write_text(line)
    bad(USAGE, message, "embed", "--library-bin", WORK / "list.txt")

library = made["library"]
bad(USAGE, "no module cuda[2]; it has _lib -> de mo\\x07\"\\(SPIR-V, 7 B), cuda(9.8 KiB), ...", "unpack", library,
    "-x", "cuda[2]")
for which in "cuda[", "cuda[x]", "cuda[0", "[4]", "vulkan[0]", "cuda[-1]":
    bad(USAGE, f"{library}: no module {which}; it has", "unpack", library, "--extract=" + which)
bad(USAGE, "_lib[0] is the library itself and has no bytes", "unpack", library, "--extract=_lib[0]")
bad(USAGE, f"{library}: no symbol nothing", "unpack", library, "--extract=nothing")
bad(LOAD, "not an ELF file", "unpack", PATHS[0])
bad(LOAD, "no embedded modules: it has no __tvm_ffi__library_bin", "unpack", Library().write(WORK / "lib.so"))
Library().data("__tvm_ffi__library_bin", TREE[:-1]).write(WORK / "lib.so")
bad(LOAD, "malformed __tvm_ffi__library_bin: it is longer than its symbol or file", "unpack", WORK / "lib.so")
bad(USAGE, "/c.spv/x", "unpack", library, "-o", PATHS[1] / "x")
