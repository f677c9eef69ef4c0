/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tool's parsers use of the rest of the tool, for targets: reports are counted and not
 * printed, every file has the same content, and tensors are small.
 */
#ifndef TESTS_FUZZ_QUIET_H_
#define TESTS_FUZZ_QUIET_H_

#include <stddef.h>
#include <stdint.h>

extern int quiet_num_reports;
extern const uint8_t *quiet_file;
extern size_t quiet_file_size;

#endif /* TESTS_FUZZ_QUIET_H_ */
