/* SPDX-License-Identifier: Apache-2.0 */
/* Forward declarations of public classes, as projects write them to avoid including the headers. It
 * has no guard, because it is included before the headers and after them. */
namespace tvm {
namespace ffi {
class Any;
class AnyView;
class Bytes;
class Error;
class Function;
class Module;
class ModuleObj;
class Object;
class ObjectRef;
class PackedArgs;
class Shape;
class String;
class Tensor;
class TensorView;
template <typename T, typename>
class Array;
template <typename K, typename V, typename>
class Map;
template <typename T>
class ObjectPtr;
template <typename T, typename>
class List;
template <typename T, typename>
class Optional;
template <typename FType>
class TypedFunction;
template <typename, typename>
struct TypeTraits;
}  // namespace ffi
}  // namespace tvm
