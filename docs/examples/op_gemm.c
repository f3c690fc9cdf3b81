/* SPDX-License-Identifier: BSD-2-Clause */
/* A product by the array layer, called anew at every run with whatever arrays
 * there are then.
 *
 *   op_gemm */
#include <gpuarray/blas.h>

#include "op_example.h"

static int gemm_infer(const gg_apply *a, gg_type *out) {
  const gg_type *x = gg_var_type(a->in[0]), *y = gg_var_type(a->in[1]);

  if (x->nd != 2 || y->nd != 2 || x->dtype != y->dtype)
    return gg_op_fail(a, GA_VALUE_ERROR, "expected two matrices of one dtype");
  *out =
      (gg_type){.dtype = x->dtype, .nd = 2, .dims = {x->dims[0], y->dims[1]}};
  return GA_NO_ERROR;
}

static int gemm_shape(const gg_apply *a, const gg_dims *in,
                      const double *const *number, gg_dims *out) {
  (void)number;
  if (in[0].dim[1] != in[1].dim[0])
    return gg_op_fail(a, GA_VALUE_ERROR, "%zu columns and %zu rows",
                      in[0].dim[1], in[1].dim[0]);
  *out = (gg_dims){2, {in[0].dim[0], in[1].dim[1]}};
  return GA_NO_ERROR;
}

static int gemm_perform(const gg_prepare *p) {
  return GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, p->in[0], p->in[1], 0,
                        p->out[0], 0);
}

/* The gradient is written with other ops, here the built-in product. */
static int gemm_grad(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  gin[0] = gg_dot(gout[0], gg_transpose(a->in[1]));
  gin[1] = gg_dot(gg_transpose(a->in[0]), gout[0]);
  return GA_NO_ERROR;
}

static const gg_op gemm_op = {.name = "my_gemm",
                              .kind = GG_OP_PERFORM,
                              .n_out = 1,
                              .infer = gemm_infer,
                              .shape = gemm_shape,
                              .grad = gemm_grad,
                              .perform = gemm_perform};

int main(void) {
  static const float v[6] = {1, 2, 3, 4, 5, 6};
  gg_graph *g = example_open();
  gg_var *x = example_shared(g, 2, 3, v), *slope;
  gg_var *in[2] = {x, gg_transpose(x)};
  gg_var *z = gg_op_apply(NULL, &gemm_op, NULL, 2, in);

  gg_grad(&slope, gg_sum(z), 1, &x);
  example_expect(z, 4, (float[]){14, 32, 32, 77});
  example_expect(slope, 6, (float[]){10, 14, 18, 10, 14, 18});
  return example_close(g);
}
