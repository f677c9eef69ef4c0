// SPDX-License-Identifier: Apache-2.0
// The functions of the library with C++ functions that are not members of client.h's classes.
#ifndef TESTS_CXX_MODULES_FUNCTIONS_H_
#define TESTS_CXX_MODULES_FUNCTIONS_H_

#include "client.h"

namespace tvm {
namespace ffi {

Any DeepCopy(const Any &value);
String ReprPrint(const Any &value);
std::int64_t RecursiveHash(const Any &value);
bool RecursiveEq(const Any &a, const Any &b);
bool RecursiveLt(const Any &a, const Any &b);
bool RecursiveLe(const Any &a, const Any &b);
bool RecursiveGt(const Any &a, const Any &b);
bool RecursiveGe(const Any &a, const Any &b);

Any ToJSONGraph(const Any &value, const Any &metadata);
Any FromJSONGraph(const Any &graph);

namespace json {
Any Parse(const String &text, String *opt_error);
String Stringify(const Any &value, const Optional<int> &indent);

// The signature in releases up to 0.1.12. Their Optional<int> had a destructor, so it is passed in
// memory.
struct OldOptional {
  std::int32_t value;
  bool has_value;
  ~OldOptional() {}
};
String StringifyByValue(const Any &value, OldOptional indent) __asm__(
    "_ZN3tvm3ffi4json9StringifyERKNS0_3AnyENS0_8OptionalIivEE");
}  // namespace json

class StructuralEqual {
 public:
  static bool Equal(const Any &a, const Any &b, bool map_free_vars, bool skip_tensor_content);
  static ObjectRef GetFirstMismatch(const Any &a, const Any &b, bool map_free_vars,
                                    bool skip_tensor_content);
};

class StructuralHash {
 public:
  static std::uint64_t Hash(const Any &value, bool map_free_vars, bool skip_tensor_content);
};

class VisitErrorContext : public ObjectRef {
 public:
  using ObjectRef::ObjectRef;
  static Array FindAccessPaths(const ObjectRef &root, const VisitErrorContext &context,
                               bool allow_prefix_match);
};

}  // namespace ffi
}  // namespace tvm

#endif  // TESTS_CXX_MODULES_FUNCTIONS_H_
