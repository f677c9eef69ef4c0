/* SPDX-License-Identifier: Apache-2.0 */
/* A module of PostgreSQL. An SQL function that is declared AS 'tvmffi', 'tvmffi_call' calls the
 * kernel of its own name in the library tvmffi.library.
 *
 * ereport(ERROR) is a longjmp, and most functions of PostgreSQL may do it. It must not jump over
 * frames of a kernel, so nothing that a kernel calls uses them; and around the call of a kernel
 * errors are reported when the values of C are released. */
#include <postgres.h> /* before the others */

#include <catalog/pg_type.h>
#include <fmgr.h>
#include <miscadmin.h>
#include <tvm/ffi/c.h>
#include <tvm/ffi/c/host.h>
#include <utils/array.h>
#include <utils/guc.h>
#include <utils/lsyscache.h>
#include <utils/memutils.h>

PG_MODULE_MAGIC;

static char *library; /* the setting tvmffi.library */

/* ---- Errors ---- */

static int find_sqlstate(TVMFFIObjectHandle error) {
  static const struct {
    const char *kind;
    int sqlstate;
  } rows[] = {
      {"ValueError", ERRCODE_INVALID_PARAMETER_VALUE},
      {"TypeError", ERRCODE_DATATYPE_MISMATCH},
      {"IndexError", ERRCODE_ARRAY_SUBSCRIPT_ERROR},
      {"MemoryError", ERRCODE_OUT_OF_MEMORY},
      {"NotImplementedError", ERRCODE_FEATURE_NOT_SUPPORTED},
      {"AttributeError", ERRCODE_UNDEFINED_FUNCTION},
      {"EnvErrorAlreadySet", ERRCODE_QUERY_CANCELED},
  };
  size_t i;
  for (i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    if (tvm_ffi_error_is(error, rows[i].kind)) return rows[i].sqlstate;
  }
  return ERRCODE_EXTERNAL_ROUTINE_EXCEPTION;
}

/* Reports the error of this thread. Does not return. */
static void report(void) {
  char text[1024];
  TVMFFIObjectHandle error = tvm_ffi_error_take();
  const int sqlstate = find_sqlstate(error);
  tvm_ffi_error_format(error, text, sizeof text);
  tvm_ffi_object_release(error);
  CHECK_FOR_INTERRUPTS(); /* reports what has interrupted the kernel in its own words */
  ereport(ERROR, (errcode(sqlstate), errmsg("%s", text)));
}

/* ---- Interrupts ---- */

/* What a long kernel asks now and then. It only looks: CHECK_FOR_INTERRUPTS jumps. */
static int is_interrupted(void *context) {
  (void)context;
  return InterruptPending && (QueryCancelPending || ProcDiePending);
}

void _PG_init(void);
void _PG_init(void) {
  DefineCustomStringVariable("tvmffi.library", "The library of kernels.", NULL, &library, "",
                             PGC_SUSET, 0, NULL, NULL, NULL);
  if (tvm_ffi_env_set_interrupt_check(is_interrupted, NULL) != 0) report();
}

/* ---- Calls ---- */

/* The kernel of a call in a query, and the types of its values; in the memory of the query. */
typedef struct {
  TVMFFIObjectHandle kernel;
  Oid result, args[FUNC_MAX_ARGS];
} call_info;

static void release_kernel(void *info) {
  tvm_ffi_object_release(((call_info *)info)->kernel);
}

static call_info *create_info(FmgrInfo *function) {
  const char *name = get_func_name(function->fn_oid);
  call_info *info = MemoryContextAllocZero(function->fn_mcxt, sizeof *info);
  MemoryContextCallback *callback = MemoryContextAlloc(function->fn_mcxt, sizeof *callback);
  Oid *types;
  int i, count;
  info->result = get_func_signature(function->fn_oid, &types, &count);
  for (i = 0; i < count; ++i) info->args[i] = types[i];
  if (info->result != FLOAT4ARRAYOID && info->result != FLOAT8OID) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                    errmsg("results are real[] or double precision")));
  }
  if (tvm_ffi_module_load_function(library, name, &info->kernel) != 0) report();
  callback->func = release_kernel;
  callback->arg = info;
  MemoryContextRegisterResetCallback(function->fn_mcxt, callback);
  function->fn_extra = info;
  return info;
}

typedef struct {
  DLTensor tensor;
  int64_t shape[MAXDIM], strides[MAXDIM];
} array_view;

/* A tensor over the elements of an array. */
static void view_array(ArrayType *array, array_view *out) {
  int i;
  if (ARR_HASNULL(array)) {
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("an element is null")));
  }
  for (i = 0; i < ARR_NDIM(array); ++i) out->shape[i] = ARR_DIMS(array)[i];
  if (ARR_NDIM(array) == 0) out->shape[0] = 0; /* how PostgreSQL says that there is none */
  tvm_ffi_tensor_init(&out->tensor, ARR_DATA_PTR(array), tvm_ffi_device_make(kDLCPU, 0),
                      TVM_FFI_C_FLOAT32, ARR_NDIM(array) == 0 ? 1 : ARR_NDIM(array), out->shape,
                      out->strides);
}

PG_FUNCTION_INFO_V1(tvmffi_call);
Datum tvmffi_call(PG_FUNCTION_ARGS) {
  call_info *info = (call_info *)fcinfo->flinfo->fn_extra;
  array_view views[FUNC_MAX_ARGS + 1];
  TVMFFIAny args[FUNC_MAX_ARGS + 1], result;
  ArrayType *out = NULL;
  double number = 0;
  int i, first = 0, code;
  if (info == NULL) info = create_info(fcinfo->flinfo);
  if (info->result == FLOAT4ARRAYOID) first = 1; /* the kernel writes into its first argument */

  for (i = 0; i < PG_NARGS(); ++i) {
    TVMFFIAny *arg = &args[first + i];
    if (PG_ARGISNULL(i)) { /* only of a function that is not STRICT */
      ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                      errmsg("argument %d is null; declare the function STRICT", i + 1)));
    }
    if (info->args[i] == FLOAT4ARRAYOID) {
      /* A copy, for the kernel might write, and the original may be in a page of the table. */
      ArrayType *array = PG_GETARG_ARRAYTYPE_P_COPY(i);
      view_array(array, &views[first + i]);
      *arg = tvm_ffi_any_view_tensor(&views[first + i].tensor);
      if (first == 1 && out == NULL) { /* as large as the first array */
        out = (ArrayType *)palloc0(VARSIZE(array));
        memcpy(out, array, (size_t)(ARR_DATA_PTR(array) - (char *)array));
        view_array(out, &views[0]);
      }
    } else if (info->args[i] == FLOAT8OID) {
      *arg = tvm_ffi_any_from_double(PG_GETARG_FLOAT8(i));
    } else if (info->args[i] == INT8OID) {
      *arg = tvm_ffi_any_from_int64(PG_GETARG_INT64(i));
    } else {
      ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                      errmsg("arguments are real[], double precision or bigint")));
    }
  }
  if (first == 1 && out == NULL) {
    ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("no array has the size")));
  }
  if (first == 1) args[0] = tvm_ffi_any_view_tensor(&views[0].tensor);

  /* A kernel that leaves another rounding mode behind would change later sums. */
  code = tvm_ffi_float_state_call(info->kernel, args, first + PG_NARGS(), &result);
  if (code == 0 && first == 0) code = tvm_ffi_any_read_double(&result, &number);
  tvm_ffi_any_clear(&result);
  if (code != 0) report();
  if (first == 1) PG_RETURN_ARRAYTYPE_P(out);
  PG_RETURN_FLOAT8(number);
}
