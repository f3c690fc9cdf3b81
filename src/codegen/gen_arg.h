/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of expressions in generated kernels, under their users' names and
 * as w_ types: loads at the head of a function, stores at its end. */
#ifndef CODEGEN_GEN_ARG_H
#define CODEGEN_GEN_ARG_H

#include <gpuarray/elemwise.h>

#include "base/strb.h"
#include "layout/space.h"

/* Whether an argument is one value, not an array. */
int ga__arg_is_value(const gpuelemwise_arg *a);

/* The plain type of a value argument; half travels as its bits. */
const char *ga__arg_value_type(int typecode);

/* What follows w_ in the name of a dtype. */
const char *ga__arg_w_name(int typecode);

/* What stands in front of cl/complex.cl for a complex dtype, and names it as a
 * w_ type; NULL for others. */
const char *ga__arg_complex_head(int typecode);

/* Declare a value argument as the lanes see it: `from` is its parameter. */
void ga__arg_write_value(ga__strb *b, const gpuelemwise_arg *a,
                         const char *from, int is_vector);

/* Declare an array argument, loaded if it is read. `at` names a pointer to the
 * bytes of lane 0, `apart` the bytes from lane to lane, for GA_LANES_APART. */
void ga__arg_write_read(ga__strb *b, const gpuelemwise_arg *a, const char *at,
                        const char *apart, ga__lane_step step);

/* Store an array argument, if it is written, in neighbouring places. */
void ga__arg_write_store(ga__strb *b, const gpuelemwise_arg *a, const char *at,
                         ga__lane_step step);

#endif
