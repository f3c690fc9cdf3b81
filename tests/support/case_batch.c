/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/case_batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "support/device.h"

static void add_output(case_batch *b, const case_run *r, gg_var *v,
                       int is_gradient) {
  assert_true(b->n_out < CASE_MOST);
  b->of[b->n_out] = r;
  b->is_gradient[b->n_out] = is_gradient;
  b->out[b->n_out++] = v;
}

static int is_float(const gg_var *v) {
  return ga__dtype_kind(gg_var_type(v)->dtype) == GA_KIND_FLOAT;
}

/* Ask for the gradients of a case's float operands. */
static void add_gradients(case_batch *b, const case_run *r) {
  gg_var *wrt[3], *grad[3];
  unsigned int n = 0;

  for (unsigned int i = 0; i < r->c->n_in; i++)
    if (is_float(r->x[i]))
      wrt[n++] = r->x[i];
  if (n == 0 || !r->c->gradient || !is_float(r->y))
    return;
  gg_var *cost = case_cost(r, interp_eval(b->it, r->y));
  if (gg_grad_ex(grad, cost, n, wrt, 0, NULL, GG_GRAD_ALLOW_DISCONNECTED) !=
      GA_NO_ERROR)
    fail_msg("%s: %s", r->c->name, gg_graph_error(b->g));
  for (unsigned int i = 0; i < n; i++)
    add_output(b, r, grad[i], 1);
}

/* The operand as an array of its dtype. */
static void make_array(GpuArray *a, const case_run *r, unsigned int i) {
  const int dtype = gg_var_type(r->x[i])->dtype;
  const size_t size = ga__dtype_size(dtype);
  char *raw = malloc(r->n[i] * size + 1);

  assert_non_null(raw);
  for (size_t k = 0; k < r->n[i]; k++)
    ga__dtype_from_double(dtype, raw + k * size, r->value[i][k]);
  test_array(a, dtype, r->c->in[i].nd, r->c->in[i].dims, raw);
  free(raw);
}

static void add_case(case_batch *b, gpucontext *ctx, const op_case *c,
                     int dtype, case_sizes sizes, int gradients) {
  case_run *r = &b->run[b->n_runs];

  if (!case_begin(r, c, b->g, dtype, sizes))
    return;
  b->n_runs++;
  case_bind(r, b->it);
  for (unsigned int i = 0; i < c->n_in; i++) {
    assert_true(b->n_in < CASE_MOST);
    if (ctx != NULL)
      make_array(&b->in_array[b->n_in], r, i);
    b->in[b->n_in++] = r->x[i];
  }
  add_output(b, r, r->y, 0);
  if (gradients)
    add_gradients(b, r);
}

size_t case_batch_begin(case_batch *b, gpucontext *ctx, size_t first, int dtype,
                        case_sizes sizes, int gradients) {
  size_t i = first;

  memset(b, 0, sizeof *b);
  b->g = gg_graph_new(ctx);
  b->it = interp_new();
  for (size_t k = 0; k < CASE_BATCH && i < n_op_cases; k++, i++)
    add_case(b, ctx, &op_cases[i], dtype, sizes, gradients);
  assert_int_equal(gg_graph_status(b->g), GA_NO_ERROR);
  return i;
}

/* Debug mode keeps subnormals: in quick tests all modes share its kernels. */
gg_func_spec case_batch_spec(case_batch *b) {
  return (gg_func_spec){.name = "cases",
                        .inputs = b->in,
                        .outputs = b->out,
                        .flags = GG_ALLOW_UNUSED_INPUT |
                                 (test_is_quick() ? GG_KEEP_SUBNORMALS : 0)};
}

void case_batch_end(case_batch *b) {
  for (unsigned int i = 0; i < b->n_runs; i++)
    case_end(&b->run[i]);
  for (unsigned int i = 0; i < b->n_in; i++)
    GpuArray_clear(&b->in_array[i]);
  interp_free(b->it);
  gg_graph_free(b->g);
}
