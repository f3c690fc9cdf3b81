/* SPDX-License-Identifier: BSD-2-Clause */
/* x + y and x - y of matrices that lie in memory as they will: the kernel gets
 * offsets and strides, so that a transposed or reversed operand costs no copy.
 */
#include "op_example.h"

static const int types[] = {GA_BUFFER, GA_OFFSET, GA_SSIZE, GA_SSIZE,
                            GA_BUFFER, GA_OFFSET, GA_SSIZE, GA_SSIZE,
                            GA_BUFFER, GA_BUFFER, GA_SIZE,  GA_SIZE};
static const GpuKernelSpec both = {
    .name = "both",
    .code = "#define AT(T, a, off, s0, s1) (*(GLOBAL_MEM T *)((GLOBAL_MEM char "
            "*)a + off + r * s0 + c * s1))\n"
            "KERNEL void both(GLOBAL_MEM DTYPE_INPUT_0 *x, ga_size xo,\n"
            "    ga_ssize x0, ga_ssize x1, GLOBAL_MEM DTYPE_INPUT_1 *y,\n"
            "    ga_size yo, ga_ssize y0, ga_ssize y1,\n"
            "    GLOBAL_MEM DTYPE_OUTPUT_0 *plus,\n"
            "    GLOBAL_MEM DTYPE_OUTPUT_1 *minus, ga_size n, ga_size m) {\n"
            "  ga_ssize i = GID_0 * LDIM_0 + LID_0, r = i / m, c = i % m;\n"
            "  if (r < n) {\n"
            "    plus[i] = AT(DTYPE_INPUT_0, x, xo, x0, x1) +\n"
            "              AT(DTYPE_INPUT_1, y, yo, y0, y1);\n"
            "    minus[i] = AT(DTYPE_INPUT_0, x, xo, x0, x1) -\n"
            "               AT(DTYPE_INPUT_1, y, yo, y0, y1);\n"
            "  }\n"
            "}\n",
    .n_types = 12,
    .types = types};

static int both_prepare(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  GpuLaunch *l = gg_launch_open(p, slot_in, slot_out);
  GpuArray *x = p->in[0], *y = p->in[1];
  size_t n = example_count(x), *dims = x->dimensions;

  GpuLaunch_scall(l, &both, 1, &n, 0,
                  (void *[]){x, NULL, &x->strides[0], &x->strides[1], y, NULL,
                             &y->strides[0], &y->strides[1], p->out[0],
                             p->out[1], &dims[0], &dims[1]});
  return GpuLaunch_close(out, l);
}

static const gg_op both_op = {.name = "plus_minus",
                              .kind = GG_OP_KERNEL,
                              .n_out = 2,
                              .infer = example_infer,
                              .shape = example_shape,
                              .prepare = both_prepare};

int main(void) {
  static const float v[4] = {1, 2, 3, 4};
  gg_graph *g = example_open();
  gg_var *x = example_shared(g, 2, 2, v);
  gg_var *in[2] = {gg_transpose(x), gg_slice(x, 0, GG_END, GG_END, -1)};
  gg_apply *a = gg_var_owner(gg_op_apply(NULL, &both_op, NULL, 2, in));

  example_expect(a->out[0], 4, (float[]){4, 7, 3, 6});
  example_expect(a->out[1], 4, (float[]){-2, -1, 1, 2});
  return example_close(g);
}
