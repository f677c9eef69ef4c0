/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/c_api.h
 * The TVM FFI ABI: value and object layouts, and the functions every runtime of it exports.
 *
 * Reading the contracts
 * ---------------------
 * Parameters carry one ownership word:
 *   [in]        plain data, read during the call
 *   [borrow]    an object or buffer of the caller's that must live during the call
 *   [share]     an object of the caller's; the callee takes a reference of its own
 *   [take]      becomes the callee's
 *   [take on 0] becomes the callee's if the call succeeds, stays the caller's otherwise
 *   [own]       output: a reference the caller releases with TVMFFIObjectDecRef
 *   [lend]      output: valid until the stated moment, never released by the caller
 *   [out]       output: plain data
 * Outputs are written only on success unless a function says otherwise.
 *
 * Functions that return int give 0 on success and -1 on failure, with the error in this thread's
 * slot (TVMFFIErrorMoveFromRaised); where foreign code runs, its own non-zero code may be returned
 * instead. "Errors" lists the kinds; "memory" stands for MemoryError, raised without allocating;
 * "any" means foreign code runs and may raise anything. "Threads: any" may be called from any
 * thread at any time; "same object" asks the caller to serialise calls that name the same object.
 *
 * A required pointer that is NULL is refused with a ValueError that names it.
 *
 * A process may fork at any time, except in a memory hook, and use the library in the child. Work
 * that other threads had not finished does not happen there; objects that they held are leaked.
 */
#ifndef TVM_FFI_C_API_H_
#define TVM_FFI_C_API_H_

#if defined(TVM_FFI_KERNEL_H_) || defined(TVM_FFI_LEAN_H_)
#error "include tvm/ffi/c.h above tvm_ffi_kernel.h and above what tvm-ffi wrap --lean wrote"
#endif

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Compiler support ---- */

#ifndef TVM_FFI_DLL
#if defined(__EMSCRIPTEN__)
#include <emscripten/emscripten.h>
#define TVM_FFI_DLL EMSCRIPTEN_KEEPALIVE
#define TVM_FFI_DLL_EXPORT EMSCRIPTEN_KEEPALIVE
#elif defined(_MSC_VER)
#ifdef TVM_FFI_EXPORTS
#define TVM_FFI_DLL __declspec(dllexport)
#else
#define TVM_FFI_DLL __declspec(dllimport)
#endif
#define TVM_FFI_DLL_EXPORT __declspec(dllexport)
#elif defined(_WIN32) && defined(__GNUC__)
/* MinGW's linkers import functions without this declaration, so clients can also link the archive.
 * */
#ifdef TVM_FFI_EXPORTS
#define TVM_FFI_DLL __declspec(dllexport)
#else
#define TVM_FFI_DLL
#endif
#define TVM_FFI_DLL_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define TVM_FFI_DLL __attribute__((visibility("default")))
#define TVM_FFI_DLL_EXPORT __attribute__((visibility("default")))
#else
#define TVM_FFI_DLL
#define TVM_FFI_DLL_EXPORT
#endif
#endif

#if defined(_MSC_VER)
#define TVM_FFI_WEAK __declspec(selectany)
#else
#define TVM_FFI_WEAK __attribute__((weak))
#endif

/**
 * The result depends only on arguments and memory; the compiler may remove a call whose result is
 * unused. Here for code that uses it; no function of this header has it.
 */
#if defined(__GNUC__)
#define TVM_FFI_ATTRIBUTE_PURE __attribute__((pure))
#else
#define TVM_FFI_ATTRIBUTE_PURE
#endif

/**
 * Opens an unnamed union. C99 has none; with __extension__ GNU compilers accept them under
 * -pedantic, and every member keeps its direct name.
 */
#if defined(__GNUC__)
#define TVM_FFI_UNNAMED_UNION __extension__ union
#else
#define TVM_FFI_UNNAMED_UNION union
#endif

/** Enumerations are 32 bits wide in both languages: `enum Name TVM_FFI_ENUM_BASE { ... };`. */
#ifdef __cplusplus
#define TVM_FFI_ENUM_BASE : int32_t
#else
#define TVM_FFI_ENUM_BASE
#endif

/** Version of the ABI these headers describe. Informational: nothing checks it at load time. */
#define TVM_FFI_VERSION_MAJOR 0
#define TVM_FFI_VERSION_MINOR 1
#define TVM_FFI_VERSION_PATCH 16

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

/** A pointer to a TVMFFIObject header. Plain void* so that generated C needs no casts. */
typedef void *TVMFFIObjectHandle;

typedef struct {
  uint32_t major;
  uint32_t minor;
  uint32_t patch;
} TVMFFIVersion;

/**
 * The type of the value in a TVMFFIAny. Indices below kTVMFFIStaticObjectBegin are plain values,
 * all from there on reference-counted objects. Not to be confused with DLPack's kDL* type codes:
 * kTVMFFIFloat (3) is a value that holds a double, kDLFloat (2) the code of a tensor's dtype.
 */
enum TVMFFITypeIndex TVM_FFI_ENUM_BASE {
  /** Only in field annotations: no static type. Never stored in a value. */
  kTVMFFIAny = -1,
  kTVMFFINone = 0,
  kTVMFFIInt = 1,
  /** v_int64 is 0 or 1. */
  kTVMFFIBool = 2,
  kTVMFFIFloat = 3,
  kTVMFFIOpaquePtr = 4,
  kTVMFFIDataType = 5,
  kTVMFFIDevice = 6,
  /** Views only: a borrowed DLTensor*. */
  kTVMFFIDLTensorPtr = 7,
  /** Views only: borrowed NUL-terminated text. */
  kTVMFFIRawStr = 8,
  /** Views only: a borrowed TVMFFIByteArray*. */
  kTVMFFIByteArrayPtr = 9,
  /** Views only: v_ptr is a TVMFFIObjectHandle* whose object may be moved out. */
  kTVMFFIObjectRValueRef = 10,
  /** Text of at most 7 bytes, stored in the value. */
  kTVMFFISmallStr = 11,
  /** Bytes, at most 7, stored in the value. */
  kTVMFFISmallBytes = 12,
  /** Structural mutation's marker for "no replacement". */
  kTVMFFIUnchanged = 13,
  kTVMFFIStaticObjectBegin = 64,
  kTVMFFIObject = 64,
  kTVMFFIStr = 65,
  kTVMFFIBytes = 66,
  kTVMFFIError = 67,
  kTVMFFIFunction = 68,
  kTVMFFIShape = 69,
  kTVMFFITensor = 70,
  kTVMFFIArray = 71,
  kTVMFFIMap = 72,
  kTVMFFIModule = 73,
  kTVMFFIOpaquePyObject = 74,
  kTVMFFIList = 75,
  kTVMFFIDict = 76,
  kTVMFFIVisitInterrupt = 77,
  /** An integer that does not fit int64_t. */
  kTVMFFIBigInt = 78,
  kTVMFFIStaticObjectEnd = 79,
  /** The first index given out at run time. */
  kTVMFFIDynObjectBegin = 128
};
typedef enum TVMFFITypeIndex TVMFFITypeIndex;

/** The tasks of a deleter; both bits are set together when no weak reference is left. */
enum TVMFFIObjectDeleterFlagBitMask TVM_FFI_ENUM_BASE {
  /** The last strong reference is gone: destroy the contents. */
  kTVMFFIObjectDeleterFlagBitMaskStrong = 1,
  /** The last weak reference is gone: return the memory. */
  kTVMFFIObjectDeleterFlagBitMaskWeak = 2,
  kTVMFFIObjectDeleterFlagBitMaskBoth = 3
};
typedef enum TVMFFIObjectDeleterFlagBitMask TVMFFIObjectDeleterFlagBitMask;

/**
 * The header of every object: 24 bytes, 8-byte aligned except on i386.
 * A new object starts with combined_ref_count 0x0000000100000001: one strong reference in the low
 * half, and in the high half one weak reference held by all strong ones together.
 */
typedef struct {
  uint64_t combined_ref_count;
  int32_t type_index;
  /** Written as 0. */
  uint32_t __padding;
  TVM_FFI_UNNAMED_UNION {
    /** Called with TVMFFIObjectDeleterFlagBitMask bits. May be NULL: then nothing happens. */
    void (*deleter)(void *self, int flags);
    /** Keeps size and alignment the same where pointers have 4 bytes. */
    int64_t __ensure_align;
  };
} TVMFFIObject;

/**
 * One value, 16 bytes. The same struct serves two contracts:
 * a *view* (arguments) borrows what it points to, an *owned* value (results, container elements)
 * holds one strong reference of its object. Indices 7 to 10 are for views only.
 * All 16 bytes count in comparison and hashing, so unused bytes are always zero.
 */
typedef struct {
  int32_t type_index;
  TVM_FFI_UNNAMED_UNION {
    /** 0 for everything but small strings and bytes. */
    uint32_t zero_padding;
    /** Length, 0 to 7, of a small string or of small bytes. */
    uint32_t small_str_len;
  };
  TVM_FFI_UNNAMED_UNION {
    int64_t v_int64;
    double v_float64;
    void *v_ptr;
    const char *v_c_str;
    TVMFFIObject *v_obj;
    DLDataType v_dtype;
    DLDevice v_device;
    char v_bytes[8];
    uint64_t v_uint64;
  };
} TVMFFIAny;

/** A run of bytes, not necessarily NUL-terminated when a caller supplies it. */
typedef struct {
  const char *data;
  size_t size;
} TVMFFIByteArray;

/** The body of a Shape, after its header. */
typedef struct {
  const int64_t *data;
  size_t size;
} TVMFFIShapeCell;

/** The body of an Array or a List, after its header. Elements are owned values. */
typedef struct TVMFFISeqCell {
  void *data;
  int64_t size;
  int64_t capacity;
  /** Frees data; NULL when the elements follow the cell in the same block. */
  void (*data_deleter)(void *data);
} TVMFFISeqCell;

/** Whether update_backtrace replaces the existing text or appends to it. */
enum TVMFFIBacktraceUpdateMode TVM_FFI_ENUM_BASE {
  kTVMFFIBacktraceUpdateModeReplace = 0,
  kTVMFFIBacktraceUpdateModeAppend = 1
};
typedef enum TVMFFIBacktraceUpdateMode TVMFFIBacktraceUpdateMode;

/** The body of an Error, after its header. All texts are NUL-terminated. */
typedef struct {
  TVMFFIByteArray kind;
  TVMFFIByteArray message;
  /** Lines `  File "<file>", line <n>, in <symbol>`, most recent call first. */
  TVMFFIByteArray backtrace;
  /**
   * Replaces or extends the backtrace; re-read the cell afterwards. A replaced text lives as long
   * as the error. To read while another thread may update, read the size first.
   */
  void (*update_backtrace)(TVMFFIObjectHandle self, const TVMFFIByteArray *backtrace,
                           int32_t update_mode);
  /** The Error that led to this one, or NULL. Owned by this error. */
  TVMFFIObjectHandle cause_chain;
  /** Any object that travels with the error, or NULL. Owned by this error. */
  TVMFFIObjectHandle extra_context;
} TVMFFIErrorCell;

/**
 * The calling convention of every function.
 *
 * @param handle    The Function object, or what its creator registered; NULL for exported kernels.
 * @param args      [borrow] num_args views. The callee must not change them.
 * @param result    [own] Comes in as None; on success the callee leaves an owned value in it.
 * @return 0, or non-zero after raising an error. Never unwinds into the caller.
 */
typedef int (*TVMFFISafeCallType)(void *handle, const TVMFFIAny *args, int32_t num_args,
                                  TVMFFIAny *result);

/** The body of a Function, after its header. */
typedef struct {
  /** Never NULL. Its first argument is the Function object itself. */
  TVMFFISafeCallType safe_call;
  /** A C++ entry point that throws; NULL in every function made in C. */
  void *cpp_call;
} TVMFFIFunctionCell;

/** The body of an OpaquePyObject, after its header. */
typedef struct {
  void *handle;
} TVMFFIOpaqueObjectCell;

/** The word before a body that a TVMFFICustomAllocator returned. */
typedef struct {
  /** Receives the body pointer; may be NULL when the object's deleter frees the memory. */
  void (*delete_space)(void *ptr);
} TVMFFIObjectAllocHeader;

/** An allocator for object bodies. Only binaries built with 0.1.13 itself consult it. */
typedef struct {
  /**
   * Returns a body preceded by a filled-in TVMFFIObjectAllocHeader, or NULL with the error raised.
   */
  void *(*allocate)(size_t size, size_t alignment, int32_t type_index, void *context);
  void *context;
} TVMFFICustomAllocator;

/* ---- Reflection records ---- */

enum TVMFFIFieldFlagBitMask TVM_FFI_ENUM_BASE {
  kTVMFFIFieldFlagBitMaskWritable = 1 << 0,
  /** default_value_or_factory is meaningful. */
  kTVMFFIFieldFlagBitMaskHasDefault = 1 << 1,
  /** On methods: the receiver is not passed as argument 0. */
  kTVMFFIFieldFlagBitMaskIsStaticMethod = 1 << 2,
  kTVMFFIFieldFlagBitMaskSEqHashIgnore = 1 << 3,
  kTVMFFIFieldFlagBitMaskSEqHashDefPattern = 1 << 4,
  /** The name of SEqHashDefPattern up to 0.1.13. */
  kTVMFFIFieldFlagBitMaskSEqHashDefRecursive = 1 << 4,
  /** The default is a Function without arguments that makes the value. */
  kTVMFFIFieldFlagBitMaskDefaultFromFactory = 1 << 5,
  kTVMFFIFieldFlagBitMaskReprOff = 1 << 6,
  kTVMFFIFieldFlagBitMaskCompareOff = 1 << 7,
  kTVMFFIFieldFlagBitMaskHashOff = 1 << 8,
  kTVMFFIFieldFlagBitMaskInitOff = 1 << 9,
  kTVMFFIFieldFlagBitMaskKwOnly = 1 << 10,
  /** setter is the handle of a Function, not a C function. */
  kTVMFFIFieldFlagBitSetterIsFunctionObj = 1 << 11,
  kTVMFFIFieldFlagBitMaskSEqHashDefSimple = 1 << 12,
  /** The name of SEqHashDefSimple up to 0.1.13. */
  kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive = 1 << 12
};
typedef enum TVMFFIFieldFlagBitMask TVMFFIFieldFlagBitMask;

enum TVMFFISEqHashKind TVM_FFI_ENUM_BASE {
  kTVMFFISEqHashKindUnsupported = 0,
  kTVMFFISEqHashKindTreeNode = 1,
  kTVMFFISEqHashKindFreeVar = 2,
  kTVMFFISEqHashKindDAGNode = 3,
  kTVMFFISEqHashKindConstTreeNode = 4,
  kTVMFFISEqHashKindUniqueInstance = 5
};
typedef enum TVMFFISEqHashKind TVMFFISEqHashKind;

enum TVMFFIDefRegionKind TVM_FFI_ENUM_BASE {
  kTVMFFIDefRegionKindNone = 0,
  /** The variable and all free variables below it are definitions. */
  kTVMFFIDefRegionKindPattern = 1,
  kTVMFFIDefRegionKindRecursive = 1,
  /** Only the variable itself is a definition. */
  kTVMFFIDefRegionKindSimple = 2,
  kTVMFFIDefRegionKindNonRecursive = 2
};
typedef enum TVMFFIDefRegionKind TVMFFIDefRegionKind;

/** Reads the field at that address into an owned value. */
typedef int (*TVMFFIFieldGetter)(void *field, TVMFFIAny *result);
/** Stores a view into the field at that address. */
typedef int (*TVMFFIFieldSetter)(void *field, const TVMFFIAny *value);
/** Makes a default instance of a type. [own] result. */
typedef int (*TVMFFIObjectCreator)(TVMFFIObjectHandle *result);

typedef struct {
  TVMFFIByteArray name;
  TVMFFIByteArray doc;
  /** A JSON object, usually {"type_schema":"<escaped JSON>"}. */
  TVMFFIByteArray metadata;
  /** TVMFFIFieldFlagBitMask bits. */
  int64_t flags;
  /** Bytes. */
  int64_t size;
  int64_t alignment;
  /** Bytes from the object header. */
  int64_t offset;
  TVMFFIFieldGetter getter;
  /** A TVMFFIFieldSetter, or a Function handle under kTVMFFIFieldFlagBitSetterIsFunctionObj. */
  void *setter;
  TVMFFIAny default_value_or_factory;
  /** kTVMFFIAny when not known. */
  int32_t field_static_type_index;
} TVMFFIFieldInfo;

typedef struct {
  TVMFFIByteArray name;
  TVMFFIByteArray doc;
  TVMFFIByteArray metadata;
  /** Only kTVMFFIFieldFlagBitMaskIsStaticMethod is used. */
  int64_t flags;
  /** A Function; the receiver is argument 0 unless the method is static. */
  TVMFFIAny method;
} TVMFFIMethodInfo;

typedef struct {
  TVMFFIByteArray doc;
  /** NULL when the type cannot be made without arguments. */
  TVMFFIObjectCreator creator;
  /** Bytes of an instance, the header included; 0: not known. */
  int32_t total_size;
  TVMFFISEqHashKind structural_eq_hash_kind;
} TVMFFITypeMetadata;

/** One attribute of all types: the entry of type t is data[t - begin_index], None when absent. */
typedef struct {
  const TVMFFIAny *data;
  int32_t size;
  int32_t begin_index;
} TVMFFITypeAttrColumn;

/** A registered type. Records never move; fields, methods and metadata may be set later. */
typedef struct TVMFFITypeInfo {
  int32_t type_index;
  /** Number of ancestors. */
  int32_t type_depth;
  /** NUL-terminated. */
  TVMFFIByteArray type_key;
  /** type_depth entries, ffi.Object first, the direct parent last. */
  const struct TVMFFITypeInfo **type_ancestors;
  /** A hash of the key; the same in every runtime on 64-bit Linux, and clients store it. */
  uint64_t type_key_hash;
  /** Own fields only, in the order of registration. */
  int32_t num_fields;
  int32_t num_methods;
  const TVMFFIFieldInfo *fields;
  const TVMFFIMethodInfo *methods;
  /** NULL until registered. */
  const TVMFFITypeMetadata *metadata;
} TVMFFITypeInfo;

/* ---- Version ---- */

/**
 * The version of the ABI that the running library implements.
 * @param out_version [out] NULL is ignored.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL void TVMFFIGetVersion(TVMFFIVersion *out_version);

/* ---- Objects ----
 * Counts are atomic. The object is destroyed by its own deleter, in the thread that released the
 * last reference. Nested values of this library are released without recursion, however deep. */

/**
 * Add a strong reference.
 * @param obj [borrow] NULL is ignored.
 * @return 0.   Errors: none.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIObjectIncRef(TVMFFIObjectHandle obj);

/**
 * Release a strong reference; the last one destroys the object.
 * @param obj [take on 0] NULL is ignored.
 * @return 0.   Errors: none.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIObjectDecRef(TVMFFIObjectHandle obj);

/**
 * Wrap a pointer of a frontend in an object.
 * @param handle     [take on 0] What to wrap; may be NULL.
 * @param type_index [in] kTVMFFIOpaquePyObject.
 * @param deleter    [in] Called once with handle when the object dies; may be NULL.
 * @param out        [own]
 * Errors: RuntimeError (another type_index), ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIObjectCreateOpaque(void *handle, int32_t type_index,
                                         void (*deleter)(void *handle), TVMFFIObjectHandle *out);

/**
 * The allocator that binaries built with 0.1.13 itself use for bodies of objects. Since 0.1.13.
 * @return [lend] Never NULL; the default one until another is set.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL TVMFFICustomAllocator *TVMFFIGetCustomAllocator(void);

/**
 * Replace that allocator. Nothing else in this library consults it (memory hooks: c_runtime_api.h).
 * Since 0.1.13.
 * @param allocator [borrow] Must live as long as the process; NULL restores the default.
 * @return 0.   Errors: none.   Threads: any.
 */
TVM_FFI_DLL int TVMFFISetCustomAllocator(TVMFFICustomAllocator *allocator);

/* ---- Values ---- */

/**
 * Make an owned value from a view: objects gain a reference, raw strings and byte arrays are
 * copied, an rvalue reference hands over its object, everything else is copied bit by bit. A
 * borrowed DLTensor pointer (7) is copied too and then owns nothing: do not keep it.
 *
 * @param any_view [borrow]
 * @param out      [own] Overwritten without being read.
 * Errors: InternalError (the rvalue reference was moved before), ValueError, memory.
 * Threads: any.
 */
TVM_FFI_DLL int TVMFFIAnyViewToOwnedAny(const TVMFFIAny *any_view, TVMFFIAny *out);

/**
 * Make a text value; small (type 11) up to 7 bytes, a heap String (65) otherwise.
 * @param input [borrow] Any bytes, NULs included; data may be NULL when size is 0.
 * @param out   [own] Overwritten without being read.
 * Errors: ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIStringFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out);

/**
 * Make a value of bytes; small (type 12) up to 7 bytes, a heap Bytes (66) otherwise.
 * @param input [borrow] data may be NULL when size is 0.
 * @param out   [own] Overwritten without being read.
 * Errors: ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIBytesFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out);

/**
 * Make an integer from two's complement words, 64 bits each in native byte order, least
 * significant word first. Values that fit int64_t become Int. Since 0.1.15.
 *
 * @param input [borrow] A whole number of words, any alignment; size 0 is zero.
 * @param out   [own] Set to None first, also when the call fails.
 * Errors: ValueError (size not a multiple of 8), memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIBigIntFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out);

/**
 * The words of an Int or BigInt. Since 0.1.15.
 * @param value [borrow] An Int or a BigInt.
 * @return [lend] Valid as long as *value, where the word of an Int is stored. {NULL, 0} for NULL
 *         and for other types, with a TypeError raised.
 * Errors: TypeError.   Threads: any.
 */
TVM_FFI_DLL TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny *value);

/* ---- Data types ---- */

/**
 * Parse a data type: `float32`, `int8x4`, `bool`, `float8_e4m3fn`, `bf16`, `float32xvscalex4`,
 * `custom[name]16`. Empty text and `void` give {kDLOpaqueHandle, 0, 0}.
 * @param str [borrow]
 * @param out [out]
 * Errors: ValueError, any (the registered `dtype.get_custom_type_code`).   Threads: any.
 */
TVM_FFI_DLL int TVMFFIDataTypeFromString(const TVMFFIByteArray *str, DLDataType *out);

/**
 * Print a data type.
 * @param dtype [borrow]
 * @param out   [own] Always a heap String. Overwritten without being read.
 * Errors: ValueError (unknown code), any (`dtype.get_custom_type_name`), memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIDataTypeToString(const DLDataType *dtype, TVMFFIAny *out);

/* ---- Errors ----
 * Each thread has one slot. Raising replaces its content; success does not clear it. */

/**
 * Raise an existing error in this thread.
 * @param error [share] An Error; NULL empties the slot.
 * Errors: a TypeError is raised instead of an object that is not an Error.   Threads: any.
 */
TVM_FFI_DLL void TVMFFIErrorSetRaised(TVMFFIObjectHandle error);

/**
 * Take the raised error out of this thread's slot.
 * @param result [own] NULL when nothing was raised.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle *result);

/**
 * Raise a new error. Out of memory raises MemoryError instead, without allocating.
 * @param kind    [borrow] For instance "ValueError"; NULL counts as "".
 * @param message [borrow] NULL counts as "".
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);

/**
 * The same with a message in parts, so that generated code can share common parts.
 * @param kind          [borrow] NULL counts as "".
 * @param message_parts [borrow] num_parts strings; NULL ones are skipped.
 * @param num_parts     [in] Not positive: an empty message, message_parts may then be NULL.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL void TVMFFIErrorSetRaisedFromCStrParts(const char *kind, const char **message_parts,
                                                   int32_t num_parts);

/**
 * Make an error without raising it. Texts are copied.
 * @param kind, message, backtrace [borrow] NULL counts as empty.
 * @param out [own]
 * @return 0, or -1 (memory; the slot is left alone in this one case).
 * Errors: ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIErrorCreate(const TVMFFIByteArray *kind, const TVMFFIByteArray *message,
                                  const TVMFFIByteArray *backtrace, TVMFFIObjectHandle *out);

/**
 * The same with the error that caused it and an object to travel along. Since 0.1.8.
 * @param kind, message, backtrace [borrow] NULL counts as empty.
 * @param cause_chain   [share] An Error, or NULL.
 * @param extra_context [share] Any object, or NULL.
 * @param out           [own]
 * Errors: TypeError (cause_chain is not an Error), ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIErrorCreateWithCauseAndExtraContext(
    const TVMFFIByteArray *kind, const TVMFFIByteArray *message, const TVMFFIByteArray *backtrace,
    TVMFFIObjectHandle cause_chain, TVMFFIObjectHandle extra_context, TVMFFIObjectHandle *out);

/**
 * The text of the current call stack, most recent call first.
 *
 * With filename and func, that line comes first; the stack below it is walked only when backtraces
 * are enabled (TVMFFIRuntimeSetBacktraceEnabled). Without filename and func the stack is always
 * walked. The environment variable TVM_TRACEBACK_LIMIT bounds the number of lines (512 when unset
 * or malformed).
 *
 * @param filename, func     [borrow] May be NULL.
 * @param cross_ffi_boundary [in] 0 stops at the nearest caller in a frontend.
 * @return [lend] Never NULL; valid until the next call in this thread. Empty when out of memory.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL const TVMFFIByteArray *TVMFFIBacktrace(const char *filename, int lineno,
                                                   const char *func, int cross_ffi_boundary);

/* ---- Functions ---- */

/**
 * Make a Function object.
 * @param self      [take on 0] First argument of safe_call. When both self and deleter are NULL,
 *                  safe_call receives the Function object instead.
 * @param safe_call [in]
 * @param deleter   [in] Called once with self when the function dies; may be NULL.
 * @param out       [own]
 * Errors: ValueError, memory; the deleter is not called then.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIFunctionCreate(void *self, TVMFFISafeCallType safe_call,
                                     void (*deleter)(void *self), TVMFFIObjectHandle *out);

/**
 * Call a function. A bare jump to its safe_call: nothing is checked, and the returned code is the
 * callee's own.
 * @param func   [borrow] A Function, not NULL.
 * @param args   [borrow] num_args views.
 * @param result [own] Set it to None before the call.
 * Errors: any.   Threads: any, as far as the function allows.
 */
TVM_FFI_DLL int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny *args, int32_t num_args,
                                   TVMFFIAny *result);

/**
 * Find a global function.
 * @param name [borrow]
 * @param out  [own] NULL (and 0 returned) when there is none of that name.
 * Errors: ValueError, memory.   Threads: any; readers take no lock.
 */
TVM_FFI_DLL int TVMFFIFunctionGetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle *out);

/**
 * Register a global function. If another copy of the runtime in the process registers a function
 * that is built in here, it succeeds without effect.
 * @param name           [borrow] Copied.
 * @param func           [share] A Function.
 * @param allow_override [in] 0 refuses a name that is taken.
 * Errors: RuntimeError (taken), TypeError (NULL or not a Function), ValueError, memory.
 * Threads: any.
 */
TVM_FFI_DLL int TVMFFIFunctionSetGlobal(const TVMFFIByteArray *name, TVMFFIObjectHandle func,
                                        int allow_override);

/**
 * The same with metadata.
 * @param method_info [borrow] Name and metadata are copied; its method must hold a Function. doc is
 *                    not kept, since nothing reads it.
 * Errors: as TVMFFIFunctionSetGlobal.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIFunctionSetGlobalFromMethodInfo(const TVMFFIMethodInfo *method_info,
                                                      int allow_override);

/* ---- Types and reflection ----
 * Readers take no lock; registrations may come from any thread. Records and columns never move;
 * arrays of fields and methods may be replaced, and the old ones stay readable. */

/**
 * Register a type, or find its index when the key is known.
 *
 * @param type_key          [borrow] Copied.
 * @param static_type_index [in] The index to take, or negative for the next free one.
 * @param type_depth        [in] The parent's depth + 1; 0 for a root.
 * @param num_child_slots   [in] How many following indices to reserve for descendants.
 * @param child_slots_can_overflow [in] 0 limits descendants to those slots.
 * @param parent_type_index [in] The parent; -2 only looks up the key, and gives -2 if unknown.
 * @return The index, or -1 with the error raised (-2 in the case above).
 * Errors: InternalError, memory. A known key under another parent or depth is refused.
 * Threads: any.
 */
TVM_FFI_DLL int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray *type_key,
                                              int32_t static_type_index, int32_t type_depth,
                                              int32_t num_child_slots,
                                              int32_t child_slots_can_overflow,
                                              int32_t parent_type_index);

/**
 * Find the index of a registered type.
 * @param type_key        [borrow]
 * @param out_type_index  [out]
 * Errors: InternalError (unknown), ValueError.   Threads: any.
 */
TVM_FFI_DLL int TVMFFITypeKeyToIndex(const TVMFFIByteArray *type_key, int32_t *out_type_index);

/**
 * The record of a registered type.
 * @return [lend] For ever; NULL with an InternalError raised when the index is unknown.
 * Errors: InternalError.   Threads: any.
 */
TVM_FFI_DLL const TVMFFITypeInfo *TVMFFIGetTypeInfo(int32_t type_index);

/**
 * Add a field to a type. If another copy of the runtime describes a type that is built in here, it
 * succeeds without effect; likewise for methods and the description below.
 * @param info [borrow] Copied with its texts; a default value and a Function setter are [share].
 * Errors: InternalError (unknown type, duplicate name), ValueError (also if the field is not within
 * the objects of the type or of a derived type whose size is known), TypeError (a setter or factory
 * that is not a Function), memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFITypeRegisterField(int32_t type_index, const TVMFFIFieldInfo *info);

/**
 * Add a method to a type. A second one of the same name is kept in addition to the first.
 * @param info [borrow] Copied with its texts; the method is [share].
 * Errors: TypeError (not a Function), and as for fields.   Threads: any.
 */
TVM_FFI_DLL int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo *info);

/**
 * Describe a type, once. Its objects must hold those of its ancestors, and the fields registered.
 * @param metadata [borrow] Copied with its text.
 * Errors: RuntimeError (described before), and as for fields.   Threads: any.
 */
TVM_FFI_DLL int TVMFFITypeRegisterMetadata(int32_t type_index, const TVMFFITypeMetadata *metadata);

/**
 * Set an attribute of a type.
 * @param type_index [in] Not negative; 0 (None) only makes sure that the column exists.
 * @param attr_name  [borrow] Copied.
 * @param attr_value [share] A view. An equal value may be set again; a built-in value is kept
 *                   silently.
 * Errors: RuntimeError (there is a different value), ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray *attr_name,
                                       const TVMFFIAny *attr_value);

/**
 * The column of an attribute.
 * @param attr_name [borrow]
 * @return [lend] For ever, updated in place; NULL, with nothing raised, when there is none.
 * Errors: none.   Threads: any.
 */
TVM_FFI_DLL const TVMFFITypeAttrColumn *TVMFFIGetTypeAttrColumn(const TVMFFIByteArray *attr_name);

/* ---- Initialising once ---- */

/**
 * Make sure that *handle_addr is initialised, by one thread; the others wait. Since 0.1.5.
 * Initialisers may initialise other handles. Asking for the same handle from within its own
 * initialiser, or threads that wait for each other, is an error instead of a deadlock. Before an
 * initialiser runs, this thread's error slot is emptied.
 *
 * @param handle_addr [borrow] NULL inside means not initialised.
 * @param init_func   [in] Stores a non-NULL handle and returns 0; any other code is passed on and
 *                    leaves the handle NULL, so that a later call tries again.
 * Errors: RuntimeError, ValueError, any.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIHandleInitOnce(void **handle_addr, int (*init_func)(void **result));

/**
 * Set *handle_addr to NULL and pass the old handle to deinit_func. Since 0.1.5.
 * @param handle_addr [borrow]
 * @param deinit_func [in] Not called when the handle is NULL.
 * @return 0, or the code of deinit_func.   Errors: ValueError, any.   Threads: any.
 */
TVM_FFI_DLL int TVMFFIHandleDeinitOnce(void **handle_addr, int (*deinit_func)(void *handle));

/* ---- Tensors ----
 * The body of a Tensor is a DLTensor; its strides are never NULL unless ndim is 0. */

/**
 * Wrap a DLPack tensor as a Tensor object without copying its data.
 *
 * @param from               [take on 0] Its deleter, if any, runs once when the new object dies;
 *                           after a failure it is still yours.
 * @param require_alignment  [in] Bytes that data + byte_offset must be a multiple of; 0: no check.
 * @param require_contiguous [in] Non-zero refuses strided data.
 * @param out                [own]
 * Errors: RuntimeError (alignment, contiguity), ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFITensorFromDLPack(DLManagedTensor *from, int32_t require_alignment,
                                       int32_t require_contiguous, TVMFFIObjectHandle *out);

/**
 * The same for the versioned struct. A read-only flag is kept for the tensor and its views.
 * @param from [take on 0]
 * @param out  [own]
 * Errors: also RuntimeError for a major version other than 1 and for padded sub-byte types.
 * Threads: any.
 */
TVM_FFI_DLL int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned *from,
                                                int32_t require_alignment,
                                                int32_t require_contiguous,
                                                TVMFFIObjectHandle *out);

/**
 * Export a Tensor as a DLPack tensor that shares its data. data and byte_offset are as the Tensor
 * was made with: a consumer adds the offset.
 *
 * This struct has no flags, so a consumer cannot see that a tensor is read-only. It is exported
 * nevertheless, as in the reference, because many consumers support only this struct and most of
 * them only read; others use the versioned struct. When this export is imported again, it has the
 * flag as before.
 * @param from [share] A Tensor; held until the deleter of *out runs.
 * @param out  [own] Released by calling (*out)->deleter(*out), from any thread.
 * Errors: TypeError (not a Tensor), ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFITensorToDLPack(TVMFFIObjectHandle from, DLManagedTensor **out);

/**
 * The same for the versioned struct, which has flags. DLPACK_FLAG_BITMASK_READ_ONLY is kept from
 * the tensor's source; IS_COPIED is not, since it promises sole ownership to the consumer.
 * @param from [share] A Tensor; held until the deleter of *out runs.
 * @param out  [own] Released by calling (*out)->deleter(*out), from any thread.
 * Errors: TypeError (not a Tensor), ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle from,
                                              DLManagedTensorVersioned **out);

/**
 * Make a Tensor of memory that another object keeps alive. Since 0.1.6. "Unsafe": nothing checks
 * that the prototype lies within the source.
 *
 * @param source    [share] Any object.
 * @param prototype [borrow] Copied with its shape and strides; strides may be NULL if ndim is 0.
 * @param out       [own]
 * Errors: InternalError (strides missing), ValueError, memory.   Threads: any.
 */
TVM_FFI_DLL int TVMFFITensorCreateUnsafeView(TVMFFIObjectHandle source, const DLTensor *prototype,
                                             TVMFFIObjectHandle *out);

#ifdef __cplusplus
} /* extern "C" */
#endif

/* ---- Reading objects ----
 * The body of an object directly follows its header.
 * @param obj, value [borrow] Not NULL, and of that type: nothing is checked.
 * @return [lend] Valid as long as the object.   Errors: none.   Threads: any. */

/** The body of an object. */
static inline void *TVMFFIObjectGetBodyPtr(TVMFFIObjectHandle obj) {
  return (void *)((char *)obj + sizeof(TVMFFIObject));
}

static inline int32_t TVMFFIObjectGetTypeIndex(TVMFFIObjectHandle obj) {
  return ((const TVMFFIObject *)obj)->type_index;
}

/** The bytes of a small string or of small bytes; they are stored in *value itself. */
static inline TVMFFIByteArray TVMFFISmallBytesGetContentByteArray(const TVMFFIAny *value) {
  TVMFFIByteArray bytes;
  bytes.data = value->v_bytes;
  bytes.size = value->small_str_len;
  return bytes;
}

/** The content of a String or Bytes object. */
static inline TVMFFIByteArray *TVMFFIBytesGetByteArrayPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIByteArray *)(void *)((TVMFFIObject *)obj + 1);
}

static inline TVMFFIErrorCell *TVMFFIErrorGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIErrorCell *)TVMFFIObjectGetBodyPtr(obj);
}

static inline TVMFFIFunctionCell *TVMFFIFunctionGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIFunctionCell *)TVMFFIObjectGetBodyPtr(obj);
}

static inline TVMFFIOpaqueObjectCell *TVMFFIOpaqueObjectGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIOpaqueObjectCell *)TVMFFIObjectGetBodyPtr(obj);
}

static inline TVMFFIShapeCell *TVMFFIShapeGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIShapeCell *)TVMFFIObjectGetBodyPtr(obj);
}

/** The elements of an Array or List. */
static inline TVMFFISeqCell *TVMFFISeqGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFISeqCell *)TVMFFIObjectGetBodyPtr(obj);
}

static inline DLTensor *TVMFFITensorGetDLTensorPtr(TVMFFIObjectHandle obj) {
  return (DLTensor *)(void *)((TVMFFIObject *)obj + 1);
}

static inline DLDevice TVMFFIDLDeviceFromIntPair(int32_t device_type, int32_t device_id) {
  DLDevice device;
  device.device_type = (DLDeviceType)device_type;
  device.device_id = device_id;
  return device;
}

#endif /* TVM_FFI_C_API_H_ */
