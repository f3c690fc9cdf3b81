/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of row programs. */
#include "plan/looping.h"

static int is_read_by(const gg__body *b, unsigned int v) {
  for (unsigned int i = 0; i < b->n_in; i++)
    if (b->in[i] == v)
      return 1;
  return 0;
}

/* List in `out` the inputs that the last phase may overwrite, since it reads
 * and writes element by element: those that no row value needs. */
static int elements_alone(gg__builder *b, const gg__rows_step *x,
                          gg__body *out) {
  *out = x->elements;
  out->n_in = 0;
  out->in = gg__step_alloc(b, x->elements.n_in, sizeof *out->in);
  if (out->in == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int i = 0; i < x->elements.n_in; i++)
    if (!is_read_by(&x->row_values, x->elements.in[i]))
      out->in[out->n_in++] = x->elements.in[i];
  return GA_NO_ERROR;
}

static int put_outputs(gg__builder *b, const gg__rows_step *x) {
  const gg__body *e = &x->elements;
  gg__body alone;

  GA_TRY(elements_alone(b, x, &alone));
  for (unsigned int i = 0; i < e->n_out; i++)
    GA_TRY(gg__rows_store_last(b->p, x, e->out[i])
               ? gg__put_elementwise(b, &alone, e->out[i])
               : gg__put_output(b, e->out[i]));
  return gg__put_outputs(b, x->row_values.out, x->row_values.n_out);
}

/* A body that may run all iterations of its loop at once depends on more than
 * its arrays. */
static int ask(gg__builder *b, const gg__rows_step *x, GpuLaunch **l) {
  const size_t *answer;

  GA_TRY(gg__question_begin(b, GG_STEP_ROWS, x->mask));
  GA_TRY(gg__question_array(b, x->from, NULL));
  GA_TRY(gg__question_body(b, &x->elements));
  GA_TRY(gg__question_body(b, &x->row_values));
  if (b->u->whole == NULL)
    *l = gg__question_ask(b, &answer);
  return GA_NO_ERROR;
}

static int prepare(gg__builder *b, const gg__rows_step *x, GpuLaunch **l) {
  const gg_dims *d = &b->sizes->dims[x->from];
  unsigned char reduced[GG_MAX_ND];
  gg__kernel k;

  GA_TRY(ask(b, x, l));
  if (*l != NULL)
    return GA_NO_ERROR;
  for (unsigned int i = 0; i < d->nd; i++)
    reduced[i] = x->mask >> i & 1u;
  GA_TRY(gg__kernel_get(&b->u->kernels, b->step, &k));
  void **args = gg__body_arguments(b, &x->elements);
  void **row_args = gg__expanded_arguments(b, &x->row_values, d->nd, reduced);
  if (args == NULL || row_args == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(gg__prepare_whole(b, l, x, k.rows, reduced, args, row_args));
  if (*l != NULL)
    return GA_NO_ERROR;
  GA_TRY(GpuRows_prepare(l, k.rows, d->nd, d->dim, reduced, args, row_args));
  return gg__question_keep(b, *l, NULL, 0);
}

static double flops_of(const gg__builder *b, const gg__rows_step *x) {
  const double n = (double)gg__dims_size(&b->sizes->dims[x->from]);
  double flops = n * x->elements.flops;

  for (unsigned int i = 0; i < x->n_items; i++)
    flops += x->items[i].kind == GG_ROW_REDUCE ? n : 0;
  return flops;
}

int gg__plan_rows(gg__builder *b, const gg__step *s) {
  const gg__rows_step *x = gg__rows_of(s);
  unsigned int slot = 0;
  GpuLaunch *l = NULL;

  GA_TRY(put_outputs(b, x));
  GA_TRY(prepare(b, x, &l));
  const double times = b->plan->at_once != 0 ? (double)b->plan->at_once : 1;
  GA_TRY(gg__add_launch(b, l, times * flops_of(b, x)));
  GA_TRY(gg__bind_body(b, &x->elements, 1, &slot));
  return gg__bind_body(b, &x->row_values, 1, &slot);
}
