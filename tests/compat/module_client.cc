// SPDX-License-Identifier: Apache-2.0
// A client of modules that other libraries define: its code is no larger with our headers than with
// the package's. What it is compiled for is chosen by a macro.
#include <tvm/ffi/extra/module.h>

using namespace tvm::ffi;

#if defined(CALLS)
void Run(const String &path) {
  const Module module = Module::LoadFromFile(path);
  module->GetFunction("run").value()(1);
}
#elif defined(SEARCHES)
void Run(const Module &module) {
  module->GetFunction("run", true).value()(1);
}
#elif defined(LINKS)
void Link(const Module &module, const Module &other) {
  module->ClearImports();
  module->ImportModule(other);
}
#elif defined(ASKS)
int Ask(const Module &module) {
  return module->GetPropertyMask() + module->kind()[0];
}
#endif
