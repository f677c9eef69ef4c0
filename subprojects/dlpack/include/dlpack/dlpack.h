/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file dlpack/dlpack.h
 * The DLPack 1.3 ABI, declared anew: names, layouts and numbers are those of the standard, the
 * words are ours. Used where no other dlpack.h of that age is found. Every copy of the header has
 * the same include guard, so that the first one included wins and the others are empty.
 *
 * Ownership words: `borrow` (yours, must live during the call), `take` (becomes the
 * callee's whatever happens), `own` (out: you release it),
 * `lend` (out: valid until the stated moment).
 */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define DLPACK_EXTERN_C extern "C"
#else
#define DLPACK_EXTERN_C
#endif

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 3

#ifdef _WIN32
#ifdef DLPACK_EXPORTS
#define DLPACK_DLL __declspec(dllexport)
#else
#define DLPACK_DLL __declspec(dllimport)
#endif
#else
#define DLPACK_DLL
#endif

/* Bits of DLManagedTensorVersioned.flags: the consumer must not write the data; the data is a fresh
 * copy for the consumer; each element narrower than a byte fills a whole one. */
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

#ifdef __cplusplus
extern "C" {
#endif

/** The version that a producer wrote. Another major version means another layout. */
typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

/** Where memory lies. 5 and 6 name nothing. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3, /**< Pinned by the CUDA driver, readable by the CPU. */
  kDLOpenCL = 4,
  kDLVulkan = 7,
  kDLMetal = 8,
  kDLVPI = 9,
  kDLROCM = 10,
  kDLROCMHost = 11, /**< Pinned by the ROCm driver, readable by the CPU. */
  kDLExtDev = 12,   /**< For experiments with a device that has no number yet. */
  kDLCUDAManaged = 13,
  kDLOneAPI = 14,
  kDLWebGPU = 15,
  kDLHexagon = 16,
  kDLMAIA = 17,
  kDLTrn = 18
} DLDeviceType;

/** One device: its type and its number among those of the type. */
typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

/** What the bits of an element mean. Not the type indices of TVM FFI, which look alike. */
typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLOpaqueHandle = 3U,
  kDLBfloat = 4U,
  kDLComplex = 5U, /**< Two floats of half the bits each: real part, imaginary part. */
  kDLBool = 6U,
  kDLFloat8_e3m4 = 7U,
  kDLFloat8_e4m3 = 8U,
  kDLFloat8_e4m3b11fnuz = 9U,
  kDLFloat8_e4m3fn = 10U,
  kDLFloat8_e4m3fnuz = 11U,
  kDLFloat8_e5m2 = 12U,
  kDLFloat8_e5m2fnuz = 13U,
  kDLFloat8_e8m0fnu = 14U,
  kDLFloat6_e2m3fn = 15U,
  kDLFloat6_e3m2fn = 16U,
  kDLFloat4_e2m1fn = 17U
} DLDataTypeCode;

/** The type of an element: `lanes` numbers of `bits` bits, packed by bit width. */
typedef struct {
  uint8_t code; /**< A DLDataTypeCode. */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

/** A view of memory as a tensor. It owns nothing. */
typedef struct {
  void *data; /**< Start of the allocation; may be NULL when there are no elements. */
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;       /**< `ndim` sizes; may be NULL when `ndim` is 0. */
  int64_t *strides;     /**< `ndim` distances in elements; since 1.2 NULL only where `ndim` is 0. */
  uint64_t byte_offset; /**< From `data` to the first element. */
} DLTensor;

/** A tensor and the way to give it back, without version or flags: what came before 1.0. */
typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;                             /**< The producer's. */
  void (*deleter)(struct DLManagedTensor *self); /**< Ends the tensor and `self`. May be NULL. */
} DLManagedTensor;

/**
 * A tensor and the way to give it back. Up to `deleter` the layout is that of every version, so
 * that a consumer who meets a strange major version can still end the tensor.
 */
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;                                      /**< The producer's. */
  void (*deleter)(struct DLManagedTensorVersioned *self); /**< As above. */
  uint64_t flags;                                         /**< DLPACK_FLAG_BITMASK_* */
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

/*
 * The exchange table: how frameworks trade tensors with C code without going through Python
 * attributes. Every function returns 0, or -1 for a failure. The functions that take or give Python
 * objects need the interpreter's lock and leave a Python exception when they fail. None of them
 * synchronises streams.
 */

/**
 * Make an uninitialised tensor. The only entry that may be called without the interpreter.
 *
 * @param prototype [borrow] Device, dtype, ndim and shape are read; data and strides are not.
 * @param out       [own] The new tensor.
 * @param error_ctx Passed through to SetError.
 * @param SetError  Called once before -1 is returned; copies its two texts.
 */
typedef int (*DLPackManagedTensorAllocator)(DLTensor *prototype, DLManagedTensorVersioned **out,
                                            void *error_ctx,
                                            void (*SetError)(void *error_ctx, const char *kind,
                                                             const char *message));

/** Python object (borrow) to tensor (own), sharing memory. */
typedef int (*DLPackManagedTensorFromPyObjectNoSync)(void *py_object,
                                                     DLManagedTensorVersioned **out);

/** Tensor (take) to a new Python object (own) of the table's framework, sharing memory. */
typedef int (*DLPackManagedTensorToPyObjectNoSync)(DLManagedTensorVersioned *tensor,
                                                   void **out_py_object);

/** Python object (borrow) to a view (lend: while the object lives) written into `*out`. */
typedef int (*DLPackDLTensorFromPyObjectNoSync)(void *py_object, DLTensor *out);

/** The stream that the framework works on: NULL for the default one, and for devices without. */
typedef int (*DLPackCurrentWorkStream)(DLDeviceType device_type, int32_t device_id,
                                       void **out_current_stream);

/** First part of every exchange table, of this and of later major versions. */
typedef struct DLPackExchangeAPIHeader {
  DLPackVersion version;
  struct DLPackExchangeAPIHeader *prev_api; /**< The table of an older version, or NULL. */
} DLPackExchangeAPIHeader;

/** The exchange table. It lives as long as the process; a type publishes its address. */
typedef struct DLPackExchangeAPI {
  DLPackExchangeAPIHeader header;
  DLPackManagedTensorAllocator managed_tensor_allocator;                       /**< Never NULL. */
  DLPackManagedTensorFromPyObjectNoSync managed_tensor_from_py_object_no_sync; /**< Never NULL. */
  DLPackManagedTensorToPyObjectNoSync managed_tensor_to_py_object_no_sync;     /**< Never NULL. */
  DLPackDLTensorFromPyObjectNoSync dltensor_from_py_object_no_sync;            /**< May be NULL. */
  DLPackCurrentWorkStream current_work_stream;                                 /**< Never NULL. */
} DLPackExchangeAPI;

#ifdef __cplusplus
}
#endif

#endif /* DLPACK_DLPACK_H_ */
