/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked for by the name of its version is not here. */
extern const int tvmffi_cxx_helper_v0;
const int tvmffi_cxx_helper_v0 = 0;
