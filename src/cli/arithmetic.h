/* SPDX-License-Identifier: BSD-2-Clause */
/* How much arithmetic variables take, by op, from the sizes that are known
 * (flops.h). What is inside of a loop counts for each iteration. Bytes are
 * those of all inputs and outputs of a node, as if each were a kernel. */
#ifndef CLI_ARITHMETIC_H
#define CLI_ARITHMETIC_H

#include <gpugraph/graph.h>

#include "base/vec.h"

typedef struct cli_cost {
  const char *op;
  size_t nodes;
  size_t open;      /* of these, nodes with sizes that are not known */
  size_t uncounted; /* of these, nodes whose arithmetic is not counted */
  double flops, bytes;
} cli_cost;

typedef GA_VEC(cli_cost) cli_costs;

/* Fill the zeroed list, the most arithmetic first; vars ends with NULL. The
 * caller clears it, also after an error. Macros are lowered in the graph of the
 * variables. */
int cli_costs_of(cli_costs *list, gg_var *const *vars);
/* The sum over the list. */
cli_cost cli_costs_sum(const cli_costs *list);
/* The bytes of a variable; -1 if a size is not known. */
double cli_var_bytes(const gg_var *v);

#endif
