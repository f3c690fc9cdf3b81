/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of expressions in generated kernels: source that loads them at the
 * start of a function into variables of w_ types with the names that the
 * expression uses, and stores them at its end. */
#ifndef CODEGEN_GEN_ARG_H
#define CODEGEN_GEN_ARG_H

#include <gpuarray/elemwise.h>

#include "base/strb.h"
#include "layout/space.h"

/* Nonzero if an argument is a scalar, passed by value. */
int ga__arg_is_value(const gpuelemwise_arg *a);

/* The type of elements in memory, and of a scalar's parameter. A narrow float
 * is its bits. */
const char *ga__arg_value_type(int typecode);

/* The name of a dtype after "w_". */
const char *ga__arg_w_name(int typecode);

/* The macros in front of cl/complex.cl for a complex dtype, with its w_ name;
 * NULL for other dtypes. */
const char *ga__arg_complex_head(int typecode);

/* Declare a scalar in all lanes. `from` is the name of its parameter. */
void ga__arg_write_value(ga__strb *b, const gpuelemwise_arg *a,
                         const char *from, int is_vector);

/* Declare an array argument, and load it if it is read. `at` is an expression
 * for a pointer to the bytes of lane 0, `apart` one for the bytes from lane to
 * lane, which only GA_LANES_APART uses. */
void ga__arg_write_read(ga__strb *b, const gpuelemwise_arg *a, const char *at,
                        const char *apart, ga__lane_step step);

/* Store an array argument if it is written. Its lanes are contiguous. */
void ga__arg_write_store(ga__strb *b, const gpuelemwise_arg *a, const char *at,
                         ga__lane_step step);
/* The same around the caches of a CPU, for dtypes that are not complex. */
void ga__arg_write_stream(ga__strb *b, const gpuelemwise_arg *a,
                          const char *at);

#endif
