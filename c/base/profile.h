/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile that is built. Code that depends on this constant being 1 is compiled in both, never
 * called in the core profile, and dropped there by the linker. Tables whose contents differ use
 * TVMFFI_PROFILE_FULL itself.
 */
#ifndef TVMFFI_BASE_PROFILE_H_
#define TVMFFI_BASE_PROFILE_H_

#ifdef TVMFFI_PROFILE_FULL
enum { kTvmffiFullProfile = 1 };
#else
enum { kTvmffiFullProfile = 0 };
#endif

#endif /* TVMFFI_BASE_PROFILE_H_ */
