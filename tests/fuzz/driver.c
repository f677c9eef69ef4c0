/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a target without libFuzzer: on the files, folders and tar archives that are named, or on
 * stdin. Compiled by afl-clang-fast, on the inputs of afl-fuzz, many in one process.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#ifdef __AFL_FUZZ_TESTCASE_LEN
#include <unistd.h>
__AFL_FUZZ_INIT();
#endif

enum { kMaxInput = 1 << 20, kTarBlock = 512 };
static int num_inputs;

/* In a block of exactly its size, so that sanitizers see reads past its end. */
static void run(const uint8_t *data, size_t size) {
  uint8_t *exact = malloc(size > 0 ? size : 1);
  fuzz_require(exact != NULL);
  if (size > 0) memcpy(exact, data, size);
  LLVMFuzzerTestOneInput(exact, size);
  free(exact);
  ++num_inputs;
}

static void run_file(FILE *file) {
  uint8_t *data = malloc(kMaxInput);
  size_t size;
  fuzz_require(data != NULL && file != NULL);
  size = fread(data, 1, kMaxInput, file);
  fuzz_require(ferror(file) == 0);
  run(data, size);
  free(data);
}

/* Each member of a POSIX ustar archive: a header with the size in octal digits at byte 124, then
   the content in whole blocks. A block of zeros ends the archive. */
static void run_archive(FILE *file) {
  char header[kTarBlock];
  uint8_t *data = malloc(kMaxInput);
  fuzz_require(data != NULL);
  for (;;) {
    size_t size, in_blocks;
    fuzz_require(fread(header, 1, kTarBlock, file) == kTarBlock);
    if (header[0] == '\0') break;
    fuzz_require(memcmp(header + 257, "ustar", 6) == 0);
    header[124 + 12] = '\0';
    size = strtoul(header + 124, NULL, 8);
    fuzz_require(size <= kMaxInput);
    in_blocks = (size + kTarBlock - 1) / kTarBlock * kTarBlock;
    fuzz_require(fread(data, 1, in_blocks, file) == in_blocks);
    run(data, size);
  }
  free(data);
}

static void run_path(const char *path) {
  DIR *folder = opendir(path);
  struct dirent *entry;
  if (folder == NULL) {
    size_t length = strlen(path);
    FILE *file = fopen(path, "rb");
    fuzz_require(file != NULL);
    if (length > 4 && strcmp(path + length - 4, ".tar") == 0) {
      run_archive(file);
    } else {
      run_file(file);
    }
    fclose(file);
    return;
  }
  while ((entry = readdir(folder)) != NULL) {
    char name[4096];
    int length;
    if (entry->d_name[0] == '.') continue;
    length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    fuzz_require(length > 0 && (size_t)length < sizeof name);
    run_path(name);
  }
  closedir(folder);
}

int main(int argc, char **argv) {
  int i;
#ifdef __AFL_FUZZ_TESTCASE_LEN
  if (argc == 1) {
    const uint8_t *data;
    __AFL_INIT();
    data = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(10000)) run(data, (size_t)__AFL_FUZZ_TESTCASE_LEN);
    return 0;
  }
#endif
  if (argc == 1) run_file(stdin);
  for (i = 1; i < argc; ++i) run_path(argv[i]);
  printf("%d inputs\n", num_inputs);
  return num_inputs > 0 ? 0 : 1;
}
