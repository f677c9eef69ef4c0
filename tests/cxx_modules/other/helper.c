/* SPDX-License-Identifier: Apache-2.0 */
/* Another version: it lacks the symbol that the runtime looks up, whose name has the version. */
extern const int tvmffi_cxx_helper_v0;
const int tvmffi_cxx_helper_v0 = 0;
