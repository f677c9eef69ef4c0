/* SPDX-License-Identifier: Apache-2.0 */
/* For check.h, where the C library has none: cmocka.h of this folder does not jump. */
