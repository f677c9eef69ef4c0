/* SPDX-License-Identifier: Apache-2.0 */
/* Every form of parameter and result in the exports of a large library of kernels, and as many
 * parameters as its longest export has. */
#include "tvm_ffi_utils.h"

#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>

using tvm::ffi::Array;
using tvm::ffi::Map;
using tvm::ffi::Optional;
using tvm::ffi::Shape;
using tvm::ffi::String;
using tvm::ffi::Tensor;
using tvm::ffi::TensorView;
using tvm::ffi::Tuple;
using tvm::ffi::Variant;

/* ---- Values that are returned unchanged ---- */

enum class MaskMode : int64_t { kNone = 0, kCausal = 1, kCustom = 2 };
enum class Activation { kRelu = 3, kGelu };
using IntMap = Map<int, int>;
using Scale = Variant<double, Tensor>;

#define ECHO(name, ...)                 \
  __VA_ARGS__ name(__VA_ARGS__ value) { \
    return value;                       \
  }                                     \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, name)

ECHO(same_int64, int64_t)
ECHO(same_bool, bool)
ECHO(same_double, double)
ECHO(same_float, float)
ECHO(same_int, int)
ECHO(same_int32, int32_t)
ECHO(same_uint64, uint64_t)
ECHO(same_size, size_t)
ECHO(same_pointer, void *)
ECHO(same_std_string, std::string)
ECHO(same_dtype, DLDataType)
ECHO(same_shape, Shape)
ECHO(same_tensor, Tensor)
ECHO(same_ints, Array<int64_t>)
ECHO(same_tensors, Array<Tensor>)
ECHO(same_nested_ints, Array<Array<int64_t>>)
ECHO(same_strings, Array<String>)
ECHO(same_scale, Scale)
ECHO(same_mask_mode, MaskMode)
ECHO(same_activation, Activation)
ECHO(maybe_int64, Optional<int64_t>)
ECHO(maybe_double, Optional<double>)
ECHO(maybe_float, Optional<float>)
ECHO(maybe_bool, Optional<bool>)
ECHO(maybe_dtype, Optional<DLDataType>)
ECHO(maybe_tensor, Optional<Tensor>)
ECHO(maybe_ints, Optional<Array<int64_t>>)
ECHO(maybe_tensors, Optional<Array<Tensor>>)

/* ---- Qualifiers ---- */

int64_t const_values(TensorView const a, int64_t const b, bool const c, double const d) {
  return a.numel() + b + (c ? 1 : 0) + static_cast<int64_t>(d);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(const_values, const_values);

int64_t const_references(const TensorView &a, const Tensor &b, Optional<TensorView> const &c,
                         const Optional<double> &d, Array<int64_t> const &e, const std::string &f,
                         const Shape &g, const Scale &h) {
  return a.numel() + b.numel() + (c.has_value() ? c.value().numel() : 0) +
         static_cast<int64_t>(d.value_or(0.0)) + static_cast<int64_t>(e.size() + f.size()) +
         g.Product() + static_cast<int64_t>(h.as<double>().value_or(0.0));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(const_references, const_references);

/* ---- Views, which cannot be returned ---- */

int64_t count_views(TensorView a, Optional<TensorView> b, Optional<TensorView> c) {
  return a.ndim() + (b.has_value() ? 10 * b.value().ndim() : 0) +
         (c.has_value() ? 100 * c.value().ndim() : 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count_views, count_views);

/* ---- Results ---- */

void fill(TensorView x, double value) {
  CHECK_INPUT(x);
  DISPATCH_FLOATS(x.dtype(), T, [&] {
    for (int64_t i = 0; i < x.numel(); ++i) {
      static_cast<T *>(x.data_ptr())[i] = static_cast<T>(value);
    }
    return true;
  });
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fill, fill);

Array<int64_t> plan(int64_t batch, int64_t heads) {
  return {batch, heads, batch * heads};
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(plan, plan);

/* From a std::vector, with class template argument deduction. */
Array<int64_t> plan_vector(int64_t n) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(i * i);
  return Array(values);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(plan_vector, plan_vector);

Array<Array<int64_t>> tactics(int64_t n) {
  Array<Array<int64_t>> all;
  for (int64_t i = 0; i < n; ++i) all.push_back(Array({i, i + 1, i + 2}));
  return all;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tactics, tactics);

Tensor make_tensor(Shape shape, DLDataType dtype) {
  Tensor made = alloc_tensor(shape, dtype, DLDevice{kDLCPU, 0});
  std::memset(made.data_ptr(), 0, ffi::GetDataSize(*made.GetDLTensorPtr()));
  return made;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_tensor, make_tensor);

Array<Tensor> make_tensors(int64_t n) {
  Array<Tensor> made;
  made.reserve(n);
  for (int64_t i = 0; i < n; ++i) made.push_back(make_tensor({i, 2}, dl_int32));
  return made;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_tensors, make_tensors);

IntMap to_buckets(IntMap sizes) {
  IntMap buckets;
  for (const auto &[size, count] : sizes) buckets.Set(size / 2, count + 1);
  return buckets;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(to_buckets, to_buckets);

IntMap make_sizes(int n) {
  IntMap sizes;
  for (int i = 0; i < n; ++i) sizes.Set(10 * i, i);
  return sizes;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_sizes, make_sizes);

int64_t size_at(IntMap sizes, int key) {
  return sizes[key];
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(size_at, size_at);

/* A map of lists, like workspaces by world size. */
int64_t nested_map(int key, int64_t i) {
  Map<int, Array<int>> lists;
  lists.Set(1, {10, 11});
  lists.Set(2, Array<int>{20, 21, 22});
  return lists[key][i];
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(nested_map, nested_map);

Tuple<int64_t, int64_t> tuple_of_ints(int64_t a, int64_t b) {
  return Tuple(a, b);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tuple_of_ints, tuple_of_ints);

Tuple<Array<String>, Array<int64_t>> tuple_of_arrays(int64_t n) {
  Array<String> names;
  Array<int64_t> values;
  for (int64_t i = 0; i < n; ++i) {
    names.push_back(std::string(static_cast<size_t>(i) + 5, 'n'));
    values.push_back(i);
  }
  return Tuple{names, values};
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tuple_of_arrays, tuple_of_arrays);

Tuple<Tensor, Tensor, int64_t> tuple_of_tensors(Tensor a) {
  return Tuple(a, a, a.numel());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tuple_of_tensors, tuple_of_tensors);

Tuple<bool, double, String, Optional<int64_t>> tuple_of_all(Optional<int64_t> last) {
  return Tuple<bool, double, String, Optional<int64_t>>(true, 0.5, "short", last);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(tuple_of_all, tuple_of_all);

/* ---- The longest ---- */

int64_t run_prefill_and_decode(
    TensorView float_workspace, TensorView int_workspace, Array<int64_t> prefill_plan,
    Array<int64_t> decode_plan, TensorView q_prefill, TensorView q_decode, TensorView k_cache,
    TensorView v_cache, TensorView q_indptr, TensorView kv_indptr, TensorView kv_indices,
    TensorView last_page_len, TensorView out_prefill, TensorView out_decode,
    Optional<TensorView> lse_prefill, Optional<TensorView> lse_decode, int64_t prefill_mask_mode,
    int64_t decode_mask_mode, int64_t layout, int64_t window_left, bool enable_pdl,
    Optional<TensorView> custom_mask, Optional<TensorView> mask_indptr,
    Optional<TensorView> alibi_slopes, double logits_soft_cap, double sm_scale,
    double rope_rcp_scale, double rope_rcp_theta, Optional<TensorView> custom_mask_2,
    Optional<TensorView> mask_indptr_2, Optional<TensorView> alibi_slopes_2, double soft_cap_2,
    double sm_scale_2, double rope_rcp_scale_2, double rope_rcp_theta_2, TensorView sm_aware,
    int32_t page_size, uint64_t seed, const std::string &name, DLDataType dtype,
    Optional<int64_t> limit, Variant<double, Tensor> scale, MaskMode mode, void *stream,
    Optional<bool> verbose, float epsilon) {
  int64_t views = 0;
  for (const TensorView &view :
       {float_workspace, int_workspace, q_prefill, q_decode, k_cache, v_cache, q_indptr, kv_indptr,
        kv_indices, last_page_len, out_prefill, out_decode, sm_aware}) {
    views += view.numel();
  }
  int64_t optional_views = 0;
  for (const Optional<TensorView> &view :
       {lse_prefill, lse_decode, custom_mask, mask_indptr, alibi_slopes, custom_mask_2,
        mask_indptr_2, alibi_slopes_2}) {
    if (view.has_value()) optional_views += view.value().numel();
  }
  const double doubles = logits_soft_cap + sm_scale + rope_rcp_scale + rope_rcp_theta + soft_cap_2 +
                         sm_scale_2 + rope_rcp_scale_2 + rope_rcp_theta_2 +
                         static_cast<double>(epsilon) +
                         (scale.as<double>() ? *scale.as<double>() : -1);
  return views + 1000 * optional_views + prefill_mask_mode + decode_mask_mode + layout +
         window_left + (enable_pdl ? 1 : 0) + static_cast<int64_t>(doubles) + page_size +
         static_cast<int64_t>(seed + name.size() + prefill_plan.size() + decode_plan.size()) +
         dtype.bits + limit.value_or(7) + static_cast<int64_t>(mode) +
         (stream != nullptr ? 100 : 0) + (verbose.has_value() && verbose.value() ? 1 : 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run_prefill_and_decode);
