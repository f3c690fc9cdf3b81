/* SPDX-License-Identifier: BSD-2-Clause */
/* DoubleOp: z = 2 x, computed by the host. The library reads the input, writes
 * the output, and shows both in the profile.
 *
 *   op_double */
#include "op_example.h"

static int double_perform(const gg_prepare *p) {
  const float *x = p->from[0];
  float *z = p->to[0];
  size_t n = example_count(p->in[0]);

  for (size_t i = 0; i < n; i++)
    z[i] = 2 * x[i];
  return GA_NO_ERROR;
}

static const gg_op double_op = {.name = "double",
                                .kind = GG_OP_PERFORM,
                                .n_out = 1,
                                .on_host = 1,
                                .infer = example_infer,
                                .shape = example_shape,
                                .perform = double_perform};

int main(void) {
  static const float v[6] = {0, 1, 2, 3, 4, 5};
  gg_graph *g = example_open();
  gg_var *x = example_shared(g, 2, 3, v);
  gg_var *z = gg_op_apply(NULL, &double_op, NULL, 1, &x);

  example_expect(z, 6, (float[]){0, 2, 4, 6, 8, 10});
  return example_close(g);
}
