/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <string.h> with functions alone. With _GNU_SOURCE, glibc 2.43 and newer also make macros of these
 * names, with _Generic, which is not C99: clang warns with -Wpedantic.
 */
#ifndef TVMFFI_PLATFORM_C99_STRING_H_
#define TVMFFI_PLATFORM_C99_STRING_H_

#include <string.h>

#undef memchr
#undef strchr
#undef strpbrk
#undef strrchr
#undef strstr

#endif /* TVMFFI_PLATFORM_C99_STRING_H_ */
