/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the targets of the tool's readers of libraries. */
#ifndef TESTS_FUZZ_BINARY_H_
#define TESTS_FUZZ_BINARY_H_

#include "file/binary_file.h"

/* Reads a file of this format. All that the reader hands out must lie in the file, and be sorted.
 * The first byte of an input is inverted: the checkers of source packages complain of damaged
 * files. */
void fuzz_binary(const uint8_t *data, size_t size, binary_format format);

#endif /* TESTS_FUZZ_BINARY_H_ */
