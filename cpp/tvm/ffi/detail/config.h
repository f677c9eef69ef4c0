/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tvm/ffi/detail/config.h
 * How the layer is compiled: visibility, ABI tag, exceptions.
 *
 * Public classes are members of tvm::ffi itself. Other projects may declare them ahead (`namespace
 * tvm { namespace ffi { class Object; } }`), which would be ambiguous if they were in an inline
 * namespace, and an Error that one library throws is caught in another, whichever headers each was
 * compiled with. They have no ABI tag either, which a declaration ahead would lack. Therefore all
 * builds of the layer in a program share what the compiler generates for them, such as an implicit
 * destructor. This is safe because their layout does not change: the ABI fixes that of objects,
 * references, Any and the like, and that of the others (reflection::FieldInfoBuilder, iterators)
 * must not change.
 *
 * Code is not shared. Each function and static variable has TVM_FFI_LOCAL in front of it, which
 *   - hides it, so that the dynamic linker never binds it to another library's. A static variable
 *     that is not hidden would be a unique symbol, which keeps a library from being unloaded;
 *   - gives it an ABI tag, so that two builds of the layer (another version, or one without
 *     exceptions) also have different functions within one library.
 *
 * Classes of detail that have data are not shared either, because their layout may change. The tag
 * of a class is part of the names of its members, including implicit ones, and of the names of
 * standard library templates instantiated with it. Such a class has TVM_FFI_LOCAL in front of its
 * name, or TVM_FFI_TAGGED where classes of users may hold it or derive from it: g++ warns when
 * these are less hidden than it is. A template has it at its first declaration, not at
 * specialisations. Declaring each implicit member instead would do less: an aggregate would no
 * longer be one, and a std::vector of it would still be shared. tests/cpp/two_layers.py
 * links two builds whose classes differ.
 *
 * libc++ does this to its functions with _LIBCPP_HIDE_FROM_ABI. Alternatives were measured with
 * sample 14_cpp_module, g++ 12 -O2 (now 39,256 bytes and 24 exported names, none of them unique):
 *   - no macro, an inline namespace only: 55,976 bytes, 110 exported names, 17 of them unique;
 *   - the namespace hidden by an attribute or pragma: 39,224 bytes, 7 exported names. This also
 *     hides classes (g++ cannot hide only their functions), and g++ then warns (-Wattributes) about
 *     each user's class that derives from one of ours or holds one.
 *
 * MSVC has no ABI tags. There, compile everything that is linked into one library or program with
 * the same version of the headers, and all with exceptions or all without.
 */
#ifndef TVM_FFI_DETAIL_CONFIG_H_
#define TVM_FFI_DETAIL_CONFIG_H_

/* MSVC keeps __cplusplus at the value of 1998. */
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 201703L
#error "the headers of tvm/ffi need C++17 or later: compile with -std=c++17"
#endif

#include <cstddef>
#include <cstdint>

/* The ABI tag. A release takes the next number when it changes one of these of anything tagged:
 *   - the layout of a class: its data or its bases;
 *   - what a function does to a static variable or to memory that other functions use, or what it
 *     requires of its callers. Of functions with the same name the linker keeps only one. */
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define TVM_FFI_HAS_EXCEPTIONS 1
#define TVM_FFI_LAYER "layer2"
#else
#define TVM_FFI_HAS_EXCEPTIONS 0
#define TVM_FFI_LAYER "layer2_noexcept"
#endif

/* Whether ThreadSanitizer watches this code. */
#if defined(__SANITIZE_THREAD__)
#define TVM_FFI_DETAIL_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TVM_FFI_DETAIL_TSAN 1
#endif
#endif
#ifndef TVM_FFI_DETAIL_TSAN
#define TVM_FFI_DETAIL_TSAN 0
#endif

#if defined(__GNUC__)
/* Hidden without a tag: public classes, specialisations of tagged templates, C declarations.
 * Windows libraries export only what is marked. */
#if defined(_WIN32)
#define TVM_FFI_HIDDEN
#else
#define TVM_FFI_HIDDEN __attribute__((visibility("hidden")))
#endif
#define TVM_FFI_LOCAL TVM_FFI_HIDDEN __attribute__((abi_tag(TVM_FFI_LAYER)))
#define TVM_FFI_LOCAL_INLINE __attribute__((always_inline)) TVM_FFI_LOCAL inline
#define TVM_FFI_TAGGED [[gnu::abi_tag(TVM_FFI_LAYER)]]
#define TVM_FFI_INLINE __attribute__((always_inline)) inline
#define TVM_FFI_NO_INLINE __attribute__((noinline))
#define TVM_FFI_COLD_CODE __attribute__((cold, noinline))
#define TVM_FFI_PREDICT_TRUE(c) (__builtin_expect(static_cast<bool>(c), 1))
#define TVM_FFI_PREDICT_FALSE(c) (__builtin_expect(static_cast<bool>(c), 0))
#define TVM_FFI_UNREACHABLE() __builtin_unreachable()
#define TVM_FFI_FUNC_SIG __PRETTY_FUNCTION__
#elif defined(_MSC_VER)
#define TVM_FFI_LOCAL
#define TVM_FFI_LOCAL_INLINE __forceinline
#define TVM_FFI_TAGGED
#define TVM_FFI_HIDDEN
#define TVM_FFI_INLINE __forceinline
#define TVM_FFI_NO_INLINE __declspec(noinline)
#define TVM_FFI_COLD_CODE __declspec(noinline)
#define TVM_FFI_PREDICT_TRUE(c) (c)
#define TVM_FFI_PREDICT_FALSE(c) (c)
#define TVM_FFI_UNREACHABLE() __assume(false)
#define TVM_FFI_FUNC_SIG __FUNCSIG__
#else
#define TVM_FFI_LOCAL
#define TVM_FFI_LOCAL_INLINE inline
#define TVM_FFI_TAGGED
#define TVM_FFI_HIDDEN
#define TVM_FFI_INLINE inline
#define TVM_FFI_NO_INLINE
#define TVM_FFI_COLD_CODE
#define TVM_FFI_PREDICT_TRUE(c) (c)
#define TVM_FFI_PREDICT_FALSE(c) (c)
#define TVM_FFI_UNREACHABLE() static_cast<void>(0)
#define TVM_FFI_FUNC_SIG __func__
#endif

/** For functions that run on errors only: out of line, and not exported. */
#define TVM_FFI_LOCAL_COLD TVM_FFI_LOCAL TVM_FFI_COLD_CODE inline

#define TVM_FFI_UNSAFE_ASSUME(c)     \
  do {                               \
    if (!(c)) TVM_FFI_UNREACHABLE(); \
  } while (0)

/* nvcc warns of visibility on templates instantiated with a class of an unnamed namespace (1407),
 * and of tags on a specialisation (2648, 2651). */
#if defined(__CUDACC__) && defined(__GNUC__)
#define TVM_FFI_DETAIL_NVCC_BEGIN \
  _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 1407, 2648, 2651")
#define TVM_FFI_DETAIL_NVCC_END _Pragma("nv_diagnostic pop")
#else
#define TVM_FFI_DETAIL_NVCC_BEGIN
#define TVM_FFI_DETAIL_NVCC_END
#endif

/* Around members that a macro adds to a user's class: if that is in an unnamed namespace, g++ warns
 * that they are hidden already. */
#if defined(__GNUC__)
#define TVM_FFI_DETAIL_QUIET_BEGIN \
  TVM_FFI_DETAIL_NVCC_BEGIN        \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wattributes\"")
#define TVM_FFI_DETAIL_QUIET_END _Pragma("GCC diagnostic pop") TVM_FFI_DETAIL_NVCC_END
#else
#define TVM_FFI_DETAIL_QUIET_BEGIN
#define TVM_FFI_DETAIL_QUIET_END
#endif

/** Default copies and moves, not exported. */
#define TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(TypeName)             \
  TVM_FFI_DETAIL_QUIET_BEGIN                                              \
  TVM_FFI_LOCAL TypeName(const TypeName &other) = default;                \
  TVM_FFI_LOCAL TypeName(TypeName &&other) noexcept = default;            \
  TVM_FFI_LOCAL TypeName &operator=(const TypeName &other) = default;     \
  TVM_FFI_LOCAL TypeName &operator=(TypeName &&other) noexcept = default; \
  TVM_FFI_DETAIL_QUIET_END

/** The same with the destructor, which would be exported otherwise. */
#define TVM_FFI_DETAIL_DEFAULT_MEMBERS(TypeName) \
  TVM_FFI_LOCAL_INLINE ~TypeName() = default;    \
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(TypeName)

#if UINTPTR_MAX < UINT64_MAX
#define TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(any) ((any)->v_int64 = 0)
#else
#define TVM_FFI_CLEAR_PTR_PADDING_IN_FFI_ANY(any) static_cast<void>(0)
#endif

#define TVM_FFI_STR_CONCAT_(a, b) a##b
#define TVM_FFI_STR_CONCAT(a, b) TVM_FFI_STR_CONCAT_(a, b)

/* Around macros that name something by __COUNTER__, which Clang 22 takes for an extension of C with
 * -Wpedantic. Outside of the macro that is given the name: its arguments are expanded first. */
#define TVM_FFI_DETAIL_COUNTER_BEGIN
#define TVM_FFI_DETAIL_COUNTER_END
#if defined(__clang__) && defined(__has_warning)
#if __has_warning("-Wc2y-extensions")
#undef TVM_FFI_DETAIL_COUNTER_BEGIN
#undef TVM_FFI_DETAIL_COUNTER_END
#define TVM_FFI_DETAIL_COUNTER_BEGIN \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wc2y-extensions\"")
#define TVM_FFI_DETAIL_COUNTER_END _Pragma("clang diagnostic pop")
#endif
#endif

#define TVM_FFI_NAMESPACE_BEGIN \
  TVM_FFI_DETAIL_NVCC_BEGIN     \
  namespace tvm {               \
  namespace ffi {
#define TVM_FFI_NAMESPACE_END \
  }                           \
  }                           \
  TVM_FFI_DETAIL_NVCC_END

TVM_FFI_NAMESPACE_BEGIN
namespace detail {
/** Standard classes that are not included here: see detail/std_compat.h. */
template <typename Dependent>
struct StdTypes;
/**
 * T, made dependent on a template parameter. A std::optional<T> that is not dependent is
 * instantiated wherever the header is read, which costs each of its users milliseconds; a dependent
 * one costs only those that call the function.
 */
template <typename T, typename Dependent>
struct DependOn {
  using type = T;
};
}  // namespace detail
namespace details = detail;
TVM_FFI_NAMESPACE_END

#endif  // TVM_FFI_DETAIL_CONFIG_H_
