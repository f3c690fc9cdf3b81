/* SPDX-License-Identifier: BSD-2-Clause */
/* z = 2 x by a kernel, for any dtype: float16 is loaded to float, worked with,
 * and stored.
 *
 *   op_double_kernel */
#include "op_example.h"

static const int types[] = {GA_BUFFER, GA_BUFFER, GA_SIZE};
static const GpuKernelSpec twice = {
    .name = "twice",
    .code = "#include \"cluda.h\"\n"
            "KERNEL void twice(GLOBAL_MEM DTYPE_INPUT_0 *x,\n"
            "                  GLOBAL_MEM DTYPE_OUTPUT_0 *z, ga_size n) {\n"
            "  ga_size i = GID_0 * LDIM_0 + LID_0;\n"
            "  if (i < n) {\n"
            "    WORK_INPUT_0 v = LOAD_INPUT_0(x[i]);\n"
            "    z[i] = WRITE_OUTPUT_0(v * 2);\n"
            "  }\n"
            "}\n",
    .n_types = 3,
    .types = types};

static int double_prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                          int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  size_t n = example_count(p->in[0]);

  GpuLaunch_scall(l, &twice, 1, &n, 0, (void *[]){p->in[0], p->out[0], &n});
  return GpuLaunch_close(out, l);
}

static const gg_op double_op = {.name = "double",
                                .kind = GG_OP_KERNEL,
                                .n_out = 1,
                                .c_order = 1,
                                .half_ok = 1,
                                .infer = example_infer,
                                .shape = example_shape,
                                .prepare = double_prepare};

int main(void) {
  static const float v[6] = {0, 1, 2, 3, 4, 5};
  static const float want[6] = {0, 2, 4, 6, 8, 10};
  gg_graph *g = example_open();
  gg_var *x = example_shared(g, 2, 3, v), *h = gg_cast(x, GA_HALF);

  example_expect(gg_op_apply(NULL, &double_op, NULL, 1, &x), 6, want);
  h = gg_op_apply(NULL, &double_op, NULL, 1, &h);
  example_expect(gg_cast(h, GA_FLOAT), 6, want);
  return example_close(g);
}
