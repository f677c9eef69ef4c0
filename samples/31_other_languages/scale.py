# SPDX-License-Identifier: Apache-2.0
"""Calls `scale` of a kernel library by cffi: scale.py KERNEL"""
import array
import sys

import cffi

ffi = cffi.FFI()
ffi.cdef(open("tvm_ffi_cdef.h", encoding="utf-8").read())
tvm = ffi.dlopen("libtvm_ffi.so")


def check(code):
    if code != 0:
        text = ffi.new("char[1000]")
        tvm.TVMFFIRuntimeErrorTake(text, len(text))
        raise RuntimeError(ffi.string(text).decode(errors="replace"))


module, scale = ffi.new("void *[1]"), ffi.new("void *[1]")
check(tvm.TVMFFIRuntimeModuleLoad(sys.argv[1].encode(), module))
check(tvm.TVMFFIRuntimeModuleGetFunction(module[0], b"scale", scale))

x = array.array("d", [1, 3, 5])
shape, strides = ffi.new("int64_t[]", [len(x)]), ffi.new("int64_t[]", [1])
tensor = ffi.new("DLTensor *", {"data": ffi.from_buffer(x), "ndim": 1, "shape": shape,
                                "strides": strides, "device": (tvm.kDLCPU, 0),
                                "dtype": (tvm.kDLFloat, 64, 1)})
args, result = ffi.new("TVMFFIAny[3]"), ffi.new("TVMFFIAny *")
for arg in args[0:2]:
    arg.type_index, arg.v_ptr = tvm.kTVMFFIDLTensorPtr, tensor
args[2].type_index, args[2].v_float64 = tvm.kTVMFFIFloat, 1.5
check(tvm.TVMFFIFunctionCall(scale[0], args, 3, result))
print("scaled:", *x)
try:
    check(tvm.TVMFFIFunctionCall(scale[0], args, 2, result))
except RuntimeError as error:
    print(error)
tvm.TVMFFIObjectDecRef(scale[0])
tvm.TVMFFIObjectDecRef(module[0])
