/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversions between typecodes and DLPack's dtypes. */
#ifndef IO_DLPACK_TYPE_H
#define IO_DLPACK_TYPE_H

#include "io/dlpack_abi.h"

/* GA_UNSUPPORTED_ERROR when a dtype has no equivalent. */
int ga__dlpack_from_type(dl_type *out, int typecode);
int ga__dlpack_to_type(int *typecode, const dl_type *t);

#endif
