/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c/tensor.h
 * Tensors: properties of a DLTensor, and several ways of making Tensor objects.
 *
 * Kernels take DLTensor pointers, which work for callers that own a Tensor and for those that only
 * have a view; the caller keeps the data alive. A Tensor object is for returning a tensor, or for
 * keeping one beyond the call. Let the caller allocate outputs whose shape is known in advance:
 * allocating in a kernel fragments memory and prevents the capture of graphs.
 */
#ifndef TVM_FFI_C_TENSOR_H_
#define TVM_FFI_C_TENSOR_H_

#include <tvm/ffi/c/device.h>
#include <tvm/ffi/c/dtype.h>
#include <tvm/ffi/c/error.h>
#include <tvm/ffi/c/shape.h>
#include <tvm/ffi/extra/c_env_api.h>

/* ---- Reading a DLTensor ----
 * @param tensor [borrow]   Errors: none, unless a function says so.   Threads: any. */

/**
 * Whether the tensor is valid in DLPack's sense: ndim is 0 or more, shape is not NULL unless ndim
 * is 0, no extent is negative, the number of elements fits int64_t, and data is not NULL if there
 * are elements on a device with addresses. strides may be NULL, which means row-major.
 */
static inline bool tvm_ffi_tensor_is_valid(const DLTensor *tensor);

/**
 * The address of the first element, byte_offset included; NULL when data is. For addressable
 * devices only.
 * @return [lend] As long as the owner of the tensor keeps it.
 */
static inline void *tvm_ffi_tensor_get_data(const DLTensor *tensor);

/**
 * data and byte_offset apart, for devices whose data is a handle: a cl_mem, a VkBuffer, a
 * WGPUBuffer, an id<MTLBuffer>.
 * @param out_offset [out] The bytes from the begin of the buffer to the first element.
 * @return [lend] As long as the owner of the tensor keeps it.
 */
static inline void *tvm_ffi_tensor_get_handle(const DLTensor *tensor, uint64_t *out_offset);

/** The number of elements; -1 when an extent is negative or the product exceeds INT64_MAX. */
static inline int64_t tvm_ffi_tensor_get_numel(const DLTensor *tensor);

/**
 * The extent of a dimension; a negative i counts from the end.
 * @param out [out]
 * @return 0, or -1; the compiler warns when it is ignored.   Errors: IndexError.
 */
static inline int tvm_ffi_tensor_read_size(const DLTensor *tensor, int32_t i, int64_t *out);

/**
 * The stride of a dimension in elements, also when strides is NULL; a negative i counts from the
 * end. A stride that moves to no other element, that of an extent of 1 or of a tensor without
 * elements, may be anything in DLTensor.strides. This function then returns what a contiguous
 * tensor of that shape has, counting extents of 0 as 1, so that it can be a leading dimension.
 * @param out [out]
 * @return 0, or -1; the compiler warns when it is ignored.   Errors: IndexError.
 */
static inline int tvm_ffi_tensor_read_stride(const DLTensor *tensor, int32_t i, int64_t *out);

/**
 * The bytes of the elements when packed; for sub-byte types rounded up at the end.
 * @param out [out]
 * @return 0, or -1; the compiler warns when it is ignored.
 * Errors: ValueError (a negative extent, a dtype without a size, too large).
 */
static inline int tvm_ffi_tensor_compute_size(const DLTensor *tensor, size_t *out);

/** Whether the elements are contiguous in row-major order; true when there are none. */
static inline bool tvm_ffi_tensor_is_contiguous(const DLTensor *tensor);

/**
 * The bytes of memory from the lowest element to the end of the highest one, relative to the first
 * element (tvm_ffi_tensor_get_data). *out_begin is below 0 where a stride is negative. Both are 0
 * when there are no elements. Raises nothing, and assumes nothing about the numbers in the tensor.
 * @param tensor    [borrow] With a shape for its dimensions.
 * @param out_begin [out] 0 or less.
 * @param out_end   [out] 0 or more.
 * @return Whether there are such bytes; otherwise both are 0. False: an extent is negative; there
 *         are too many elements; the dtype has no size; an offset is beyond int64_t; elements that
 *         are not whole bytes, which are packed, are not contiguous.
 */
static inline bool tvm_ffi_tensor_find_bytes(const DLTensor *tensor, int64_t *out_begin,
                                             int64_t *out_end);

/**
 * All elements lie within a buffer of so many bytes, the one that data is or points to. DLPack does
 * not say how large it is; the API of the device does, as clGetMemObjectInfo. Tensors without
 * elements lie in any.
 * @param bytes [in] The size of the buffer, from data and not from the first element on.
 * @return 0, or -1; the compiler warns when it is ignored.
 * Errors: ValueError `Mismatched buffer of a tensor. Expected 40 bytes from byte_offset 4000 on but
 * got 48 bytes in all`, ... tvm_ffi_args_check_within names the argument.
 */
static inline int tvm_ffi_tensor_check_within(const DLTensor *tensor, uint64_t bytes);

/**
 * Whether data + byte_offset is a multiple of alignment, a power of two; true when there are no
 * elements.
 */
static inline bool tvm_ffi_tensor_is_aligned(const DLTensor *tensor, size_t alignment);

/**
 * The same number of dimensions and the same extents.
 * @param a, b [borrow]
 */
static inline bool tvm_ffi_tensor_has_same_shape(const DLTensor *a, const DLTensor *b);

/* ---- Walking over elements ----
 *
 * Tensors of one shape, whatever their strides, as runs of elements:
 *
 *     const DLTensor *tensors[2] = {y, x};
 *     tvm_ffi_tensor_runs runs;
 *     TVM_FFI_C_TRY(tvm_ffi_tensor_runs_begin(&runs, tensors, 2));
 *     while (tvm_ffi_tensor_runs_next(&runs)) {
 *       float *to = (float *)runs.data[0];
 *       const float *from = (const float *)runs.data[1];
 *       if (runs.is_contiguous) {
 *         for (i = 0; i < runs.count; ++i) to[i] = from[i] + 1;
 *       } else {
 *         for (i = 0; i < runs.count; ++i) to[i * runs.step[0]] = from[i * runs.step[1]] + 1;
 *       }
 *     }
 *
 * Contiguous tensors are one run, for which the first loop is a plain loop. Runs are as long as the
 * strides allow, in the memory order of the first tensor: make that the output. */

enum { TVM_FFI_C_RUNS_TENSORS = 8, TVM_FFI_C_RUNS_DIMS = 32 };

typedef struct {
  /** The number of elements in each run. */
  int64_t count;
  /** [lend] In each tensor the first element of this run. */
  void *data[TVM_FFI_C_RUNS_TENSORS];
  /** In each tensor the distance between elements of a run, in elements; may be 0 or negative. */
  int64_t step[TVM_FFI_C_RUNS_TENSORS];
  /** Whether every step is 1. */
  bool is_contiguous;
  /** Internal: the dimensions around the runs, strides in bytes. */
  bool is_at_start;
  int32_t num_tensors, ndim;
  int64_t shape[TVM_FFI_C_RUNS_DIMS], index[TVM_FFI_C_RUNS_DIMS];
  int64_t strides[TVM_FFI_C_RUNS_DIMS][TVM_FFI_C_RUNS_TENSORS];
} tvm_ffi_tensor_runs;

/**
 * Prepare a walk over all elements of tensors on addressable devices.
 * @param runs        [out] For one thread at a time.
 * @param tensors     [borrow] As long as runs is used.
 * @param num_tensors [in] From 1 to TVM_FFI_C_RUNS_TENSORS.
 * @return 0, or -1; the compiler warns when it is ignored.
 * Errors: ValueError (shapes that differ, a tensor that is not valid, a device with handles,
 * elements that are not whole bytes, more than TVM_FFI_C_RUNS_DIMS extents above 1).
 * Threads: any.
 */
static inline int tvm_ffi_tensor_runs_begin(tvm_ffi_tensor_runs *runs,
                                            const DLTensor *const *tensors, int32_t num_tensors);

/**
 * Move to the first run, then to the next.
 * @param runs [borrow]
 * @return false after the last one, and if there are no elements.   Errors: none.   Threads: any.
 */
static inline bool tvm_ffi_tensor_runs_next(tvm_ffi_tensor_runs *runs);

/* ---- Views that no object owns ---- */

/**
 * Describe compact memory as a DLTensor. Pass it with tvm_ffi_any_view_tensor.
 * @param tensor  [out]
 * @param data    [borrow] The first element; like shape and strides used as long as *tensor is.
 * @param shape   [borrow] ndim extents.
 * @param strides [out] Room for ndim strides, which are filled in: readers may ask for them. NULL:
 *                the tensor has none, and is contiguous; kernels that read strides[i] crash then.
 * Errors: none.   Threads: any.
 */
static inline void tvm_ffi_tensor_init(DLTensor *tensor, void *data, DLDevice device,
                                       DLDataType dtype, int32_t ndim, int64_t *shape,
                                       int64_t *strides);

/** A tensor of one dimension with room for its shape and strides. */
typedef struct {
  DLTensor tensor;
  int64_t shape[1], strides[1];
} tvm_ffi_vector;

/**
 * Describe compact memory as a tensor of one dimension, and give the view to pass:
 *
 *     tvm_ffi_vector x;
 *     args[0] = tvm_ffi_vector_init(&x, data, cpu, TVM_FFI_C_FLOAT32, n);
 *
 * A kernel may write to it, because a view has no read-only flag. For memory that must not change
 * use tvm_ffi_tensor_create_read_only(&x.tensor, ...).
 * @param vector [out] Used as long as the view is; initialise each copy separately.
 * @param data   [borrow] The first element; as long as the view is used.
 * @param size   [in] The number of elements.
 * @return [lend] A view, as long as *vector and the data.   Errors: none.   Threads: any.
 */
static inline TVMFFIAny tvm_ffi_vector_init(tvm_ffi_vector *vector, void *data, DLDevice device,
                                            DLDataType dtype, int64_t size);

/* ---- Tensor objects ----
 * @param shape [borrow] ndim extents, copied.
 * @param out   [own] A Tensor; its DLTensor is TVMFFITensorGetDLTensorPtr(*out). Elements are not
 *              initialised, strides are row-major.
 * @return 0, or non-zero.   Threads: any. */

/**
 * Make a tensor with the environment's allocator, that of the calling framework, which caches
 * memory and accounts for it. Use it for outputs whose shape depends on data.
 * Errors: RuntimeError (no allocator is set, it returned nothing), ValueError (shape), any (its
 * own).
 */
static inline int tvm_ffi_tensor_create(DLDevice device, DLDataType dtype, int32_t ndim,
                                        const int64_t *shape, TVMFFIObjectHandle *out);

/** Releases the memory of a tensor, which is unchanged since it was made. Must not fail. */
typedef void (*tvm_ffi_tensor_release_fn)(void *context, DLTensor *tensor);

/** An allocator of the caller's. */
typedef struct {
  /**
   * Set tensor->data to size bytes of memory; everything else in *tensor is filled in.
   * @return 0; or non-zero with an error raised, then release is not called.
   */
  int (*allocate)(void *context, DLTensor *tensor, size_t size);
  /** Called once, when the tensor dies, in the thread where that happens; may be NULL. */
  tvm_ffi_tensor_release_fn release;
  /** [borrow] Passed to both. */
  void *context;
} tvm_ffi_tensor_allocator;

/**
 * Make a tensor with an allocator of the caller's. Its deleter is code of the library that calls
 * this, which must stay loaded until the tensor is gone.
 * @param allocator [borrow] Copied; its context must live as long as the tensor.
 * Errors: ValueError (shape), memory, any (those of allocate).
 */
static inline int tvm_ffi_tensor_create_with(const tvm_ffi_tensor_allocator *allocator,
                                             DLDevice device, DLDataType dtype, int32_t ndim,
                                             const int64_t *shape, TVMFFIObjectHandle *out);

/**
 * Make a tensor from existing memory. Its deleter is code of the library that calls this, which
 * must stay loaded until the tensor is gone.
 * @param memory  [borrow] Copied with its extents and strides; the data is shared.
 * @param release [in] Called once when the tensor dies. NULL: the caller keeps the memory alive as
 *                long as the tensor or anything made of it is.
 * @param context [take on 0] Passed to release, which is not called when this fails.
 * Errors: ValueError (a shape without a size), memory.
 */
static inline int tvm_ffi_tensor_create_around(const DLTensor *memory,
                                               tvm_ffi_tensor_release_fn release, void *context,
                                               TVMFFIObjectHandle *out);

/**
 * The same for memory that must not be written to: a constant, a mapped file, a page of a database.
 * The tensor says so by a flag, which tvm_ffi_args_check_writable, the accessors of C++ and every
 * consumer of DLPack can see; nothing stops a kernel that does not look. Only a Tensor object can
 * say it: a DLTensor has no flags. The reference's runtime forgets the flag, and then nobody knows.
 * @param memory  [borrow] As for tvm_ffi_tensor_create_around; the data is shared.
 * @param release [in] As for tvm_ffi_tensor_create_around.
 * @param context [take on 0] Passed to release.
 * Errors: ValueError (a shape without a size), memory.
 */
static inline int tvm_ffi_tensor_create_read_only(const DLTensor *memory,
                                                  tvm_ffi_tensor_release_fn release, void *context,
                                                  TVMFFIObjectHandle *out);

/**
 * Make a tensor that is a view of another one's elements, with other extents and strides. It keeps
 * the other one alive and shares its data. Unlike TVMFFITensorCreateUnsafeView, this checks that
 * the view stays within the elements of the source. Uses a function of 0.1.6.
 * @param source         [share] A Tensor.
 * @param strides        [borrow] ndim strides in elements.
 * @param element_offset [in] Where the view begins, in elements from the first one of the source.
 * Errors: TypeError (not a Tensor), ValueError (shape, an offset within a byte), IndexError (the
 * view leaves the source), memory.
 */
static inline int tvm_ffi_tensor_create_view(TVMFFIObjectHandle source, int32_t ndim,
                                             const int64_t *shape, const int64_t *strides,
                                             int64_t element_offset, TVMFFIObjectHandle *out);

/**
 * The flags of DLPack that a tensor was imported with, such as DLPACK_FLAG_BITMASK_READ_ONLY: its
 * owner shares the elements for reading only. Takes an allocation for a moment. The reference's
 * runtime forgets the flags, and gives 0.
 * @param tensor [borrow] A Tensor. A mere DLTensor has no flags: nothing can be known of it.
 * @param out    [out]
 * @return 0, or -1; the compiler warns when it is ignored.   Errors: TypeError, memory.
 */
static inline int tvm_ffi_tensor_read_flags(TVMFFIObjectHandle tensor, uint64_t *out);

#include <tvm/ffi/c/detail/tensor.h> /* the bodies */

#endif /* TVM_FFI_C_TENSOR_H_ */
