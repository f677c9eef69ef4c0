/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces SYCL's header where there is none: what tvm/ffi/extra/sycl.h and test_sycl.cc use, in
 * the memory of the process. A context knows the addresses that it allocated. */
#ifndef TESTS_DEVICES_INCLUDE_SYCL_SYCL_HPP_
#define TESTS_DEVICES_INCLUDE_SYCL_SYCL_HPP_

#define TESTS_SYCL_STAND_IN

#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <system_error>

namespace sycl {

enum class errc { success, runtime, kernel, accessor, nd_range, event, kernel_argument, build };

class category : public std::error_category {
 public:
  const char *name() const noexcept override { return "sycl"; }
  std::string message(int) const override { return "SYCL Error"; }
};

inline std::error_code make_error_code(errc code) noexcept {
  static const category categories;
  return {static_cast<int>(code), categories};
}

class exception : public virtual std::exception {
 public:
  exception(std::error_code code, const char *text) : code_(code), text_(text) {}
  const std::error_code &code() const noexcept { return code_; }
  const char *what() const noexcept override { return text_.c_str(); }

 private:
  std::error_code code_;
  std::string text_;
};

enum class aspect { usm_shared_allocations, usm_system_allocations };

class device {
 public:
  device() = default;
  template <typename Selector>
  explicit device(const Selector &select) {
    if (select(*this) < 0) {
      throw exception(make_error_code(errc::runtime), "No device of requested type available.");
    }
  }
  bool has(aspect which) const {
    return which == aspect::usm_shared_allocations || accesses_all_memory;
  }
  static inline bool accesses_all_memory = false;
};

class context {
 public:
  explicit context(const device &) {}
  std::shared_ptr<std::map<const char *, size_t>> allocated =
      std::make_shared<std::map<const char *, size_t>>();
};

class queue {
 public:
  queue(const context &of, const device &on) : context_(of), device_(on) {}
  context get_context() const { return context_; }
  device get_device() const { return device_; }

 private:
  context context_;
  device device_;
};

namespace usm {
enum class alloc { host, device, shared, unknown };
}  // namespace usm

inline usm::alloc get_pointer_type(const void *pointer, const context &of) {
  const char *const address = static_cast<const char *>(pointer);
  auto after = of.allocated->upper_bound(address);
  if (after == of.allocated->begin()) return usm::alloc::unknown;
  --after;
  return address < after->first + after->second ? usm::alloc::shared : usm::alloc::unknown;
}

template <typename T>
T *malloc_shared(size_t count, const queue &on) {
  T *const pointer = static_cast<T *>(std::malloc(count * sizeof(T)));
  (*on.get_context().allocated)[reinterpret_cast<const char *>(pointer)] = count * sizeof(T);
  return pointer;
}

inline void free(void *pointer, const queue &on) {
  on.get_context().allocated->erase(static_cast<const char *>(pointer));
  std::free(pointer);
}

}  // namespace sycl

#endif /* TESTS_DEVICES_INCLUDE_SYCL_SYCL_HPP_ */
