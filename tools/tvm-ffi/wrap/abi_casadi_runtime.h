/* SPDX-License-Identifier: 0BSD */
/* Copied into kernels that tvm-ffi wrap --abi=casadi writes. */

/* What CasADi writes for a function `f`: f, f_n_in, f_name_in and so on. */
typedef struct {
  const char *name;
  int (*evaluate)(const wrap_casadi_real **arg, wrap_casadi_real **res, wrap_casadi_int *iw,
                  wrap_casadi_real *w, int mem);
  wrap_casadi_int (*n_in)(void), (*n_out)(void);
  const char *(*name_in)(wrap_casadi_int i), *(*name_out)(wrap_casadi_int i);
  const wrap_casadi_int *(*sparsity_in)(wrap_casadi_int i), *(*sparsity_out)(wrap_casadi_int i);
  int (*work)(wrap_casadi_int *sz_arg, wrap_casadi_int *sz_res, wrap_casadi_int *sz_iw,
              wrap_casadi_int *sz_w);
  int (*checkout)(void);
  void (*release)(int mem);
} wrap_casadi_function;

/* An input or an output: a tensor, or a number. */
typedef struct {
  const char *name;
  int32_t arg;      /* of the kernel; -1: a result */
  DLTensor *tensor; /* NULL: a number */
  wrap_casadi_real value;
  /* Set by the call: */
  const wrap_casadi_int *sparsity; /* the elements that CasADi stores */
  wrap_casadi_real *data;          /* of the tensor */
  int64_t row_step, column_step;
  wrap_casadi_real *stored; /* what CasADi reads or writes: the data, or a copy */
} wrap_casadi_matrix;

/* A tensor must have the shape of the matrix; a vector may have one dimension. */
static int wrap_casadi_check_shape(const tvm_ffi_args *args, const wrap_casadi_function *function,
                                   const wrap_casadi_matrix *matrix) {
  const DLTensor *tensor = matrix->tensor;
  const int32_t ndim = tensor != NULL ? tensor->ndim : 0;
  const long long rows = matrix->sparsity[0], columns = matrix->sparsity[1];
  char shape[128];
  if (ndim == 2 && tensor->shape[0] == rows && tensor->shape[1] == columns) return 0;
  if (ndim == 1 && tensor->shape[0] == rows * columns && (rows == 1 || columns == 1)) return 0;
  if (ndim == 0 && rows == 1 && columns == 1) return 0;
  tvm_ffi_shape_print(tensor != NULL ? tensor->shape : NULL, ndim, shape, sizeof shape);
  if (matrix->arg < 0) {
    return tvm_ffi_error_raise(TVM_FFI_C_VALUE_ERROR,
                               "`%s` of `%s` must be a matrix of %lldx%lld, but has shape %s",
                               matrix->name, function->name, rows, columns, shape);
  }
  return tvm_ffi_args_raise(args, matrix->arg, TVM_FFI_C_VALUE_ERROR,
                            "must be a matrix of %lldx%lld, but has shape %s", rows, columns,
                            shape);
}

/* Finds the elements in the tensor. */
static int wrap_casadi_locate(wrap_casadi_matrix *matrix) {
  const DLTensor *tensor = matrix->tensor;
  matrix->data = tensor != NULL ? tvm_ffi_tensor_get_data(tensor) : &matrix->value;
  if (tensor == NULL || tensor->ndim == 0) return 0;
  TVM_FFI_C_TRY(tvm_ffi_tensor_read_stride(tensor, 0, &matrix->row_step));
  return tvm_ffi_tensor_read_stride(tensor, tensor->ndim - 1, &matrix->column_step);
}

/* A sparsity has the numbers of rows and columns, then 1 if all elements are stored. If not, there
 * follow the start of each column, the number of stored elements, and the row of each. */
static wrap_casadi_int wrap_casadi_count(const wrap_casadi_int *sparsity) {
  return sparsity[2] == 1 ? sparsity[0] * sparsity[1] : sparsity[2 + sparsity[1]];
}

/* Whether the tensor has the elements as CasADi stores them: all, column by column. */
static bool wrap_casadi_is_stored(const wrap_casadi_matrix *matrix) {
  const wrap_casadi_int rows = matrix->sparsity[0], columns = matrix->sparsity[1];
  return wrap_casadi_count(matrix->sparsity) == rows * columns &&
         (rows <= 1 || matrix->row_step == 1) && (columns <= 1 || matrix->column_step == rows);
}

/* Copies the stored elements from the tensor, or to it; the others are 0. */
static void wrap_casadi_copy(const wrap_casadi_matrix *matrix, bool is_output) {
  const wrap_casadi_int rows = matrix->sparsity[0], columns = matrix->sparsity[1];
  const bool is_dense = matrix->sparsity[2] == 1;
  const wrap_casadi_int *starts = matrix->sparsity + 2, *row_of = starts + columns + 1;
  wrap_casadi_int row, column, k = 0;
  for (column = 0; column < columns; ++column) {
    wrap_casadi_real *element = matrix->data + column * matrix->column_step;
    for (row = 0; row < rows; ++row, element += matrix->row_step) {
      const bool is_stored = is_dense || (k < starts[column + 1] && row_of[k] == row);
      if (is_output) {
        *element = is_stored ? matrix->stored[k] : 0;
      } else if (is_stored) {
        matrix->stored[k] = *element;
      }
      if (is_stored) ++k;
    }
  }
}

/* Compares numbers of arguments: the kernel may have been made for another function. */
static int wrap_casadi_check_count(const wrap_casadi_function *function, const char *kind,
                                   wrap_casadi_int count, wrap_casadi_int expected) {
  if (count == expected) return 0;
  return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR, "`%s` has %lld %ss, but its kernel has %lld",
                             function->name, (long long)expected, kind, (long long)count);
}

static int wrap_casadi_check_name(const wrap_casadi_function *function, const char *kind,
                                  wrap_casadi_int i, const char *name, const char *expected) {
  if (strcmp(name, expected) == 0) return 0;
  return tvm_ffi_error_raise(TVM_FFI_C_TYPE_ERROR,
                             "%s %lld of `%s` is named `%s`, but `%s` in its kernel", kind,
                             (long long)i, function->name, expected, name);
}

/* Checks the inputs, and the outputs behind them. */
static int wrap_casadi_check(const tvm_ffi_args *args, const wrap_casadi_function *function,
                             wrap_casadi_matrix *matrices, wrap_casadi_int num_in,
                             wrap_casadi_int num_out) {
  wrap_casadi_int i;
  TVM_FFI_C_TRY(wrap_casadi_check_count(function, "input", num_in, function->n_in()));
  TVM_FFI_C_TRY(wrap_casadi_check_count(function, "output", num_out, function->n_out()));
  for (i = 0; i < num_in + num_out; ++i) {
    wrap_casadi_matrix *matrix = &matrices[i];
    if (i < num_in) {
      TVM_FFI_C_TRY(
          wrap_casadi_check_name(function, "Input", i, matrix->name, function->name_in(i)));
      matrix->sparsity = function->sparsity_in(i);
    } else {
      TVM_FFI_C_TRY(wrap_casadi_check_name(function, "Output", i - num_in, matrix->name,
                                           function->name_out(i - num_in)));
      matrix->sparsity = function->sparsity_out(i - num_in);
    }
    TVM_FFI_C_TRY(wrap_casadi_check_shape(args, function, matrix));
    TVM_FFI_C_TRY(wrap_casadi_locate(matrix));
  }
  return 0;
}

/* The arrays that a call works in. */
typedef struct {
  const wrap_casadi_real **arg;
  wrap_casadi_real **res, *w, *copies;
  wrap_casadi_int *iw;
  wrap_casadi_int num_args, num_results, num_reals, num_copied, num_integers;
} wrap_casadi_memory;

/* Adds an array to a size, and returns its address in `bytes`; NULL if that is NULL. */
static void *wrap_casadi_place(unsigned char *bytes, size_t *size, wrap_casadi_int count,
                               size_t item_size) {
  void *place = bytes != NULL ? bytes + *size : NULL;
  *size += ((size_t)count * item_size + 7) / 8 * 8;
  return place;
}

/* Places the arrays in `bytes`, which may be NULL, and returns how many bytes are needed. */
static size_t wrap_casadi_divide(wrap_casadi_memory *memory, unsigned char *bytes) {
  size_t size = 0;
  memory->arg = wrap_casadi_place(bytes, &size, memory->num_args, sizeof *memory->arg);
  memory->res = wrap_casadi_place(bytes, &size, memory->num_results, sizeof *memory->res);
  memory->w = wrap_casadi_place(bytes, &size, memory->num_reals, sizeof *memory->w);
  memory->copies = wrap_casadi_place(bytes, &size, memory->num_copied, sizeof *memory->copies);
  memory->iw = wrap_casadi_place(bytes, &size, memory->num_integers, sizeof *memory->iw);
  return size;
}

static int wrap_casadi_evaluate(const wrap_casadi_function *function,
                                const wrap_casadi_memory *memory) {
  const int mem = function->checkout(); /* of a solver */
  int code;
  if (mem < 0) {
    return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR,
                               "`%s` failed: expected its checkout to return a memory but got %d",
                               function->name, mem);
  }
  code = function->evaluate(memory->arg, memory->res, memory->iw, memory->w, mem);
  function->release(mem);
  if (code == 0) return 0;
  return tvm_ffi_error_raise(TVM_FFI_C_RUNTIME_ERROR,
                             "`%s` failed: expected it to return 0 but got %d", function->name,
                             code);
}

/* Calls the function with the inputs and the outputs behind them. Matrices that a tensor does not
 * have as CasADi stores them are copied. */
static int wrap_casadi_call(const tvm_ffi_args *args, const wrap_casadi_function *function,
                            wrap_casadi_matrix *matrices, wrap_casadi_int num_in,
                            wrap_casadi_int num_out) {
  union {
    void *pointer;
    wrap_casadi_real real;
    wrap_casadi_int integer;
    unsigned char bytes[4096];
  } small; /* most functions need no more */
  wrap_casadi_memory memory = {.num_copied = 0};
  unsigned char *bytes = small.bytes;
  wrap_casadi_real *copy;
  wrap_casadi_int i;
  size_t size;
  int code;
  TVM_FFI_C_TRY(wrap_casadi_check(args, function, matrices, num_in, num_out));
  function->work(&memory.num_args, &memory.num_results, &memory.num_integers, &memory.num_reals);
  for (i = 0; i < num_in + num_out; ++i) {
    if (wrap_casadi_is_stored(&matrices[i])) continue;
    memory.num_copied += wrap_casadi_count(matrices[i].sparsity);
  }
  size = wrap_casadi_divide(&memory, NULL);
  if (size > sizeof small) bytes = malloc(size);
  if (bytes == NULL) return tvm_ffi_error_raise_memory();
  wrap_casadi_divide(&memory, bytes);
  copy = memory.copies;
  for (i = 0; i < num_in + num_out; ++i) {
    wrap_casadi_matrix *matrix = &matrices[i];
    matrix->stored = wrap_casadi_is_stored(matrix) ? matrix->data : copy;
    if (matrix->stored == copy) copy += wrap_casadi_count(matrix->sparsity);
    if (i >= num_in) {
      memory.res[i - num_in] = matrix->stored;
    } else {
      if (matrix->stored != matrix->data) wrap_casadi_copy(matrix, false);
      memory.arg[i] = matrix->stored;
    }
  }
  code = wrap_casadi_evaluate(function, &memory);
  for (i = num_in; code == 0 && i < num_in + num_out; ++i) {
    if (matrices[i].stored != matrices[i].data) wrap_casadi_copy(&matrices[i], true);
  }
  if (bytes != small.bytes) free(bytes);
  return code;
}
