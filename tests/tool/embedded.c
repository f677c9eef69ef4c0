/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what is embedded in it, by the header and the table of contents that the tool wrote. */
#include <stdint.h>
#include <stdio.h>

#include "k.h"

int main(void) {
  const k_file *file;
  size_t i;
  for (file = k_files; file->name != NULL; ++file) {
    unsigned long sum = 0;
    for (i = 0; i < file->size; ++i) sum = sum * 31 % 1000003 + file->data[i];
    printf("%s %lu %lu %d\n", file->name, (unsigned long)file->size, sum,
           (int)((uintptr_t)file->data % 128));
  }
  printf("%lu %d\n", (unsigned long)k_a_b_bin_size, k_a_b_bin == k_files[0].data);
  return 0;
}
