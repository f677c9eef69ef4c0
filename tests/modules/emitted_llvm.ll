; SPDX-License-Identifier: Apache-2.0
; A kernel as a compiler without a C back end emits it: LLVM IR with opaque pointers, which clang 14
; reads with -mllvm -opaque-pointers and later ones as they are.
;
;   saxpy(0: tensor y, 1: tensor x, 2: number a) -> int: y += a * x, and the number of elements

%TVMFFIAny = type { i32, i32, i64 }
%DLTensor = type { ptr, { i32, i32 }, i32, { i8, i8, i16 }, ptr, ptr, i64 }

@type_error = private constant [10 x i8] c"TypeError\00"
@value_error = private constant [11 x i8] c"ValueError\00"
@bad_count = private constant [24 x i8] c"saxpy takes 3 arguments\00"
@bad_tensor = private constant [23 x i8] c"saxpy expects a tensor\00"
@bad_number = private constant [23 x i8] c"saxpy expects a number\00"
@bad_vector = private constant [49 x i8] c"saxpy expects a contiguous float32 vector on cpu\00"
@bad_length = private constant [38 x i8] c"saxpy expects vectors of equal length\00"

declare void @TVMFFIErrorSetRaisedFromCStr(ptr, ptr)

; The DLTensor of an argument, checked, or null with the error raised.
define private ptr @read_vector(ptr %args, i64 %i) {
entry:
  %type_index_at = getelementptr %TVMFFIAny, ptr %args, i64 %i, i32 0
  %value_at = getelementptr %TVMFFIAny, ptr %args, i64 %i, i32 2
  %type_index = load i32, ptr %type_index_at
  %value = load ptr, ptr %value_at
  switch i32 %type_index, label %no_tensor [
    i32 7, label %check     ; kTVMFFIDLTensorPtr
    i32 70, label %object   ; kTVMFFITensor
  ]

object:                     ; the DLTensor lies behind the header
  %in_object = getelementptr i8, ptr %value, i64 24
  br label %check

check:
  %tensor = phi ptr [ %value, %entry ], [ %in_object, %object ]
  %device_at = getelementptr %DLTensor, ptr %tensor, i64 0, i32 1, i32 0
  %ndim_at = getelementptr %DLTensor, ptr %tensor, i64 0, i32 2
  %code_at = getelementptr %DLTensor, ptr %tensor, i64 0, i32 3, i32 0
  %bits_at = getelementptr %DLTensor, ptr %tensor, i64 0, i32 3, i32 1
  %lanes_at = getelementptr %DLTensor, ptr %tensor, i64 0, i32 3, i32 2
  %device = load i32, ptr %device_at
  %ndim = load i32, ptr %ndim_at
  %code = load i8, ptr %code_at
  %bits = load i8, ptr %bits_at
  %lanes = load i16, ptr %lanes_at
  %on_cpu = icmp eq i32 %device, 1
  %is_vector = icmp eq i32 %ndim, 1
  %is_float = icmp eq i8 %code, 2
  %is_32_bits = icmp eq i8 %bits, 32
  %is_scalar = icmp eq i16 %lanes, 1
  %ok_1 = and i1 %on_cpu, %is_vector
  %ok_2 = and i1 %ok_1, %is_float
  %ok_3 = and i1 %ok_2, %is_32_bits
  %ok_4 = and i1 %ok_3, %is_scalar
  br i1 %ok_4, label %check_strides, label %no_vector

check_strides:              ; null stands for contiguous
  %strides_at = getelementptr %DLTensor, ptr %tensor, i64 0, i32 5
  %strides = load ptr, ptr %strides_at
  %has_no_strides = icmp eq ptr %strides, null
  br i1 %has_no_strides, label %done, label %check_stride

check_stride:
  %stride = load i64, ptr %strides
  %is_contiguous = icmp eq i64 %stride, 1
  br i1 %is_contiguous, label %done, label %no_vector

done:
  ret ptr %tensor

no_tensor:
  call void @TVMFFIErrorSetRaisedFromCStr(ptr @type_error, ptr @bad_tensor)
  ret ptr null

no_vector:
  call void @TVMFFIErrorSetRaisedFromCStr(ptr @value_error, ptr @bad_vector)
  ret ptr null
}

define private i64 @get_length(ptr %tensor) {
  %shape_at = getelementptr %DLTensor, ptr %tensor, i64 0, i32 4
  %shape = load ptr, ptr %shape_at
  %length = load i64, ptr %shape
  ret i64 %length
}

; Where the first element is.
define private ptr @get_data(ptr %tensor) {
  %data_at = getelementptr %DLTensor, ptr %tensor, i64 0, i32 0
  %offset_at = getelementptr %DLTensor, ptr %tensor, i64 0, i32 6
  %data = load ptr, ptr %data_at
  %offset = load i64, ptr %offset_at
  %first = getelementptr i8, ptr %data, i64 %offset
  ret ptr %first
}

define i32 @__tvm_ffi_saxpy(ptr %self, ptr %args, i32 %num_args, ptr %result) {
entry:
  %is_count = icmp eq i32 %num_args, 3
  br i1 %is_count, label %read_y, label %no_count

read_y:
  %y = call ptr @read_vector(ptr %args, i64 0)
  %no_y = icmp eq ptr %y, null
  br i1 %no_y, label %failed, label %read_x

read_x:
  %x = call ptr @read_vector(ptr %args, i64 1)
  %no_x = icmp eq ptr %x, null
  br i1 %no_x, label %failed, label %check_length

check_length:
  %length = call i64 @get_length(ptr %y)
  %length_x = call i64 @get_length(ptr %x)
  %is_length = icmp eq i64 %length, %length_x
  br i1 %is_length, label %read_a, label %no_length

read_a:
  %type_index_at = getelementptr %TVMFFIAny, ptr %args, i64 2, i32 0
  %value_at = getelementptr %TVMFFIAny, ptr %args, i64 2, i32 2
  %type_index = load i32, ptr %type_index_at
  switch i32 %type_index, label %no_number [
    i32 1, label %read_int     ; kTVMFFIInt
    i32 3, label %read_float   ; kTVMFFIFloat
  ]

read_int:
  %int = load i64, ptr %value_at
  %int_a = sitofp i64 %int to float
  br label %compute

read_float:
  %double = load double, ptr %value_at
  %float_a = fptrunc double %double to float
  br label %compute

compute:
  %a = phi float [ %int_a, %read_int ], [ %float_a, %read_float ]
  %y_data = call ptr @get_data(ptr %y)
  %x_data = call ptr @get_data(ptr %x)
  br label %loop

loop:
  %i = phi i64 [ 0, %compute ], [ %next, %body ]
  %more = icmp slt i64 %i, %length
  br i1 %more, label %body, label %return

body:
  %y_at = getelementptr float, ptr %y_data, i64 %i
  %x_at = getelementptr float, ptr %x_data, i64 %i
  %y_i = load float, ptr %y_at
  %x_i = load float, ptr %x_at
  %product = fmul float %a, %x_i
  %sum = fadd float %y_i, %product
  store float %sum, ptr %y_at
  %next = add i64 %i, 1
  br label %loop

return:                        ; kTVMFFIInt, padding, value
  %padding_at = getelementptr %TVMFFIAny, ptr %result, i64 0, i32 1
  %int_at = getelementptr %TVMFFIAny, ptr %result, i64 0, i32 2
  store i32 1, ptr %result
  store i32 0, ptr %padding_at
  store i64 %length, ptr %int_at
  ret i32 0

no_count:
  call void @TVMFFIErrorSetRaisedFromCStr(ptr @type_error, ptr @bad_count)
  ret i32 -1

no_number:
  call void @TVMFFIErrorSetRaisedFromCStr(ptr @type_error, ptr @bad_number)
  ret i32 -1

no_length:
  call void @TVMFFIErrorSetRaisedFromCStr(ptr @value_error, ptr @bad_length)
  ret i32 -1

failed:                        ; the error is raised
  ret i32 -1
}
