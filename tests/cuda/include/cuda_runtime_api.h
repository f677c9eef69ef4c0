/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces the toolkit's cuda_runtime_api.h: the part of cuda_runtime.h that is C. */
#include "cuda_runtime.h"
