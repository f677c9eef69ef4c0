/* SPDX-License-Identifier: Apache-2.0 */
/* Functions as CasADi generates them, for wrap --abi=casadi. Matrices are stored column by column,
 * and of sparse ones only some elements. */
#ifndef casadi_real
#define casadi_real double
#endif
#ifndef casadi_int
#define casadi_int long long int
#endif

/* What CasADi writes beside the function `f`. */
#define TELL(f, num_in, num_out, in, out, real_size, integer_size)                            \
  casadi_int f##_n_in(void);                                                                  \
  casadi_int f##_n_in(void) {                                                                 \
    return num_in;                                                                            \
  }                                                                                           \
  casadi_int f##_n_out(void);                                                                 \
  casadi_int f##_n_out(void) {                                                                \
    return num_out;                                                                           \
  }                                                                                           \
  const char *f##_name_in(casadi_int i);                                                      \
  const char *f##_name_in(casadi_int i) {                                                     \
    return (in)[i].name;                                                                      \
  }                                                                                           \
  const char *f##_name_out(casadi_int i);                                                     \
  const char *f##_name_out(casadi_int i) {                                                    \
    return (out)[i].name;                                                                     \
  }                                                                                           \
  const casadi_int *f##_sparsity_in(casadi_int i);                                            \
  const casadi_int *f##_sparsity_in(casadi_int i) {                                           \
    return (in)[i].sparsity;                                                                  \
  }                                                                                           \
  const casadi_int *f##_sparsity_out(casadi_int i);                                           \
  const casadi_int *f##_sparsity_out(casadi_int i) {                                          \
    return (out)[i].sparsity;                                                                 \
  }                                                                                           \
  int f##_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w);  \
  int f##_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w) { \
    *sz_arg = (num_in) + 1;                                                                   \
    *sz_res = (num_out) + 1;                                                                  \
    *sz_iw = integer_size;                                                                    \
    *sz_w = real_size;                                                                        \
    return 0;                                                                                 \
  }                                                                                           \
  int f(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem)

/* The memory of functions that need none. */
#define NO_MEMORY(f)          \
  int f##_checkout(void);     \
  int f##_checkout(void) {    \
    return 0;                 \
  }                           \
  void f##_release(int mem);  \
  void f##_release(int mem) { \
    (void)mem;                \
  }

typedef struct {
  const char *name;
  casadi_int sparsity[16];
} matrix;

/* y[i][j] = a * x[i][j] + j; an error if a is negative */
static const matrix kScaleIn[] = {{"x", {2, 3, 1}}, {"a", {1, 1, 1}}};
static const matrix kScaleOut[] = {{"y", {2, 3, 1}}};
TELL(scale, 2, 1, kScaleIn, kScaleOut, 0, 0);
NO_MEMORY(scale)
int scale(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem) {
  casadi_int k;
  (void)iw, (void)w, (void)mem;
  if (arg[1][0] < 0) return 5;
  for (k = 0; k < 6; ++k) res[0][k] = arg[1][0] * arg[0][k] + (casadi_real)(k / 2);
  return 0;
}

/* t = the transposed of m, which has the elements (0, 0), (0, 2) and (2, 2) */
static const matrix kTransposeIn[] = {{"m", {3, 3, 0, 1, 1, 3, 0, 0, 2}}};
static const matrix kTransposeOut[] = {{"t", {3, 3, 0, 2, 2, 3, 0, 2, 2}}};
TELL(transpose, 1, 1, kTransposeIn, kTransposeOut, 0, 0);
NO_MEMORY(transpose)
int transpose(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem) {
  casadi_int k;
  (void)iw, (void)w, (void)mem;
  for (k = 0; k < 3; ++k) res[0][k] = arg[0][k];
  return 0;
}

/* s = the sum of a row and of the second and the third element of a column, by way of much memory
 */
enum { kNumReals = 2000, kNumIntegers = 3 };
static const matrix kSumIn[] = {{"row", {1, 3, 1}}, {"column", {3, 1, 0, 2, 1, 2}}};
static const matrix kSumOut[] = {{"s", {1, 1, 1}}};
TELL(sum, 2, 1, kSumIn, kSumOut, kNumReals, kNumIntegers);
NO_MEMORY(sum)
int sum(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem) {
  casadi_int k;
  (void)mem;
  for (k = 0; k < kNumReals; ++k) w[k] = 0;
  for (k = 0; k < kNumIntegers; ++k) iw[k] = k < 2 ? k : 0;
  for (k = 0; k < 3; ++k) w[0] += arg[0][k];
  for (k = 0; k < 2; ++k) w[kNumReals - 1] += arg[1][iw[k]];
  arg[2] = w;
  res[1] = w;
  *res[0] = arg[2][0] + res[1][kNumReals - 1];
  return 0;
}

/* which = the number of the memory */
static const matrix kSolveOut[] = {{"which", {1, 1, 1}}};
TELL(solve, 0, 1, kSolveOut, kSolveOut, 0, 0);
int solve_checkout(void);
int solve_checkout(void) {
  return 7;
}
void solve_release(int mem);
void solve_release(int mem) {
  (void)mem;
}
int solve(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem) {
  (void)arg, (void)iw, (void)w;
  res[0][0] = (casadi_real)mem;
  return 0;
}

/* All its memories are in use. */
TELL(busy, 0, 0, kSolveOut, kSolveOut, 0, 0);
int busy_checkout(void);
int busy_checkout(void) {
  return -1;
}
void busy_release(int mem);
void busy_release(int mem) {
  (void)mem;
}
int busy(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem) {
  (void)arg, (void)res, (void)iw, (void)w, (void)mem;
  return 0;
}
