/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/info_builder.h
 * Extras that users write: a class derived from reflection::InfoTrait, with an Apply that changes
 * the description of a field, a method or a class before it is registered. With TVM_FFI_LEAN
 * reflection/registry.h does not include this header.
 *
 *     struct Unit : refl::InfoTrait {
 *       const char *name;
 *       void Apply(refl::FieldInfoBuilder *info) const {
 *         info->metadata_.emplace_back("unit", name);
 *       }
 *     };
 */
#ifndef TVM_FFI_REFLECTION_INFO_BUILDER_H_
#define TVM_FFI_REFLECTION_INFO_BUILDER_H_

#include <tvm/ffi/detail/type_def.h>

#include <utility>
#include <vector>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {

/**
 * The description of a field so far. Apply may change it, and add metadata: values that are int,
 * bool or string. Memory that it points to must live until the extra dies.
 */
struct FieldInfoBuilder : TVMFFIFieldInfo {
  std::vector<std::pair<String, Any>> metadata_;
};
/** The same for a method or a function; its name and the function itself are not set yet. */
struct MethodInfoBuilder : TVMFFIMethodInfo {
  std::vector<std::pair<String, Any>> metadata_;
};

namespace detail {

template <typename Builder>
TVM_FFI_LOCAL void PutMetadata(MethodExtras &extras, const Builder &builder) {
  for (const std::pair<String, Any> &entry : builder.metadata_) {
    Metadata::Put(extras.metadata, entry.first, entry.second);
  }
  extras.doc = builder.doc;
  extras.flags = builder.flags;
}

/* Templates, so that the extras of this layer use their own overloads. */
template <
    typename Extra, typename = std::enable_if_t<!std::is_base_of_v<FieldFlag, Extra>>,
    typename = decltype(std::declval<const Extra &>().Apply(std::declval<FieldInfoBuilder *>()))>
TVM_FFI_LOCAL void Apply(FieldExtras &extras, const Extra &extra) {
  FieldInfoBuilder builder;
  static_cast<TVMFFIFieldInfo &>(builder) = extras.info;
  builder.doc = extras.doc;
  builder.flags = extras.flags;
  builder.metadata = TVMFFIByteArray{"", 0};
  builder.default_value_or_factory = AnyView(extras.default_value).CopyToTVMFFIAny();
  extra.Apply(&builder);
  PutMetadata(extras, builder);
  extras.default_value = AnyView::CopyFromTVMFFIAny(builder.default_value_or_factory);
  extras.info = builder;
}
template <typename Extra, typename = decltype(std::declval<const Extra &>().Apply(
                              std::declval<MethodInfoBuilder *>()))>
TVM_FFI_LOCAL void Apply(MethodExtras &extras, const Extra &extra) {
  MethodInfoBuilder builder;
  builder.name = TVMFFIByteArray{"", 0};
  builder.doc = extras.doc;
  builder.flags = extras.flags;
  builder.metadata = TVMFFIByteArray{"", 0};
  builder.method = AnyView().CopyToTVMFFIAny();
  extra.Apply(&builder);
  PutMetadata(extras, builder);
}
template <typename Extra, typename = decltype(std::declval<const Extra &>().Apply(
                              std::declval<TVMFFITypeMetadata *>()))>
TVM_FFI_LOCAL void Apply(ClassExtras &extras, const Extra &extra) {
  extra.Apply(&extras.info);
}

}  // namespace detail
}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_INFO_BUILDER_H_
