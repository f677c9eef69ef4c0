/* SPDX-License-Identifier: Apache-2.0 */
/* windows.h of Windows 8 and newer, for windows.c and the tool, with as few macros as possible. */
#ifndef TVMFFI_PLATFORM_WIN32_H_
#define TVMFFI_PLATFORM_WIN32_H_

#if defined(_WIN32)
#if !defined(_WIN32_WINNT) || _WIN32_WINNT < 0x0602
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef NOGDI
#define NOGDI
#endif
/* The single file of tools/amalgamate hides what its headers declare, but functions of other
 * libraries cannot be hidden. */
#pragma GCC visibility push(default)
#include <windows.h>
#pragma GCC visibility pop
#endif

#endif /* TVMFFI_PLATFORM_WIN32_H_ */
