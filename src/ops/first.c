/* SPDX-License-Identifier: BSD-2-Clause */
/* For ops whose result has the type of their first operand. Some of them change
 * that operand: in place, or in a copy, which a launch makes before the launch
 * of the op. */
#include "ops/ops.h"

int gg__infer_first(const gg_apply *a, gg_type *out) {
  *out = *gg_var_type(a->in[0]);
  return GA_NO_ERROR;
}

int gg__infer_of_second(const gg_apply *a, gg_type *out) {
  return gg_infer_elemwise(a, gg_var_type(a->in[1])->dtype, out);
}

int gg__shape_first(const gg_apply *a, const gg_dims *in,
                    const double *const *host, gg_dims *out) {
  (void)a;
  (void)host;
  *out = in[0];
  return GA_NO_ERROR;
}

int gg__grad_first(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  (void)a;
  gin[0] = gout[0];
  return GA_NO_ERROR;
}

void gg__eval_same(const double *x, double *y) {
  y[0] = x[0];
  y[1] = x[1];
}

double gg__eval_first(const double *x) {
  return x[0];
}

/* --- ops without gradients --- */

int gg__not_connected(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  (void)in;
  (void)out;
  return 0;
}

/* --- ops that change their first operand --- */

int gg__destroys_first(const gg_apply *a, unsigned int out) {
  (void)a;
  (void)out;
  return 0;
}

static int is_in_place(const gg_prepare *p) {
  return p->out[0]->data == p->in[0]->data &&
         p->out[0]->offset == p->in[0]->offset;
}

unsigned int gg__parts_first(const gg_prepare *p) {
  return is_in_place(p) ? 1 : 2;
}

int gg__prepare_first(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                      int *slot_out, int *done) {
  *done = !is_in_place(p) && p->part == 0;
  if (!*done)
    return GA_NO_ERROR;
  slot_out[0] = 0;
  slot_in[0] = 1;
  return gg__prepare_copy(out, p->ctx, p->out[0], p->in[0]);
}
