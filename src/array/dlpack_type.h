/* SPDX-License-Identifier: BSD-2-Clause */
/* Typecodes and DLPack's types. */
#ifndef ARRAY_DLPACK_TYPE_H
#define ARRAY_DLPACK_TYPE_H

#include "array/dlpack_abi.h"

/* GA_UNSUPPORTED_ERROR when the other side has no such type. */
int ga__dlpack_from_type(dl_type *out, int typecode);
int ga__dlpack_to_type(int *typecode, const dl_type *t);

#endif
