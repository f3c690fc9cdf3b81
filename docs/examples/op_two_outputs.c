/* SPDX-License-Identifier: BSD-2-Clause */
/* x + y and x - y by one kernel with two outputs.
 *
 *   op_two_outputs */
#include "op_example.h"

static const int types[] = {GA_BUFFER, GA_BUFFER, GA_BUFFER, GA_BUFFER,
                            GA_SIZE};
static const GpuKernelSpec both = {
    .name = "both",
    .code = "KERNEL void both(GLOBAL_MEM DTYPE_INPUT_0 *x,\n"
            "                 GLOBAL_MEM DTYPE_INPUT_1 *y,\n"
            "                 GLOBAL_MEM DTYPE_OUTPUT_0 *plus,\n"
            "                 GLOBAL_MEM DTYPE_OUTPUT_1 *minus, ga_size n) {\n"
            "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
            "  if (i < n) {\n"
            "    plus[i] = x[i] + y[i];\n"
            "    minus[i] = x[i] - y[i];\n"
            "  }\n"
            "}\n",
    .n_types = 5,
    .types = types};

static int both_prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  size_t n = example_count(p->in[0]);

  GpuLaunch_scall(l, &both, 1, &n, 0,
                  (void *[]){p->in[0], p->in[1], p->out[0], p->out[1], &n});
  return GpuLaunch_close(out, l);
}

static const gg_op both_op = {.name = "plus_minus",
                              .kind = GG_OP_KERNEL,
                              .n_out = 2,
                              .c_order = 1,
                              .infer = example_infer,
                              .shape = example_shape,
                              .prepare = both_prepare};

int main(void) {
  static const float vx[3] = {1, 2, 3}, vy[3] = {10, 20, 30};
  gg_graph *g = example_open();
  gg_var *in[2] = {example_shared(g, 0, 3, vx), example_shared(g, 0, 3, vy)};
  gg_apply *a = gg_var_owner(gg_op_apply(NULL, &both_op, NULL, 2, in));

  example_expect(a->out[0], 3, (float[]){11, 22, 33});
  example_expect(a->out[1], 3, (float[]){-9, -18, -27});
  return example_close(g);
}
