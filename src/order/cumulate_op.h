/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations of cumulations. */
#ifndef ORDER_CUMULATE_OP_H
#define ORDER_CUMULATE_OP_H

#include <gpuarray/cumulate.h>

#include "base/err.h"
#include "base/strb.h"

/* "cumsum" ... "cumlogaddexp"; borrowed. */
const char *ga__cumulate_op_name(ga_cumulate_op op);
/* Check that `op` combines values of a dtype. `name` is what messages call the
 * value. */
int ga__cumulate_check_op(const char *name, ga_cumulate_op op, int typecode);
/* Append the expression with which `op` combines the value `v`, and the one
 * that is neutral for it. */
void ga__cumulate_write_op(ga__strb *combine, ga__strb *neutral,
                           ga_cumulate_op op, const gpuelemwise_arg *v);

#endif
