/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations of cumulations. */
#ifndef ORDER_CUMULATE_OP_H
#define ORDER_CUMULATE_OP_H

#include <gpuarray/cumulate.h>

#include "base/err.h"
#include "base/strb.h"

/* The name of a valid operation, such as "cumsum". */
const char *ga__cumulate_op_name(ga_cumulate_op op);
/* What a total costs, in hundredths of the time of as many results. */
unsigned int ga__cumulate_op_total_time(ga_cumulate_op op);
/* GA_VALUE_ERROR unless `op` is an operation for values of this dtype. `name`
 * is what messages call the value. */
int ga__cumulate_check_op(const char *name, ga_cumulate_op op, int typecode);
/* Append the texts `combine` and `neutral` (see GpuCumulationSpec) of `op` for
 * the value `v`. `op` is not GA_CUMULATE_EXPR. */
void ga__cumulate_write_op(ga__strb *combine, ga__strb *neutral,
                           ga_cumulate_op op, const gpuelemwise_arg *v);

#endif
