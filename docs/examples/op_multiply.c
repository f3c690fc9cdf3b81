/* SPDX-License-Identifier: BSD-2-Clause */
/* z = x * y of two matrices by a kernel in plain OpenCL C.
 *
 *   op_multiply */
#include "op_example.h"

static const int types[] = {GA_BUFFER, GA_BUFFER, GA_BUFFER, GA_SIZE};
static const GpuKernelSpec multiply = {
    .name = "multiply",
    .code = "kernel void multiply(global const DTYPE_INPUT_0 *x,\n"
            "                     global const DTYPE_INPUT_1 *y,\n"
            "                     global DTYPE_OUTPUT_0 *z, ulong n) {\n"
            "  size_t i = get_global_id(0);\n"
            "  if (i < n) z[i] = x[i] * y[i];\n"
            "}\n",
    .n_types = 4,
    .types = types,
    .flags = GA_USE_OPENCL};

static int multiply_infer(const gg_apply *a, gg_type *out) {
  if (gg_var_type(a->in[1])->dtype != gg_var_type(a->in[0])->dtype)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected operands of one dtype");
  return gg_infer_elemwise(a, gg_var_type(a->in[0])->dtype, out);
}

static int multiply_prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                            int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  size_t n = example_count(p->in[0]);

  GpuLaunch_scall(l, &multiply, 1, &n, 0,
                  (void *[]){p->in[0], p->in[1], p->out[0], &n});
  return GpuLaunch_close(out, l);
}

static const gg_op multiply_op = {.name = "multiply",
                                  .kind = GG_OP_KERNEL,
                                  .n_out = 1,
                                  .c_order = 1,
                                  .infer = multiply_infer,
                                  .shape = example_shape,
                                  .prepare = multiply_prepare};

int main(void) {
  static const float v[6] = {0, 1, 2, 3, 4, 5};
  gg_graph *g = example_open();
  gg_var *x = example_shared(g, 2, 3, v);
  gg_var *in[2] = {x, gg_neg(x)};
  gg_var *z = gg_op_apply(NULL, &multiply_op, NULL, 2, in);

  example_expect(z, 6, (float[]){0, -1, -4, -9, -16, -25});
  return example_close(g);
}
