/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For fuzz targets. Each fuzz_<name>.c defines LLVMFuzzerTestOneInput; libFuzzer or driver.c calls
 * it. A finding ends the process: by a sanitizer, or by fuzz_require.
 */
#ifndef TESTS_FUZZ_FUZZ_H_
#define TESTS_FUZZ_FUZZ_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define fuzz_require(condition) ((condition) ? (void)0 : fuzz_found(__FILE__, __LINE__, #condition))
void fuzz_found(const char *file, int line, const char *condition);

/* ---- The input ---- */

typedef struct {
  const uint8_t *pos, *end;
} fuzz_input;

static inline fuzz_input fuzz_open(const uint8_t *data, size_t size) {
  fuzz_input input;
  input.pos = data;
  input.end = data + size;
  return input;
}

/* 0 at the end of the input. */
static inline uint8_t fuzz_byte(fuzz_input *input) {
  return input->pos < input->end ? *input->pos++ : 0;
}

/* A little-endian integer of num_bytes, with its sign. */
int64_t fuzz_int(fuzz_input *input, int num_bytes);

/* A length of one byte, modulo limit, and that many bytes, which are those of the input. */
TVMFFIByteArray fuzz_text(fuzz_input *input, size_t limit);

/* ---- The runtime ---- */

/* Around each input. At the end the blocks of the runtime are those of the beginning, or it is shut
 * down and none may be left. */
void fuzz_begin(void);
void fuzz_end(void);

/* The allocation after n more fails; with from_then_on all later ones too. Negative: none. */
void fuzz_fail_after(long n, bool from_then_on);

/*
 * Checks what a call returned: with non-zero an error whose kind is one of those that the library
 * documents, with 0 none. Returns rc, and leaves no error raised.
 */
int fuzz_checked(int rc);

/* The same for a global function, whose result, if there is one, is a proper owned value. */
int fuzz_call(const char *name, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);
/* Calls a Function. */
int fuzz_call_function(TVMFFIObjectHandle function, const TVMFFIAny *args, int32_t num_args,
                       TVMFFIAny *result);

/* Checks that all 16 bytes are those of an owned value. */
void fuzz_check_value(const TVMFFIAny *value);

/* A view of a text. */
TVMFFIAny fuzz_view(const TVMFFIByteArray *text);
TVMFFIByteArray fuzz_bytes_of(const TVMFFIAny *text);
bool fuzz_same_bytes(TVMFFIByteArray a, TVMFFIByteArray b);

/* ---- Parsers of the tool ---- */

/*
 * What they use of the rest of the tool (quiet.c): reports are counted and not printed, every file
 * has the same content, and tensors are small.
 */
extern int quiet_num_reports;
extern const uint8_t *quiet_file;
extern size_t quiet_file_size;
extern uint8_t *quiet_written; /* the file that was written last; release with free() */
extern size_t quiet_written_size;

#endif /* TESTS_FUZZ_FUZZ_H_ */
