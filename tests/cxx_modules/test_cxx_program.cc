// SPDX-License-Identifier: Apache-2.0
// A C++ program with modules of its own, linked with the library and with client.cc. It is not
// position-independent, so the linker copies ModuleObj's virtual table and type_info into it.
#include <cstdio>

#include "client.h"
#include "ours.h"

int main() {
  for (int i = 0; i < 2; ++i) {
    TVMFFIObjectHandle ours = nullptr;
    if (TVMFFIRuntimeModuleCreate(&ours_vtable, nullptr, &ours) != 0) return 1;
    try {
      client::CheckTypes(static_cast<TVMFFIObject *>(ours));
      client::CheckOurs(static_cast<TVMFFIObject *>(ours), true);
    } catch (const std::exception &error) {
      std::printf("%s\n", error.what());
      return 1;
    }
    TVMFFIObjectDecRef(ours);
  }
  if (client::num_alive != 0 || ours_destroyed != 2) {
    std::printf("%d modules are left, %d destroyed\n", client::num_alive, ours_destroyed);
    return 1;
  }
  return 0;
}
