# SPDX-License-Identifier: Apache-2.0
"""Recordings of programs in Python with the reference's package, on the library that the package
has here. They print the same with and without, and what is recorded can be called again.

test_record_python.py TVM-FFI KERNELS numpy|jax|tvm [program: this test as the one that is recorded]
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

COMPAT = pathlib.Path(__file__).resolve().parents[1] / "compat"
WHAT = sys.argv[3]
KERNELS = os.path.abspath(sys.argv[2])


def numpy():
    """Arrays and views of NumPy, containers, an object with fields, a function of Python,
    errors."""
    import numpy
    import tvm_ffi
    from tvm_ffi.dataclasses import py_class

    @py_class("test_record.Pair")
    class Pair(tvm_ffi.Object):
        first: int
        second: tvm_ffi.Object

    @tvm_ffi.register_global_func("test_record.twice")
    def twice(x):
        return 2 * x

    print(twice(1), tvm_ffi.get_global_func("test_record.twice")(21))
    kernels = tvm_ffi.load_module(KERNELS)
    whole = numpy.arange(24, dtype="float32").reshape(4, 6)
    kernels.add(whole[:, 1], whole[:, 0], 1)
    print(whole[:, 1])
    tensor = tvm_ffi.from_dlpack(whole)
    values = [
        None, True, 2**60, 0.5, "text", "\N{SNOWMAN}" * 9, b"\0\xff", tvm_ffi.Shape((1, 2)),
        tvm_ffi.dtype("float16"), tvm_ffi.device("cpu:0"), [1, [2.5, None]],
        {"a": tensor, 1: tensor}, Pair(3, tvm_ffi.Array([1]))
    ]
    for value in values:
        result = kernels.echo(value)
        print(type(result).__name__)
    print(kernels.apply(lambda x: kernels.echo(x) + 1, 5))
    for wrong in (whole[:, 1], whole[:, 0], 9), (whole, 1), ():
        try:
            kernels.add(*wrong)
        except Exception as error:  # whatever the kernel raises
            print(type(error).__name__, error)
    try:
        kernels.apply(lambda x: 1 // x, 0)
    except Exception as error:
        print(type(error).__name__, error)


def objects():
    """Function objects of a module and a type in C++."""
    import tvm_ffi
    module = tvm_ffi.load_module(KERNELS)

    @tvm_ffi.register_object("test_record.Counter")
    class Counter(tvm_ffi.Object):
        pass

    @tvm_ffi.register_global_func("test_record.look")
    def look(count, counter):  # pylint: disable=unused-argument
        return count

    print(module.make_module().triple(4), module.make_module().triple(5))
    counter = module.make_counter()
    print(counter.next(2), counter.next(3))
    print(tvm_ffi.get_global_func("test_record.look")(4, counter))


def jax():
    """A kernel in a function that JAX compiles: in a loop, mapped, and an error."""
    import jax
    import jax.numpy as jnp
    import jax_tvm_ffi
    import numpy
    import tvm_ffi
    kernels = tvm_ffi.load_module(KERNELS)
    jax_tvm_ffi.register_ffi_target("test_record.scale", kernels.scale,
                                    ["args", "rets", "attrs.factor"], platform="cpu")

    def scale(x, factor, size=None):
        shape = x.shape if size is None else (size, )
        result = jax.ShapeDtypeStruct(shape, x.dtype)
        return jax.ffi.ffi_call("test_record.scale", result, vmap_method="sequential")(
            x, factor=numpy.float64(factor))

    x = jnp.arange(6, dtype=jnp.float32)
    print(*jax.jit(lambda x: scale(x * 3 + 1, 2.5).sum() - scale(x, 2.0))(x))
    print(*jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda _, y: scale(y, 2.0), x))(x))
    print(*jax.jit(jax.vmap(lambda x: scale(x, 0.5)))(x.reshape(2, 3)).ravel())
    try:
        jax.block_until_ready(scale(x, 1.0, size=3))
    except Exception as error:  # of a class of JAX's
        print(type(error).__name__, error)


def tvm():
    """Kernels that TVM compiles for both of its targets on a CPU, exports and loads."""
    import numpy
    import tvm
    from tvm import te
    x = te.placeholder((5, ), name="x")
    y = te.compute((5, ), lambda i: x[i] * 2 + 1, name="y")
    function = te.create_prim_func([x, y]).with_attr("global_symbol", "scale")
    for target in "llvm", "c":
        path = os.path.abspath(f"scale_{target}.so")
        if not os.path.exists(path):  # when it is not recorded yet
            tvm.compile(tvm.IRModule({"scale": function}), target).export_library(path)
        scale = tvm.runtime.load_module(path)["scale"]
        for start in range(3):
            given = tvm.runtime.tensor(numpy.arange(start, start + 5, dtype="float32"))
            result = tvm.runtime.empty((5, ), "float32")
            scale(given, result)
            print(target, *result.numpy())
        try:
            scale(given, tvm.runtime.empty((4, ), "float32"))
        except Exception as error:  # of several classes, by the release
            print(type(error).__name__, *str(error).split())


if "program" in sys.argv[4:]:
    globals()[WHAT]()
    sys.exit()

sys.path.append(str(COMPAT))
import package
from recording import Recording
from tool import COMMAND, good, work_folder

folders = [] if WHAT == "numpy" else [package.require_more(WHAT)]
os.chdir(work_folder())
command = [sys.executable, os.path.abspath(__file__), COMMAND[-1], KERNELS, WHAT, "program"]


def run(*words, **env):
    return subprocess.run(
        words, capture_output=True, text=True, check=False,
        env=package.environment(*folders, PYTHONDONTWRITEBYTECODE="1", JAX_PLATFORMS="cpu", **env))


alone = run(*command)
assert alone.returncode == 0, alone
recorded = run(*COMMAND, "record", "--all", "--", *command)
assert (alone.stdout, alone.stderr) == (recorded.stdout, recorded.stderr), (alone, recorded)
assert recorded.returncode == 0, recorded

recording = Recording("recording")
calls = sorted(recording.calls.values(), key=lambda call: call["call"])
assert calls and set(recording.calls) == set(recording.ends)


def check_numpy():
    add, *rest = calls
    y, x = (arg["tensor"] for arg in add["args"][:2])
    storage, = add["storages"]
    assert (y["offset"], x["offset"], storage["bytes"]) == (4, 0, 80) and y["strides"] == [6], add
    assert "flags" in y, y
    echoed = [call["args"][0] for call in rest if call["function"] == "echo"]
    tensor = {"dtype": [2, 32, 1], "shape": [4, 6], "strides": [6, 1], "byte_offset": 0,
              "device": [1, 0], "storage": 0, "offset": 0, "flags": 0}
    assert echoed[:11] == [
        None, True, {"int": str(2**60)}, {"float": "0.5"}, "text", "\N{SNOWMAN}" * 9,
        {"bytes": "00ff"}, {"shape": [1, 2], "id": 0}, {"dtype": [2, 16, 1]}, {"device": [1, 0]},
        {"array": [1, {"array": [{"float": "2.5"}, None], "id": 1}], "id": 0}
    ], echoed
    assert echoed[11] == {
        "map": [["a", {"tensor": {"id": 1, **tensor}}], [1, {"ref": 1}]], "id": 0
    }, echoed[11]
    assert echoed[12] == {
        "object": "test_record.Pair", "fields": {"first": 3, "second": {"array": [1], "id": 1}},
        "id": 0
    }, echoed[12]
    assert echoed[13] == 5, echoed  # by the function in Python, within apply
    errors = [end["error"] for end in recording.ends.values() if end["event"] == "error"]
    kinds = [error and error["kind"] for error in errors]
    assert kinds[:3] == ["ValueError", "TypeError", "TypeError"] and len(kinds) == 4, kinds
    assert all("record_call" not in error["backtrace"] for error in errors if error), errors
    # Two have functions of Python as an argument, one an object of its class.
    return [call["call"] for call in calls if call["function"] != "apply"
            and "object" not in str(call["args"])]


def check_others():
    """Tensors and numbers are given: all can be called again. JAX's bridge is a library, too."""
    kernels = [call for call in calls if call["function"] == "scale"]
    assert len(kernels) > 5 and len(calls) - len(kernels) == (WHAT == "jax"), calls
    for call in kernels:
        assert all("data" in storage for storage in call["storages"]), call
    events = [recording.ends[call["call"]]["event"] for call in kernels]
    assert "return" in events and "error" in events, events
    return [call["call"] for call in kernels]


def check_functions():
    """With --functions, calls of a function that Python registered are there, too."""
    again = run(*COMMAND, "record", "--all", "--functions", "-o", "functions", "--", *command)
    assert (alone.stdout, alone.stderr, 0) == (again.stdout, again.stderr, again.returncode), again
    found = Recording("functions")
    mine = [call for call in found.calls.values() if call["function"] == "test_record.twice"]
    assert [(call["of"], call["args"]) for call in mine] == [("registry", [21])], mine
    assert found.ends[mine[0]["call"]]["result"] == 42, mine
    assert len([call for call in found.calls.values() if "of" not in call]) == len(calls), found


def check_objects():
    """The calls of a library's kernels are there once."""
    cxx = shlex.split(os.environ.get("CXX", "c++"))
    if not shutil.which(cxx[0]):
        print("without a compiler for C++ no module is tried")
        return
    asked = run(sys.executable, "-c",
                "import tvm_ffi.libinfo as info; print(info.find_include_path())\n"
                "print(info.find_dlpack_include_path())")
    includes = [f"-I{path}" for path in asked.stdout.split()]
    source = pathlib.Path(__file__).with_name("record_module.cc")
    done = run(*cxx, "-std=c++17", "-fPIC", "-shared", *includes, str(source), "-o", "module.so")
    assert done.returncode == 0, done
    words = [*command[:3], os.path.abspath("module.so"), "objects", "program"]
    # Our runtime looks for its part that calls methods in C++ where libraries are.
    os.mkdir("helper")
    for place in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        helper = pathlib.Path(place, "libtvm_ffi_cxx.so")
        if helper.exists():
            shutil.copy(helper, "helper")
    env = {"LD_LIBRARY_PATH": os.path.abspath("helper")}
    alone = run(*words, **env)
    if "libtvm_ffi_cxx.so: cannot open" in alone.stderr:
        print("without libtvm_ffi_cxx no module is tried")
        return
    assert alone.returncode == 0, alone
    again = run(*COMMAND, "record", "--all", "--functions", "-o", "objects", "--", *words, **env)
    assert (alone.stdout, alone.stderr, 0) == (again.stdout, again.stderr, again.returncode), again
    found = Recording("objects").calls.values()
    names = [(call.get("of"), call["function"]) for call in found
             if call["function"].split(".")[0] != "ffi"]
    make, triple = (None, "make_module"), ("module", "triple")
    assert names == [make, triple, make, triple, (None, "make_counter"),
                     *[("type", "test_record.Counter.next")] * 2,
                     ("registry", "test_record.look")], names
    # A method in another thread may change what nobody can write.
    counter = list(found)[-1]["args"][1]
    assert counter["object"] == "test_record.Counter" and "address" in counter, counter


if WHAT == "numpy":
    check_functions()
    check_objects()
repeated = check_numpy() if WHAT == "numpy" else check_others()
said = good("replay", "recording", ",".join(map(str, repeated)))
assert f"{len(repeated)} of {len(repeated)} calls are the same as recorded" in said, said
print(len(calls), "calls, of which", len(repeated), "are called again")
