-- SPDX-License-Identifier: Apache-2.0
-- Calls `scale` of a kernel library by LuaJIT: scale.lua KERNEL
local ffi = require("ffi")
ffi.cdef(io.open("tvm_ffi_cdef.h"):read("*a"))
local tvm = ffi.load("tvm_ffi")

local function check(code)
  if code ~= 0 then
    local text = ffi.new("char[1000]")
    tvm.TVMFFIRuntimeErrorTake(text, ffi.sizeof(text))
    error(ffi.string(text), 0)
  end
end

local module, scale = ffi.new("void *[1]"), ffi.new("void *[1]")
check(tvm.TVMFFIRuntimeModuleLoad(arg[1], module))
check(tvm.TVMFFIRuntimeModuleGetFunction(module[0], "scale", scale))

local x = ffi.new("double[3]", 1, 3, 5)
local shape, strides = ffi.new("int64_t[1]", 3), ffi.new("int64_t[1]", 1)
local tensor = ffi.new("DLTensor", {data = x, ndim = 1, shape = shape, strides = strides,
                                    device = {tvm.kDLCPU, 0}, dtype = {tvm.kDLFloat, 64, 1}})
local args, result = ffi.new("TVMFFIAny[3]"), ffi.new("TVMFFIAny")
for i = 0, 1 do
  args[i].type_index, args[i].v_ptr = tvm.kTVMFFIDLTensorPtr, tensor
end
args[2].type_index, args[2].v_float64 = tvm.kTVMFFIFloat, 1.5
check(tvm.TVMFFIFunctionCall(scale[0], args, 3, result))
print("scaled: " .. x[0] .. " " .. x[1] .. " " .. x[2])
print(select(2, pcall(check, tvm.TVMFFIFunctionCall(scale[0], args, 2, result))))
tvm.TVMFFIObjectDecRef(scale[0])
tvm.TVMFFIObjectDecRef(module[0])
