// SPDX-License-Identifier: Apache-2.0
// Calls `scale` of a kernel library from Zig: scale KERNEL
const tvm = @import("tvm_ffi.zig");
extern fn printf(format: [*:0]const u8, ...) c_int;

fn failed(code: c_int) bool {
    var text: [1000]u8 = undefined;
    if (code == 0) return false;
    _ = tvm.TVMFFIRuntimeErrorTake(&text, text.len);
    _ = printf("%s\n", &text);
    return true;
}

pub export fn main(_: c_int, argv: [*][*:0]u8) c_int {
    var module: ?*anyopaque = null;
    var scale: ?*anyopaque = null;
    if (failed(tvm.TVMFFIRuntimeModuleLoad(argv[1], &module))) return 1;
    defer _ = tvm.TVMFFIObjectDecRef(module);
    if (failed(tvm.TVMFFIRuntimeModuleGetFunction(module, "scale", &scale))) return 1;
    defer _ = tvm.TVMFFIObjectDecRef(scale);

    var x = [_]f64{ 1, 3, 5 };
    var shape = [_]i64{x.len};
    var strides = [_]i64{1};
    var tensor = tvm.DLTensor{ .data = &x, .ndim = 1, .shape = &shape, .strides = &strides };
    tensor.device.device_type = tvm.kDLCPU;
    tensor.dtype = .{ .code = tvm.kDLFloat, .bits = 64, .lanes = 1 };
    var args: [3]tvm.TVMFFIAny = @splat(.{ .type_index = tvm.kTVMFFIDLTensorPtr });
    for (args[0..2]) |*arg| arg.unnamed_1.v_ptr = &tensor;
    args[2] = .{ .type_index = tvm.kTVMFFIFloat, .unnamed_1 = .{ .v_float64 = 1.5 } };
    var result = tvm.TVMFFIAny{};
    if (failed(tvm.TVMFFIFunctionCall(scale, &args, 3, &result))) return 1;
    _ = printf("scaled: %g %g %g\n", x[0], x[1], x[2]);
    return @intFromBool(!failed(tvm.TVMFFIFunctionCall(scale, &args, 2, &result)));
}
