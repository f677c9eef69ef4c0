#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles functions of one pixel, written in Python, to kernels in C: emit.py FILE.py >FILE.c

A function takes the colours of a pixel and then numbers, assigns variables, and returns three
colours. Expressions have numbers, variables, + - * / **, and calls of min, max, abs, sqrt and exp.
"""
import ast
import json
import pathlib
import sys

NUM_COLORS = 3
BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
CALLS = {
    "min": ("fminf", 2), "max": ("fmaxf", 2), "abs": ("fabsf", 1), "sqrt": ("sqrtf", 1),
    "exp": ("expf", 1)
}

TOP = """\
/* SPDX-License-Identifier: Apache-2.0 */
/* Written by emit.py from {source}; change that instead. */
#include <math.h>
#include <tvm/ffi/c.h>

static uint8_t to_byte(float color) {{
  if (!(color > 0.0f)) return 0;
  return color < 1.0f ? (uint8_t)(color * 255.0f + 0.5f) : 255;
}}
"""

KERNEL = """
TVM_FFI_C_EXPORT({name}, "(0: DLTensor*, 1: DLTensor*{types}) -> void") {{
  DLTensor *image, *result;
  const uint8_t *in;
  uint8_t *out;
  int64_t i, num_pixels;
{declarations}
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, {count}));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 0, &image));
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, 1, &result));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, 0, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_UINT8));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, 0, 3));
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 0, 2, 4));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_contiguous(args, 1));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 1, 0));
{reads}
  in = (const uint8_t *)tvm_ffi_tensor_get_data(image);
  out = (uint8_t *)tvm_ffi_tensor_get_data(result);
  num_pixels = image->shape[0] * image->shape[1];
  for (i = 0; i < num_pixels; ++i, in += 4, out += 4) {{
{body}
  }}
  return 0;
}}

TVM_FFI_C_EXPORT_DOC({name}, {doc});
TVM_FFI_C_EXPORT_SCHEMA({name}, TVM_FFI_C_TYPE("None"),
                        TVM_FFI_C_PARAM("image", "DLTensor*") ","
                        TVM_FFI_C_PARAM("out", "DLTensor*"){params});
"""


def fail(path, node, why):
    sys.exit(f"{path}:{node.lineno}: {why}")


class Compiler:
    """One function. Variables of the source get the prefix p_ (parameters) or v_ (colours and
    others)."""

    def __init__(self, function, path):
        self.function, self.path, self.assigned = function, path, {}
        parameters = function.args
        names = [parameter.arg for parameter in parameters.args]
        self.numbers = names[NUM_COLORS:]
        if any((parameters.posonlyargs, parameters.vararg, parameters.kwonlyargs, parameters.kwarg,
                parameters.defaults)):
            self.fail(function, f"parameters of `{function.name}` have names alone")
        if len(names) < NUM_COLORS:
            self.fail(function, f"`{function.name}` takes the {NUM_COLORS} colours first")
        for channel, name in enumerate(names[:NUM_COLORS]):
            self.assigned[name] = f"(float)in[{channel}] / 255.0f"

    def fail(self, node, why):
        fail(self.path, node, why)

    def expression(self, node):
        """The text of an expression in C."""
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return f"{float(node.value)!r}f"
        if isinstance(node, ast.Name):
            if node.id in self.assigned:
                return f"v_{node.id}"
            if node.id in self.numbers:
                return f"(float)p_{node.id}"
            self.fail(node, f"`{node.id}` has no value")
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"(-{self.expression(node.operand)})"
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            return (f"({self.expression(node.left)} {BINARY[type(node.op)]} "
                    f"{self.expression(node.right)})")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return f"powf({self.expression(node.left)}, {self.expression(node.right)})"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            name, count = CALLS[node.func.id]
            if len(node.args) == count and not node.keywords:
                return f"{name}({', '.join(map(self.expression, node.args))})"
        return self.fail(node, f"cannot compile `{ast.unparse(node)}`")

    def statements(self):
        """The lines of the loop's body."""
        lines = [f"v_{name} = {value};" for name, value in self.assigned.items()]
        body = self.function.body[1 if ast.get_docstring(self.function) else 0:]
        for node in body[:-1]:
            if not (isinstance(node, ast.Assign) and len(node.targets) == 1
                    and isinstance(node.targets[0], ast.Name)):
                self.fail(node, f"cannot compile `{ast.unparse(node)}`")
            name, value = node.targets[0].id, self.expression(node.value)
            self.assigned.setdefault(name, value)
            lines.append(f"v_{name} = {value};")
        last = body[-1] if body else self.function
        if not (isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)
                and len(last.value.elts) == NUM_COLORS):
            self.fail(last, f"the last statement returns {NUM_COLORS} colours")
        lines += [
            f"out[{channel}] = to_byte({self.expression(color)});"
            for channel, color in enumerate(last.value.elts)
        ]
        return [*lines, "out[3] = in[3];"]

    def kernel(self):
        body = self.statements()
        numbers = list(enumerate(self.numbers, 2))
        return KERNEL.format(
            name=self.function.name, count=2 + len(numbers),
            doc=json.dumps(ast.get_docstring(self.function)
                           or ""), types="".join(f", {i}: float" for i, _ in numbers),
            declarations="\n".join([f"  float v_{name};" for name in self.assigned] +
                                   [f"  double p_{name};" for name in self.numbers]),
            reads="\n".join(f"  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, {i}, &p_{name}));"
                            for i, name in numbers), body="\n".join(f"    {line}" for line in body),
            params="".join(f'\n                        "," TVM_FFI_C_PARAM("{name}", "float")'
                           for name in self.numbers))


def main():
    path = pathlib.Path(sys.argv[1])
    tree = ast.parse(path.read_text(encoding="utf-8"))
    statements = tree.body[1 if ast.get_docstring(tree) else 0:]
    for node in statements:
        if not isinstance(node, ast.FunctionDef):
            fail(path, node, f"cannot compile `{ast.unparse(node)}`")
    sys.stdout.write(
        TOP.format(source=path.name) +
        "".join(Compiler(node, path).kernel() for node in statements))


if __name__ == "__main__":
    main()
