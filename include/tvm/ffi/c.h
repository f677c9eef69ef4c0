/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c.h
 * Everything for people who write kernels and hosts in C.
 *
 * A kernel, compiled into a library of its own (add.c):
 *
 *     #include <tvm/ffi/c.h>
 *
 *     TVM_FFI_C_EXPORT(add, "(0: int, 1: int) -> int") {
 *       int64_t a, b;
 *       TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 2));
 *       TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 0, &a));
 *       TVM_FFI_C_TRY(tvm_ffi_args_read_int64(args, 1, &b));
 *       return tvm_ffi_args_return(args, tvm_ffi_any_from_int64(a + b));
 *     }
 *
 * A host, which loads the library and calls the kernel (host.c):
 *
 *     #include <tvm/ffi/c.h>
 *
 *     int main(void) {
 *       TVMFFIObjectHandle add = NULL;
 *       TVMFFIAny args[2], result = tvm_ffi_any_none();
 *       int64_t sum = 0;
 *       args[0] = tvm_ffi_any_from_int64(40);
 *       args[1] = tvm_ffi_any_from_int64(2);
 *       if (tvm_ffi_module_load_function("./add.so", "add", &add) != 0 ||
 *           tvm_ffi_function_call(add, args, 2, &result) != 0 ||
 *           tvm_ffi_any_read_int64(&result, &sum) != 0) {
 *         tvm_ffi_error_print_raised(stderr);
 *         return 1;
 *       }
 *       printf("%lld\n", (long long)sum);
 *       tvm_ffi_any_clear(&result);
 *       tvm_ffi_object_release(add);
 *       return 0;
 *     }
 *
 *     cc -shared -fPIC -fvisibility=hidden add.c $(pkg-config --cflags tvm_ffi) -o add.so
 *     cc host.c $(pkg-config --cflags --libs tvm_ffi) -o host
 *
 * A function that returns int gives 0, or another code with an error raised; its caller returns the
 * code unchanged (TVM_FFI_C_TRY) or takes the error. Values passed to a call are borrowed, its
 * result is owned by the caller. Contracts use the words that c_api.h explains at its top.
 *
 * For kernels:  export.h (declare one), args.h (read and check arguments), tensor.h, dtype.h (also
 *               dispatch over element types), device.h, shape.h, env.h (stream, allocator)
 * For hosts:    module.h (load), function.h (call, find, register), any.h (values), env.h
 * For both:     error.h, string.h, container.h (arrays, lists, maps)
 *
 * All of these are in tvm/ffi/c, and each can be included alone. host.h (a cache of functions,
 * interrupting kernels, the floating-point state, threads with deadlines) and cuda.h there are not
 * part of this file. A header begins with what it declares; the bodies are in tvm/ffi/c/detail.
 */
#ifndef TVM_FFI_C_H_
#define TVM_FFI_C_H_

#include <tvm/ffi/c/any.h>
#include <tvm/ffi/c/args.h>
#include <tvm/ffi/c/container.h>
#include <tvm/ffi/c/device.h>
#include <tvm/ffi/c/dtype.h>
#include <tvm/ffi/c/env.h>
#include <tvm/ffi/c/error.h>
#include <tvm/ffi/c/export.h>
#include <tvm/ffi/c/function.h>
#include <tvm/ffi/c/handle_table.h>
#include <tvm/ffi/c/module.h>
#include <tvm/ffi/c/shape.h>
#include <tvm/ffi/c/string.h>
#include <tvm/ffi/c/tensor.h>

#endif /* TVM_FFI_C_H_ */
