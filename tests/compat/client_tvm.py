# SPDX-License-Identifier: Apache-2.0
"""Kernels that TVM compiles for the targets llvm and c, and other uses that TVM makes of the
library.

    client_tvm.py           everything except the next
    client_tvm.py json      the IR as JSON and back

Files are written to the working folder.
"""
import hashlib
import importlib
import os
import re
import sys

import numpy as np
import tvm
import tvm_ffi
from tvm import relax, te, tirx, topi
from tvm.relax.frontend import nn
from tvm.runtime.disco.session import ThreadedSession
from tvm.script import ir as I, relax as R, tirx as T

from client import say, say_error

TARGETS = ("llvm", "c")
random = np.random.default_rng(0)


def digest(text):
    """Length and hash of a text that is too long to print."""
    return f"{len(text)} bytes, {hashlib.sha256(text.encode()).hexdigest()}"


def tensor(array):
    return tvm.runtime.tensor(np.asarray(array, order="C"))


def run(name, function, inputs, output, targets=TARGETS):
    """Build the function for each target, call it and output the result."""
    if isinstance(function, tvm.IRModule):
        module = function
    else:
        module = tvm.IRModule({"main": function.with_attr("global_symbol", "main")})
    for target in targets:
        result = tensor(output)
        tvm.compile(module, target).jit()["main"](*map(tensor, inputs), result)
        say(f"{name}, {target}", result.numpy())


def normal(*shape):
    return random.standard_normal(shape, dtype=np.float32)


# ---- Kernels of tensor expressions ----


def vector_add():
    x, y = te.placeholder((16,), name="x"), te.placeholder((16,), name="y")
    z = te.compute((16,), lambda i: x[i] + y[i] * 2, name="z")
    function = te.create_prim_func([x, y, z])
    say("vector add, script", function.script())
    run("vector add", function, [normal(16), normal(16)], np.zeros(16, "float32"))


def matmul(size=32):
    a, b = te.placeholder((size, size), name="a"), te.placeholder((size, size), name="b")
    k = te.reduce_axis((0, size), name="k")
    c = te.compute((size, size), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="c")
    return te.create_prim_func([a, b, c])


def scheduled_matmul():
    schedule = tvm.s_tir.Schedule(matmul(), seed=1)
    block = schedule.get_sblock("c")
    i, j, k = schedule.get_loops(block)
    i_outer, i_inner = schedule.split(i, [None, 8])
    j_outer, j_inner = schedule.split(j,
                                      schedule.sample_perfect_tile(j, n=2, max_innermost_factor=16))
    k_outer, k_inner = schedule.split(k, [None, 4])
    schedule.reorder(i_outer, j_outer, k_outer, k_inner, i_inner, j_inner)
    schedule.vectorize(j_inner)
    schedule.unroll(i_inner)
    schedule.parallel(i_outer)
    schedule.decompose_reduction(block, k_outer)
    say("matmul, trace", schedule.trace)
    say("matmul, scheduled", schedule.mod.script())
    again = tvm.s_tir.Schedule(matmul(), seed=1)
    schedule.trace.apply_to_schedule(again, remove_postproc=False)
    say("matmul, the trace again", tvm_ffi.structural_equal(schedule.mod, again.mod))
    run("matmul", schedule.mod, [normal(32, 32), normal(32, 32)], np.zeros((32, 32), "float32"),
        ["llvm"])
    run("matmul, as it was", matmul(), [normal(32, 32), normal(32, 32)],
        np.zeros((32, 32), "float32"))
    say_error("a schedule that cannot be", schedule.compute_inline, block)
    say_error("a block that is not there", schedule.get_sblock, "nothing_such")


def operators():
    """Operators of topi: each is a Python function that makes IR."""
    x = te.placeholder((3, 4, 5), name="x")
    image, weight = te.placeholder((1, 3, 8, 8), name="image"), te.placeholder((4, 3, 3, 3),
                                                                               name="weight")
    for name, arguments, result in [
        ("sum", [x], topi.sum(x, axis=1)), ("max", [x], topi.max(x, axis=(0, 2))),
        ("argmax", [x], topi.argmax(x, axis=2)), ("softmax", [x], topi.nn.softmax(x)),
        ("cumsum", [x], topi.cumsum(x, axis=1)), ("transposed", [x], topi.transpose(x, (2, 0, 1))),
        ("sorted", [x], topi.argsort(x, axis=2)),
        ("resized", [image], topi.image.resize2d(image, [0.0] * 4, (4, 4), method="linear")),
        ("conv2d", [image, weight], topi.nn.relu(topi.nn.conv2d(image, weight, 1, 1, 1))),
        ("max_pool", [image], topi.nn.pool2d(image, (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), "max"))
    ]:
        inputs = [normal(*(int(n) for n in argument.shape)) for argument in arguments]
        output = np.zeros([int(n) for n in result.shape], str(result.dtype.dtype))
        # The C code of a sort has a declaration inside an expression.
        run(name, te.create_prim_func([*arguments, result]), inputs, output,
            ["llvm"] if name == "sorted" else TARGETS)


def data_types():
    for dtype in ("int8", "uint8", "int16", "int64", "float16", "float64"):
        x, y = te.placeholder((8,), dtype, name="x"), te.placeholder((8,), dtype, name="y")
        z = te.compute((8,), lambda i: x[i] * y[i] + x[i].astype(dtype), name="z")
        values = np.arange(8).astype(dtype)
        run(dtype, te.create_prim_func([x, y, z]), [values, values + values], np.zeros(8, dtype),
            # the C code needs a compiler with the type half
            ["llvm"] if dtype == "float16" else TARGETS)
    x = te.placeholder((8,), "int8", name="x")
    z = te.compute((8,), lambda i: tirx.all(x[i] > 2, x[i] < 6), name="z")
    run("bool", te.create_prim_func([x, z]), [np.arange(8, dtype="int8")], np.zeros(8, "bool"))
    k = te.reduce_axis((0, 8), name="k")
    z = te.compute((1, ), lambda i: te.sum(x[k].astype("int32") * x[k].astype("int32"), axis=k),
                   name="z")
    run("int8 to int32", te.create_prim_func([x, z]), [np.full(8, 127, "int8")],
        np.zeros(1, "int32"))
    for dtype in ("bfloat16", "float8_e4m3fn"):
        x = te.placeholder((8,), dtype, name="x")
        z = te.compute((8,), lambda i: x[i] + x[i], name="z")
        say(dtype, te.create_prim_func([x, z]).script())


# ---- Kernels of TVMScript ----


@I.ir_module
class Scripts:
    @T.prim_func(s_tir=True)
    def branches(a: T.handle, b: T.handle, n: T.int32):
        T.func_attr({"global_symbol": "branches"})
        A = T.match_buffer(a, (n,), "int32")
        B = T.match_buffer(b, (n,), "int32")
        for i in range(n):
            if A[i] % 2 == 0:
                B[i] = A[i] * A[i]
            elif A[i] > 4:
                B[i] = T.max(A[i], 6)
            else:
                B[i] = T.Select(A[i] == 1, -100, -A[i])

    @T.prim_func(s_tir=True)
    def collatz(A: T.Buffer((8,), "int32")):
        T.func_attr({"global_symbol": "collatz"})
        steps = T.sblock_alloc_buffer((1,), "int32")
        for i in range(8):
            steps[0] = 0
            while A[i] > 1:
                A[i] = T.if_then_else(A[i] % 2 == 0, A[i] // 2, A[i] * 3 + 1)
                steps[0] = steps[0] + 1
            A[i] = steps[0]

    @T.prim_func(s_tir=True)
    def calls(A: T.Buffer((4,), "float32"), n: T.int64, x: T.float32, flag: T.bool):
        T.func_attr({"global_symbol": "calls"})
        T.evaluate(
            T.call_packed("client.print", "a text that is longer than a short one", n, x, flag,
                          T.int32(7)))
        T.evaluate(T.call_packed("client.print", "short"))
        for i in range(4):
            A[i] = T.exp(T.call_extern("float32", "sqrtf", A[i]))
        T.evaluate(T.call_packed("client.fill", A.data, n))

    @T.prim_func(s_tir=True)
    def asserts(A: T.Buffer((4,), "float32", strides=(2,)), n: T.int32):
        T.func_attr({"global_symbol": "asserts"})
        assert n > 2, ("ValueError", ["n is too small: ", "it is not over 2"])
        A[0] = T.float32(n)


@tvm.register_global_func("client.print")
def client_print(*values):
    say("called by a kernel", *(f"{type(value).__name__} {value!r}" for value in values))


@tvm.register_global_func("client.fill")
def client_fill(_, n):
    if n > 3:
        raise KeyError(f"no {n} here")


def scripts():
    say("scripts", Scripts.script())
    numbers = np.arange(8, dtype="int32")
    for target in TARGETS:
        executable = tvm.compile(Scripts, target)
        say(f"source, {target}", executable.mod.inspect_source())
        path = os.path.abspath(f"scripts_{target}.so")
        executable.export_library(path)
        loaded = tvm.runtime.load_module(path)
        for origin, module in (("in memory", executable.jit()), ("loaded", loaded)):
            name = f"{target}, {origin}: "
            result = tensor(np.zeros(8, "int32"))
            module["branches"](tensor(numbers), result, 8)
            say(name + "branches", result.numpy())
            steps = tensor(numbers + 1)
            module["collatz"](steps)
            say(name + "collatz", steps.numpy())
            floats = tensor(np.arange(4, dtype="float32"))
            module["calls"](floats, 3, 0.5, True)
            say(name + "calls", floats.numpy())
            branches, calls = module["branches"], module["calls"]
            say_error(name + "an error of Python", calls, floats, 4, 0.5, True)
            say_error(name + "too few arguments", branches, result)
            say_error(name + "no tensor", branches, result, None, 8)
            say_error(name + "a text", branches, result, result, "8")
            say_error(name + "another dtype", branches, floats, result, 8)
            say_error(name + "another shape", branches, result, result, 7)
            say_error(name + "another rank", branches, tensor(np.zeros((2, 2), "int32")), result, 2)
            say_error(name + "other strides", module["asserts"], floats, 3)
            say_error(name + "a function that is not there", module.get_function, "nothing_such")
        say(f"{target}, modules", executable.mod.kind, loaded.kind,
            executable.mod.get_property_mask(), loaded.get_property_mask(),
            loaded.implements_function("branches"))


# ---- The IR: texts, equality, hashes, JSON ----


def intermediate():
    again = tvm.script.from_source(Scripts.script())
    say("a script parsed again", tvm_ffi.structural_equal(Scripts, again))
    say(
        "hashes",
        *(f"{name.name_hint} {tvm_ffi.structural_hash(function):#x}" for name, function in sorted(
            Scripts.functions.items(), key=lambda item: item[0].name_hint)),
        f"{tvm_ffi.structural_hash(Scripts):#x}", f"{tvm_ffi.structural_hash(matmul()):#x}")
    say_error("JSON that is none", tvm.ir.load_json, '{"root_index": 0, "nodes": [')
    say_error("what differs", tvm.ir.assert_structural_equal, matmul(8), matmul(9))
    say_error("what differs in free variables", tvm.ir.assert_structural_equal,
              tirx.Var("x", "int32") + 1,
              tirx.Var("x", "int32") + 2, True)
    say("first mismatch", tvm_ffi.get_first_structural_mismatch(matmul(8), matmul(9)))
    x, y = tirx.Var("x", "int32"), tirx.Var("y", "int32")
    say("equality of variables", tvm_ffi.structural_equal(x + y, y + x),
        tvm_ffi.structural_equal(x + y, y + x, map_free_vars=True),
        tvm_ffi.structural_equal(x + y, x + y))
    values = tvm.runtime.convert(
        {"b": [1, 2.5, "text", None, True], "a": {"shape": tvm_ffi.Shape((1, 2))}})
    say("containers", sorted(values), repr(values))


def json():
    for name, ir in (("scripts", Scripts), ("model", Model), ("matmul", matmul()),
                     ("target", tvm.target.Target("c", host="llvm")), ("values", {
                         "b": [1, 2.5, "text", None, True, "a text that is longer"],
                         "a": np.float32(1)
                     })):
        text = tvm.ir.save_json(ir)
        say(f"JSON: {name}", *re.findall(r".{1,160}", text))
        loaded = tvm.ir.load_json(text)
        say(f"JSON, read again: {name}", tvm_ffi.structural_equal(loaded, ir),
            tvm.ir.save_json(loaded) == text)


def passes():
    target = tvm.target.Target("c", host="c")
    module = tvm.IRModule({name: function.with_attr("target", target)
                           for name, function in Scripts.functions.items()})
    seen = []

    @tvm.instrument.pass_instrument
    class Names:
        def run_before_pass(self, module, info):
            seen.append(f"{info.name} {info.opt_level}")

    with tvm.transform.PassContext(opt_level=2, instruments=[Names()],
                                   config={"tirx.disable_vectorize": True}):
        for step in (tvm.s_tir.transform.ConvertBlocksToOpaque(),
                     tvm.s_tir.transform.LowerOpaqueBlock(), tirx.transform.FlattenBuffer(),
                     tirx.transform.StmtSimplify(), tirx.transform.MakePackedAPI()):
            module = step(module)
            say(f"after {step.info.name}", module.script())
    say("passes", *seen)
    say_error("an option that is not there",
              lambda: tvm.transform.PassContext(config={"no.such": 1}).__enter__())
    say("options", *sorted(tvm.transform.PassContext.list_configs()))

    @tirx.transform.prim_func_pass(opt_level=0, name="client.rename")
    def rename(function, module, context):
        return function.with_attr("renamed", [function.attrs["global_symbol"], 1])
    say("a pass of Python", rename(Scripts).script(show_meta=False))


def analysis():
    analyzer = tvm.sym.Analyzer()
    x, y = tirx.Var("x", "int32"), tirx.Var("y", "int32")
    analyzer.bind(x, tvm.ir.Range(0, 16))
    say(
        "analysis",
        *(f"{expression} -> {analyzer.simplify(expression)} in "
          f"{analyzer.const_int_bound(expression)}"
          for expression in (x * 4 // 4, (x * 8 + y) % 4, tirx.max(x, -1), x // 16, x < 20,
                             tirx.Select(x >= 0, y, x), (x + y) * 2 - y * 2)))
    say("proofs", analyzer.can_prove(x < 16), analyzer.can_prove(x < 15),
        analyzer.modular_set(x * 6 + 2))
    say_error("an operand of no type", lambda: x + "y")
    say_error("division by zero", lambda: tirx.const(1, "int32") // tirx.const(0, "int32"))


def targets():
    target = tvm.target.Target(
        {"kind": "llvm", "mtriple": "x86_64-linux-gnu", "mcpu": "x86-64", "num-cores": 4})
    say("target", str(target), target.kind, target.keys, dict(target.attrs),
        hex(tvm_ffi.structural_hash(target)))
    say("a target with a host", str(tvm.target.Target("c", host="llvm")))
    say("targets", *sorted(tvm.target.Target.list_kinds()))
    say_error("a target that is not there", tvm.target.Target, "no_such")
    say_error("an attribute that is not there", tvm.target.Target, {"kind": "llvm", "no-such": 1})
    say_error("an attribute of another type", tvm.target.Target,
              {"kind": "llvm", "num-cores": "four"})
    say_error("a build for no target", tvm.compile, Scripts, "no_such")


def script_errors():
    for name, text in [
            ("an undefined name", "A[0] = nothing_such"),
            ("another number of indices", "A[0, 0] = T.float32(1)"),
            ("a statement that is none", "A[0] = = 1"),
            ("an unknown attribute", "T.nothing_such(A)"),
            ("an unknown dtype", "B = T.sblock_alloc_buffer((1,), 'float31')")]:
        source = ("from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n"
                  f"def main(A: T.Buffer((4,), 'float32')):\n    {text}\n")
        say_error(name, tvm.script.from_source, source)


# ---- Relax ----


@I.ir_module
class Model:
    @T.prim_func(s_tir=True, private=True)
    def scale(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, 4), "float32")
        Y = T.match_buffer(y, (n, 4), "float32")
        for i, j in T.grid(n, 4):
            with T.sblock("scale"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] * T.float32(3)

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 8), "float32"), w: R.Tensor((8, 4), "float32")) -> R.Tuple(
            R.Tensor(("n", 4), "float32"), R.Shape(["n", 4])):
        n = T.int64()
        cls = Model
        with R.dataflow():
            product = R.matmul(x, w)
            shifted = R.add(R.nn.relu(product), R.const([1.0, 2.0, 3.0, 4.0], "float32"))
            scaled = R.call_tir(cls.scale, (shifted,), out_ty=R.Tensor((n, 4), "float32"))
            R.output(scaled)
        _ = R.call_packed("client.print", R.shape([n, 4]), R.str("from the virtual machine"),
                          R.prim_value(n))
        return (scaled, R.shape([n, 4]))

    @R.function
    def choose(flag: R.Tensor((), "bool"), x: R.Tensor((2, ),
                                                       "float32")) -> R.Tensor((2, ), "float32"):
        if flag:
            y = R.exp(x)
        else:
            y = R.negative(x)
        return y


def virtual_machine():
    say("model", Model.script())
    say("model, hash", hex(tvm_ffi.structural_hash(Model)))
    x, w = tensor(normal(3, 8)), tensor(normal(8, 4))
    for target in TARGETS:
        executable = tvm.compile(Model, target)
        say(f"model, {target}: bytecode", executable.as_text())
        path = os.path.abspath(f"model_{target}.so")
        executable.export_library(path)
        say(f"model, {target}: statistics", executable.stats())
        for origin, loaded in (("in memory", executable), ("loaded",
                                                           tvm.runtime.load_module(path))):
            machine = relax.VirtualMachine(loaded, tvm.cpu())
            result, shape = machine["main"](x, w)
            say(f"model, {target}, {origin}", result.numpy(), shape)
            say(
                f"choice, {target}, {origin}",
                *(machine["choose"](tensor(np.array(flag)), tensor(np.float32([1, 2]))).numpy()
                  for flag in (True, False)))
            machine.save_function("main", "saved", x, w)
            say(f"a saved function, {target}, {origin}", machine["saved"]()[0].numpy())
            machine.set_input("main", x, w)
            machine.invoke_stateful("main")
            say(f"a stateful call, {target}, {origin}", machine.get_outputs("main")[0].numpy())
            say_error(f"model, {target}, {origin}: another shape", machine["main"], w, x)
            say_error(f"model, {target}, {origin}: another dtype", machine["main"],
                      tensor(np.zeros((3, 8), "int32")), w)
            say_error(f"model, {target}, {origin}: no such function",
                      lambda: machine["nothing_such"])


def relax_passes():
    module = Model
    for step in (relax.transform.LegalizeOps(), relax.transform.AnnotateTIROpPattern(),
                 relax.transform.FuseOps(), relax.transform.CallTIRRewrite(),
                 relax.transform.ToNonDataflow()):
        module = step(module)
        say(f"after {step.info.name}", module.script())

    found = []
    relax.analysis.post_order_visit(Model["main"], lambda node: found.append(type(node).__name__))
    say("visited", " ".join(found))

    @relax.expr_functor.mutator
    class Negate(relax.PyExprMutator):
        def visit_call_(self, call):
            call = self.visit_expr_post_order(call)
            return (relax.op.negative(call.args[0])
                    if call.op == tvm.ir.Op.get("relax.exp") else call)
    say("a mutator of Python", Negate().visit_expr(Model["choose"]).script())
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((2, 3), "float32"))
    with builder.function("main", [x]):
        with builder.dataflow():
            y = builder.emit(relax.op.permute_dims(x))
            z = builder.emit_te(topi.add, y, y)
            output = builder.emit_output(z)
        builder.emit_func_output(output)
    say("a builder", builder.get().script())
    say_error("shapes that do not match", lambda: relax.BlockBuilder().normalize(relax.op.matmul(
        x, relax.Var("w", relax.TensorType((2, 2), "float32")))))


def network():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4, bias=False)

        def forward(self, x):
            return nn.op.softmax(self.second(nn.op.silu(self.first(x))))
    module, parameters = Net().export_tvm({"forward": {"x": nn.spec.Tensor((1, 8), "float32")}})
    say("network", module.script(),
        [(name, tuple(map(int, value.shape))) for name, value in parameters])
    machine = relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())
    weights = {name: tensor(normal(*map(int, value.shape))) for name, value in parameters}
    say("network, run", machine["forward"](tensor(normal(1, 8)), *weights.values()).numpy())
    saved = tvm.runtime.save_param_dict(weights)
    loaded = tvm.runtime.load_param_dict(saved)
    say("parameters", digest(saved.hex()),
        *(f"{name} {loaded[name].numpy().sum()}" for name in sorted(loaded)))


# ---- The runtime ----


def runtime():
    a = tensor(np.arange(12, dtype="float32").reshape(3, 4))
    b = tvm.runtime.empty((3, 4), "float32")
    a.copyto(b)
    say("tensors", b.numpy(), a.shape, a.dtype, a.device, b.strides)
    say("DLPack", np.from_dlpack(b).sum(), tvm_ffi.from_dlpack(np.arange(3)).shape)
    say_error("a copy of another size", a.copyto, tvm.runtime.empty((3, 5), "float32"))
    say_error("a device that is not there", tvm.runtime.empty, (1,), "float32", tvm.cuda(0))
    # imported before the library with its functions
    importlib.reload(sys.modules["tvm.runtime.disco._ffi_api"])
    session = ThreadedSession(num_workers=2)
    ids = session.get_global_func("runtime.disco.worker_id")()
    say("workers", [ids.debug_get_from_remote(i) for i in range(2)])
    array = session.empty((2, 2), "float32")
    array.debug_copy_from(1, np.full((2, 2), 5, "float32"))
    say("a tensor of a worker", array.debug_get_from_remote(1).numpy())
    session.shutdown()


def operator_registry():
    operators = sorted(tvm.ir.Op.list_op_names())
    say("operators", f"{len(operators)}", *operators)
    op = tvm.ir.Op.get("relax.matmul")
    say("an operator", op.name, op.num_inputs, [f"{a.name}: {a.type_info}" for a in op.arguments],
        op.get_attr("FPurity"))
    say_error("an operator that is not there", tvm.ir.Op.get, "no.such")
    say_error("a constructor's argument", tirx.IntImm, "int32", "seven")
    say_error("another argument", tvm_ffi.get_global_func("tirx.For"), 1, 2)


def main():
    # If its compiler library fails to load, TVM silently continues with the runtime only.
    assert not tvm.base._RUNTIME_ONLY, "libtvm_compiler.so does not load"
    if sys.argv[1:] == ["json"]:
        json()
        return
    for part in (vector_add, scheduled_matmul, operators, data_types, scripts, intermediate, passes,
                 analysis, targets, script_errors, virtual_machine, relax_passes, network, runtime,
                 operator_registry):
        part()


if __name__ == "__main__":
    main()
