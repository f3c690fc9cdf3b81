/* SPDX-License-Identifier: BSD-2-Clause */
#include "ops/order/run_value.h"

#include <stdio.h>

int gg__merge_sizes(const gg_apply *a, unsigned int n, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  for (unsigned int k = 1; k < n; k++) {
    const gg_type *x = gg_var_type(a->in[k]);

    for (unsigned int i = 0; i < out->nd; i++) {
      if (out->dims[i] == GG_ANY)
        out->dims[i] = x->dims[i];
      else if (x->dims[i] != GG_ANY && x->dims[i] != out->dims[i])
        return gg_op_fail(a, GA_VALUE_ERROR, "dim %u: %lld and %lld differ", i,
                          (long long)out->dims[i], (long long)x->dims[i]);
    }
  }
  return GA_NO_ERROR;
}

static int infer_run(const gg_apply *a, gg_type *out) {
  const gg__run_props *p = a->props;

  GA_TRY(gg__merge_sizes(a, a->n_in, out));
  out->dtype = p->dtype;
  return GA_NO_ERROR;
}

static void print_run(const gg_apply *a, char *buf, size_t bytes) {
  const gg__run_props *p = a->props;

  snprintf(buf, bytes, "%u %s", p->value, p->after ? "after" : "before");
}

static int prepare_run(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                       int *slot_out) {
  (void)out;
  (void)slot_in;
  (void)slot_out;
  return gg_op_fail(p->apply, GA_VALUE_ERROR,
                    "what stands for a run of elements has no value outside of "
                    "the rule that combines runs");
}

const gg_op gg__op_run_value = {.name = "run_value",
                                .kind = GG_OP_KERNEL,
                                .half_ok = 1,
                                .shape_only = ~0u,
                                .props_bytes = sizeof(gg__run_props),
                                .n_out = 1,
                                .infer = infer_run,
                                .shape = gg__shape_first,
                                .connected = gg__not_connected,
                                .prepare = prepare_run,
                                .print = print_run};
