/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile that is built. Both compile the same code; what depends on this constant being 1 is
 * never called in the core profile, and the linker drops it there.
 */
#ifndef TVMFFI_BASE_PROFILE_H_
#define TVMFFI_BASE_PROFILE_H_

#ifdef TVMFFI_PROFILE_FULL
enum { kTvmffiFullProfile = 1 };
#else
enum { kTvmffiFullProfile = 0 };
#endif

#endif /* TVMFFI_BASE_PROFILE_H_ */
