/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for the page, written as for any other host. Pictures are uint8 tensors of height, width
 * and 4 (red, green, blue, opacity), which is how a canvas stores them. */
#include <math.h>
#include <tvm/ffi/c.h>

#define TENSOR(name) TVM_FFI_C_PARAM(name, "DLTensor*")
#define FLOAT(name) TVM_FFI_C_PARAM(name, "float")
#define INT(name) TVM_FFI_C_PARAM(name, "int")
#define NOTHING TVM_FFI_C_TYPE("None")

/* ---- Reading arguments ---- */

static int read_array(const tvm_ffi_args *args, int32_t i, int32_t ndim, DLTensor **tensor) {
  TVM_FFI_C_TRY(tvm_ffi_args_read_tensor(args, i, tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_device(args, i, kDLCPU));
  TVM_FFI_C_TRY(tvm_ffi_args_check_ndim(args, i, ndim));
  return tvm_ffi_args_check_contiguous(args, i);
}

typedef struct {
  uint8_t *pixels;
  int64_t height, width;
} picture;

static int read_picture(const tvm_ffi_args *args, int32_t i, picture *out) {
  DLTensor *tensor;
  TVM_FFI_C_TRY(read_array(args, i, 3, &tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, i, TVM_FFI_C_UINT8));
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, i, 2, 4));
  out->pixels = (uint8_t *)tvm_ffi_tensor_get_data(tensor);
  out->height = tensor->shape[0];
  out->width = tensor->shape[1];
  return 0;
}

static uint8_t to_byte(float value) {
  if (!(value > 0.0f)) return 0;
  return value < 255.0f ? (uint8_t)(value + 0.5f) : 255;
}

/* ---- convolve ---- */

static int64_t clamp(int64_t i, int64_t length) {
  if (i < 0) return 0;
  return i < length ? i : length - 1;
}

static void convolve_pixel(const picture *in, const float *weights, int64_t size, int64_t y,
                           int64_t x, uint8_t *out) {
  float sum[3] = {0, 0, 0};
  int64_t i, j;
  int channel;
  for (i = 0; i < size; ++i) {
    const uint8_t *row = in->pixels + 4 * in->width * clamp(y + i - size / 2, in->height);
    for (j = 0; j < size; ++j) {
      const uint8_t *pixel = row + 4 * clamp(x + j - size / 2, in->width);
      for (channel = 0; channel < 3; ++channel) {
        sum[channel] += weights[i * size + j] * (float)pixel[channel];
      }
    }
  }
  for (channel = 0; channel < 3; ++channel) out[channel] = to_byte(sum[channel]);
  out[3] = in->pixels[4 * (y * in->width + x) + 3];
}

TVM_FFI_C_EXPORT(convolve, "(0: DLTensor*, 1: DLTensor*, 2: DLTensor*) -> void") {
  picture in, out;
  DLTensor *weights;
  int64_t size, y, x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(read_picture(args, 0, &in));
  TVM_FFI_C_TRY(read_array(args, 1, 2, &weights));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 1, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(read_picture(args, 2, &out));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_shape(args, 2, 0));
  size = weights->shape[0];
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 1, 1, size));
  if (size % 2 == 0) {
    return tvm_ffi_args_raise(args, 1, TVM_FFI_C_VALUE_ERROR,
                              "must have an odd number of rows, but has %d", (int)size);
  }
  for (y = 0; y < in.height; ++y) {
    for (x = 0; x < in.width; ++x) {
      convolve_pixel(&in, (const float *)tvm_ffi_tensor_get_data(weights), size, y, x,
                     out.pixels + 4 * (y * out.width + x));
    }
  }
  return 0;
}

TVM_FFI_C_EXPORT_DOC(convolve, "Replace each pixel by a weighted sum of its neighbours.");
TVM_FFI_C_EXPORT_SCHEMA(convolve, NOTHING, TENSOR("image") "," TENSOR("weights") "," TENSOR("out"));

/* ---- mandelbrot ---- */

/* How many steps a point takes to leave the circle of radius 16; with a fraction, so that colours
 * have no bands. `limit` for a point that stays. */
static double count_steps(double x0, double y0, int32_t limit) {
  double x = 0, y = 0;
  int32_t step;
  for (step = 0; step < limit; ++step) {
    double xx = x * x, yy = y * y;
    if (xx + yy > 256.0) return step + 1 - log2(log2(xx + yy) / 8);
    y = 2 * x * y + y0;
    x = xx - yy + x0;
  }
  return limit;
}

static void color_pixel(double steps, int32_t limit, uint8_t *out) {
  static const double phases[3] = {4.2, 4.8, 5.5};
  int channel;
  for (channel = 0; channel < 3; ++channel) {
    double wave = 127.5 * (1 + sin(phases[channel] + 0.16 * steps));
    out[channel] = steps < limit ? to_byte((float)wave) : 0;
  }
  out[3] = 255;
}

TVM_FFI_C_EXPORT(mandelbrot, "(0: DLTensor*, 1: float, 2: float, 3: float, 4: int) -> void") {
  picture out;
  double center_x, center_y, width, pixel;
  int64_t limit, y, x;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 5));
  TVM_FFI_C_TRY(read_picture(args, 0, &out));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &center_x));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 2, &center_y));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 3, &width));
  TVM_FFI_C_TRY(tvm_ffi_args_read_int64_between(args, 4, 1, 100000, &limit));
  if (!(width > 0)) {
    return tvm_ffi_args_raise(args, 3, TVM_FFI_C_VALUE_ERROR, "must be positive, but is %g", width);
  }
  pixel = width / (double)out.width;
  for (y = 0; y < out.height; ++y) {
    for (x = 0; x < out.width; ++x) {
      double steps =
          count_steps(center_x + pixel * ((double)x - (double)out.width / 2),
                      center_y - pixel * ((double)y - (double)out.height / 2), (int32_t)limit);
      color_pixel(steps, (int32_t)limit, out.pixels + 4 * (y * out.width + x));
    }
  }
  return 0;
}

TVM_FFI_C_EXPORT_DOC(mandelbrot, "Draw a part of the Mandelbrot set.");
TVM_FFI_C_EXPORT_SCHEMA(
    mandelbrot, NOTHING,
    TENSOR("out") "," FLOAT("x") "," FLOAT("y") "," FLOAT("width") "," INT("steps"));

/* ---- matmul ---- */

#define MULTIPLY(type)                                                           \
  for (i = 0; i < n; ++i) {                                                      \
    for (j = 0; j < m; ++j) {                                                    \
      const type *a_row = (const type *)tvm_ffi_tensor_get_data(a) + i * length; \
      const type *b_column = (const type *)tvm_ffi_tensor_get_data(b) + j;       \
      type sum = 0;                                                              \
      for (k = 0; k < length; ++k) sum += a_row[k] * b_column[k * m];            \
      ((type *)tvm_ffi_tensor_get_data(out))[i * m + j] = sum;                   \
    }                                                                            \
  }

TVM_FFI_C_EXPORT(matmul, "(0: DLTensor*, 1: DLTensor*, 2: DLTensor*) -> void") {
  DLTensor *a, *b, *out;
  int64_t n, m, length, i, j, k, shape[2];
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(read_array(args, 0, 2, &a));
  TVM_FFI_C_TRY(read_array(args, 1, 2, &b));
  TVM_FFI_C_TRY(read_array(args, 2, 2, &out));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_dtype(args, 1, 0));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same_dtype(args, 2, 0));
  n = a->shape[0];
  length = a->shape[1];
  m = b->shape[1];
  TVM_FFI_C_TRY(tvm_ffi_args_check_size(args, 1, 0, length));
  shape[0] = n;
  shape[1] = m;
  TVM_FFI_C_TRY(tvm_ffi_args_check_shape(args, 2, 2, shape));
  TVM_FFI_C_ARGS_DISPATCH(args, 0, TVM_FFI_C_CASES_FLOAT, MULTIPLY);
  return 0;
}

TVM_FFI_C_EXPORT_DOC(matmul, "Multiply two matrices.");
TVM_FFI_C_EXPORT_SCHEMA(matmul, NOTHING, TENSOR("a") "," TENSOR("b") "," TENSOR("out"));

/* ---- softmax ---- */

TVM_FFI_C_EXPORT(softmax, "(0: DLTensor*, 1: float, 2: DLTensor*) -> float") {
  DLTensor *x_tensor, *out_tensor;
  const float *x;
  float *out;
  double temperature, greatest, sum = 0;
  int64_t i, n;
  TVM_FFI_C_TRY(tvm_ffi_args_check_count(args, 3));
  TVM_FFI_C_TRY(read_array(args, 0, 1, &x_tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_dtype(args, 0, TVM_FFI_C_FLOAT32));
  TVM_FFI_C_TRY(tvm_ffi_args_read_double(args, 1, &temperature));
  TVM_FFI_C_TRY(read_array(args, 2, 1, &out_tensor));
  TVM_FFI_C_TRY(tvm_ffi_args_check_same(args, 2, 0));
  if (!(temperature > 0)) {
    return tvm_ffi_args_raise(args, 1, TVM_FFI_C_VALUE_ERROR, "must be positive, but is %g",
                              temperature);
  }
  n = x_tensor->shape[0];
  if (n == 0) return tvm_ffi_args_raise(args, 0, TVM_FFI_C_VALUE_ERROR, "has no elements");
  x = (const float *)tvm_ffi_tensor_get_data(x_tensor);
  out = (float *)tvm_ffi_tensor_get_data(out_tensor);
  greatest = (double)x[0];
  for (i = 1; i < n; ++i) greatest = fmax(greatest, (double)x[i]);
  for (i = 0; i < n; ++i) sum += exp(((double)x[i] - greatest) / temperature);
  for (i = 0; i < n; ++i) {
    out[i] = (float)(exp(((double)x[i] - greatest) / temperature) / sum);
  }
  return tvm_ffi_args_return(args, tvm_ffi_any_from_double(greatest));
}

TVM_FFI_C_EXPORT_DOC(softmax, "Make probabilities of scores; returns the greatest score.");
TVM_FFI_C_EXPORT_SCHEMA(softmax, TVM_FFI_C_TYPE("float"),
                        TENSOR("x") "," FLOAT("temperature") "," TENSOR("out"));
