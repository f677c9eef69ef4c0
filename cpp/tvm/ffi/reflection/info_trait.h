/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/reflection/info_trait.h
 * Extras: what may follow a field, a method or a class when it is registered.
 */
#ifndef TVM_FFI_REFLECTION_INFO_TRAIT_H_
#define TVM_FFI_REFLECTION_INFO_TRAIT_H_

#include <tvm/ffi/detail/method_def.h>
#include <tvm/ffi/escape.h>
#include <tvm/ffi/reflection/accessor.h>

TVM_FFI_NAMESPACE_BEGIN
namespace reflection {

/**
 * The base of the extras that may follow a field, a method or a class, besides its doc string. What
 * Apply of one for fields writes into a description borrows from the extra.
 */
struct InfoTrait {};

/** Values for tools that read the type table: `Metadata({{"unit", "ms"}, {"limit", 3}})`. */
class TVM_FFI_HIDDEN Metadata : public InfoTrait {
 public:
  template <typename Dependent = void>
  TVM_FFI_LOCAL Metadata(
      std::initializer_list<
          std::pair<typename ::tvm::ffi::detail::DependOn<String, Dependent>::type, Any>>
          entries)
      : entries_(new Entry[entries.size()]) {
    for (const auto &entry : entries) {
      entries_[size_].key = entry.first;
      entries_[size_++].value = entry.second;
    }
  }
  TVM_FFI_LOCAL Metadata(const Metadata &other)
      : entries_(new Entry[other.size_]), size_(other.size_) {
    for (size_t i = 0; i < size_; ++i) entries_[i] = other.entries_[i];
  }
  TVM_FFI_LOCAL Metadata &operator=(Metadata other) noexcept {
    std::swap(entries_, other.entries_);
    std::swap(size_, other.size_);
    return *this;
  }
  TVM_FFI_LOCAL ~Metadata() { delete[] entries_; }

  /** Adds the entries to a FieldInfoBuilder or MethodInfoBuilder of reflection/info_builder.h. */
  template <typename Builder, typename = decltype(Builder::metadata_)>
  TVM_FFI_LOCAL void Apply(Builder *info) const {
    for (size_t i = 0; i < size_; ++i) {
      info->metadata_.emplace_back(entries_[i].key, entries_[i].value);
    }
  }
  /** Appends `,"key":value` for each entry. Errors: see Put. */
  TVM_FFI_LOCAL void PutAll(::tvm::ffi::detail::Text &text) const {
    for (size_t i = 0; i < size_; ++i) Put(text, entries_[i].key, entries_[i].value);
  }
  /** Appends `,"key":value`. Errors: TypeError (the value is not an int, bool or string). */
  TVM_FFI_LOCAL static void Put(::tvm::ffi::detail::Text &text, const String &key,
                                const Any &value) {
    text.Put(',');
    text.Put(::tvm::ffi::detail::BytesOf(EscapeStringJSON(key)));
    text.Put(':');
    const TVMFFIAny *data = ::tvm::ffi::detail::AnyUnsafe::TVMFFIAnyPtrFromAny(value);
    if (TypeTraits<String>::CheckAnyStrict(data)) {
      const String string = TypeTraits<String>::CopyFromAnyViewAfterCheck(data);
      text.Put(::tvm::ffi::detail::BytesOf(EscapeStringJSON(string)));
    } else if (data->type_index == kTVMFFIBool) {
      text.Put(data->v_int64 != 0 ? "true" : "false");
    } else if (data->type_index == kTVMFFIInt) {
      text.PutInt(data->v_int64);
    } else {
      detail::ThrowNames("TypeError", "Metadata can be only int, bool or string, but on key `",
                         ::tvm::ffi::detail::BytesOf(key), "`, the type is ",
                         ::tvm::ffi::detail::TypeKeyOf(value.type_index()), "");
    }
  }

 private:
  struct TVM_FFI_LOCAL Entry {
    String key;
    Any value;
  };
  Entry *entries_;
  size_t size_ = 0;
};

/** The default value of a field. */
class TVM_FFI_HIDDEN DefaultValue : public InfoTrait {
 public:
  TVM_FFI_LOCAL explicit DefaultValue(Any value) : value_(std::move(value)) {}
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(DefaultValue)
  TVM_FFI_LOCAL const Any &value() const { return value_; }
  TVM_FFI_LOCAL void Apply(TVMFFIFieldInfo *info) const {
    info->default_value_or_factory = AnyView(value_).CopyToTVMFFIAny();
    info->flags |= kTVMFFIFieldFlagBitMaskHasDefault;
    info->flags &= ~int64_t{kTVMFFIFieldFlagBitMaskDefaultFromFactory};
  }

 private:
  Any value_;
};
TVM_FFI_LOCAL inline DefaultValue default_value(Any value) {
  return DefaultValue(std::move(value));
}
TVM_FFI_LOCAL inline DefaultValue default_(Any value) {
  return DefaultValue(std::move(value));
}

/** A default that is made for each object, for values that objects must not share. */
class TVM_FFI_HIDDEN DefaultFactory : public InfoTrait {
 public:
  /** Errors: ValueError (null). */
  TVM_FFI_LOCAL explicit DefaultFactory(Function factory) : factory_(std::move(factory)) {
    if (factory_ == nullptr) {
      ::tvm::ffi::detail::Throw("ValueError", "a null Function is no default factory");
    }
  }
  TVM_FFI_DETAIL_DEFAULT_MEMBERS(DefaultFactory)
  TVM_FFI_LOCAL const Function &factory() const { return factory_; }
  TVM_FFI_LOCAL void Apply(TVMFFIFieldInfo *info) const {
    info->default_value_or_factory = AnyView(factory_).CopyToTVMFFIAny();
    info->flags |= kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory;
  }

 private:
  Function factory_;
};
/** Takes a Function, or anything else that can be called without arguments. */
template <typename F>
TVM_FFI_LOCAL DefaultFactory default_factory(F &&f) {
  if constexpr (std::is_convertible_v<F &&, Function>) {
    return DefaultFactory(Function(static_cast<F &&>(f)));
  } else {
    return DefaultFactory(Function::FromTyped(static_cast<F &&>(f)));
  }
}

namespace detail {
/** A flag of a field, set or cleared. */
struct TVM_FFI_LOCAL FieldFlag : InfoTrait {
  TVM_FFI_LOCAL constexpr FieldFlag(int64_t flag_, bool set_) : flag(flag_), set(set_) {}
  TVM_FFI_LOCAL void Apply(TVMFFIFieldInfo *info) const {
    info->flags = set ? info->flags | flag : info->flags & ~flag;
  }
  int64_t flag;
  bool set;
};
}  // namespace detail

/** `init<A...>()` in ObjectDef::def: the constructor that takes those. `init(false)`: see below. */
template <typename... Args>
struct TVM_FFI_HIDDEN init : InfoTrait {
  TVM_FFI_LOCAL constexpr init() = default;
  /** For a field: whether the automatic constructor takes it. For a class: whether it has one. */
  TVM_FFI_LOCAL constexpr explicit init(bool enabled_) : enabled(enabled_) {}
  TVM_FFI_LOCAL void Apply(TVMFFIFieldInfo *info) const {
    static_assert(sizeof...(Args) == 0,
                  "init<A...>() is a constructor: init(false) is for a field");
    detail::FieldFlag(kTVMFFIFieldFlagBitMaskInitOff, !enabled).Apply(info);
  }
  bool enabled = true;
};
init(bool)->init<>;

/** Whether the automatic constructor takes the field by name only. */
struct TVM_FFI_HIDDEN kw_only : detail::FieldFlag {
  TVM_FFI_LOCAL constexpr explicit kw_only(bool enabled)
      : FieldFlag(kTVMFFIFieldFlagBitMaskKwOnly, enabled) {}
};
/** Whether the field appears in the object's repr. */
struct TVM_FFI_HIDDEN repr : detail::FieldFlag {
  TVM_FFI_LOCAL constexpr explicit repr(bool enabled)
      : FieldFlag(kTVMFFIFieldFlagBitMaskReprOff, !enabled) {}
};
/** Whether objects are compared by it. */
struct TVM_FFI_HIDDEN compare : detail::FieldFlag {
  TVM_FFI_LOCAL constexpr explicit compare(bool enabled)
      : FieldFlag(kTVMFFIFieldFlagBitMaskCompareOff, !enabled) {}
};
/** Whether objects are hashed by it. */
struct TVM_FFI_HIDDEN hash : detail::FieldFlag {
  TVM_FFI_LOCAL constexpr explicit hash(bool enabled)
      : FieldFlag(kTVMFFIFieldFlagBitMaskHashOff, !enabled) {}
};
/** How structural equality and hash treat the field. */
struct TVM_FFI_HIDDEN AttachFieldFlag : detail::FieldFlag {
  TVM_FFI_LOCAL constexpr explicit AttachFieldFlag(int64_t mask) : FieldFlag(mask, true) {}
  TVM_FFI_LOCAL static constexpr AttachFieldFlag SEqHashIgnore() {
    return AttachFieldFlag(kTVMFFIFieldFlagBitMaskSEqHashIgnore);
  }
  /** The field defines the variables in it, at any depth. */
  TVM_FFI_LOCAL static constexpr AttachFieldFlag SEqHashDefPattern() {
    return AttachFieldFlag(kTVMFFIFieldFlagBitMaskSEqHashDefPattern);
  }
  /** The field defines the variables that it is or holds; their own fields are uses. */
  TVM_FFI_LOCAL static constexpr AttachFieldFlag SEqHashDefSimple() {
    return AttachFieldFlag(kTVMFFIFieldFlagBitMaskSEqHashDefSimple);
  }
  /** Names of these flags up to 0.1.13. */
  TVM_FFI_LOCAL static constexpr AttachFieldFlag SEqHashDefRecursive() {
    return SEqHashDefPattern();
  }
  TVM_FFI_LOCAL static constexpr AttachFieldFlag SEqHashDefNonRecursive() {
    return SEqHashDefSimple();
  }
};

}  // namespace reflection
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_REFLECTION_INFO_TRAIT_H_
