/* SPDX-License-Identifier: Apache-2.0 */
#include "file/binary_file.h"

#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "file/elf_format.h"

static const machine kMachines[] = {
    {EM_X86_64, "x86-64", 64, false, 0, R_X86_64_64, false, 0x8664, 0x01000007},
    {EM_AARCH64, "aarch64", 64, false, 0, R_AARCH64_ABS64, false, 0xaa64, 0x0100000c},
    {EM_386, "i386", 32, false, 0, R_386_32, true, 0x14c, 7},
    {EM_ARM, "arm", 32, false, 0x05000000 /* EABI 5 */, R_ARM_ABS32, true, 0x1c4, 12},
    {EM_RISCV, "riscv64", 64, false, 4 /* lp64d */, R_RISCV_64, false, 0x5064, 0},
    {EM_RISCV, "riscv32", 32, false, 4, R_RISCV_32, false, 0x5032, 0},
    {EM_PPC64, "ppc64le", 64, false, 2 /* ELFv2 */, R_PPC64_ADDR64, false, 0, 0},
    {EM_PPC64, "ppc64", 64, true, 0, R_PPC64_ADDR64, false, 0, 0x01000012},
    {EM_PPC, "powerpc", 32, true, 0, R_PPC_ADDR32, false, 0, 18},
    {EM_S390, "s390x", 64, true, 0, R_390_64, false, 0, 0},
    {EM_LOONGARCH, "loongarch64", 64, false, 0x43, R_LARCH_64, false, 0x6264, 0},
    /* Only to show their names: objects for these vary in more than their number says. */
    {EM_X86_64, "x32", 32, false, 0, 0, false, 0, 0},
    {EM_ARM, "armeb", 32, true, 0, 0, false, 0, 0},
    {EM_AARCH64, "aarch64_be", 64, true, 0, 0, false, 0, 0},
    {EM_S390, "s390", 32, true, 0, 0, false, 0, 0},
    {EM_MIPS, "mips", 32, true, 0, 0, false, 0, 0},
    {EM_MIPS, "mipsel", 32, false, 0, 0, false, 0, 0},
    {EM_MIPS, "mips64", 64, true, 0, 0, false, 0, 0},
    {EM_MIPS, "mips64el", 64, false, 0, 0, false, 0, 0},
    {EM_SPARCV9, "sparc64", 64, true, 0, 0, false, 0, 0},
    {EM_CUDA, "cuda", 64, false, 0, 0, false, 0, 0},
    {EM_AMDGPU, "amdgpu", 64, false, 0, 0, false, 0, 0},
};
enum { kNumMachines = sizeof kMachines / sizeof *kMachines };

/* NULL if the machine is not known. */
static const machine *find(unsigned number, int bits, bool is_big_endian) {
  size_t i;
  for (i = 0; i < kNumMachines; ++i) {
    const machine *entry = &kMachines[i];
    if (entry->number == number && entry->bits == bits && entry->is_big_endian == is_big_endian) {
      return entry;
    }
  }
  return NULL;
}

const char *machine_name(unsigned number, int bits, bool is_big_endian, char buffer[24]) {
  const machine *known = find(number, bits, is_big_endian);
  if (known != NULL) return known->name;
  snprintf(buffer, 24, "machine %u", number);
  return buffer;
}

const machine *machine_find_coff(unsigned coff) {
  size_t i;
  for (i = 0; coff != 0 && i < kNumMachines; ++i) {
    if (kMachines[i].coff == coff) return &kMachines[i];
  }
  return NULL;
}

const machine *machine_find_macho(uint32_t macho) {
  size_t i;
  for (i = 0; macho != 0 && i < kNumMachines; ++i) {
    if (kMachines[i].macho == macho) return &kMachines[i];
  }
  return NULL;
}

const char *machine_own_name(void) {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__i386__)
  return "i386";
#elif defined(__arm__)
  return "arm";
#elif defined(__riscv)
  return sizeof(void *) == 8 ? "riscv64" : "riscv32";
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
  return "ppc64le";
#elif defined(__powerpc64__)
  return "ppc64";
#elif defined(__powerpc__)
  return "powerpc";
#elif defined(__s390x__)
  return "s390x";
#elif defined(__loongarch64)
  return "loongarch64";
#else
  return "this one";
#endif
}

bool machine_is_own(unsigned number, int bits, bool is_big_endian) {
  size_t i;
  for (i = 0; i < kNumMachines; ++i) {
    const machine *own = &kMachines[i];
    if (strcmp(own->name, machine_own_name()) != 0) continue;
    return own->number == number && own->bits == bits && own->is_big_endian == is_big_endian;
  }
  return true;
}

bool machine_parse(const char *text, machine *out) {
  const char *name = *text != '\0' ? text : machine_own_name();
  char order[3];
  int end = 0;
  size_t i;
  for (i = 0; i < kNumMachines; ++i) {
    if (strcmp(kMachines[i].name, name) == 0) {
      *out = kMachines[i];
      return true;
    }
  }
  memset(out, 0, sizeof *out);
  out->name = text;
  if (sscanf(text, "%5u:%2d:%2s%n", &out->number, &out->bits, order, &end) == 3 &&
      text[end] == '\0' && out->number <= 0xffff && (out->bits == 32 || out->bits == 64) &&
      (strcmp(order, "le") == 0 || strcmp(order, "be") == 0)) {
    const machine *known = find(out->number, out->bits, *order == 'b');
    out->is_big_endian = *order == 'b';
    if (known != NULL) *out = *known;
    return true;
  }
  return report_error(
      "--machine must be a name (x86-64, aarch64, i386, arm, riscv64, ppc64le, s390x ...) "
      "or NUMBER:BITS:le, NUMBER:BITS:be, not \"%s\"",
      name);
}
