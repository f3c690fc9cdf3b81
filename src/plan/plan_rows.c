/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of row programs. */
#include "base/dtype.h"
#include "plan/builder.h"
#include "plan/plan.h"

static int same_item(const gg__builder *b, unsigned int v, unsigned int w) {
  return ga__dtype_size(gg__value_at(b, v)->var->type.dtype) ==
         ga__dtype_size(gg__value_at(b, w)->var->type.dtype);
}

static int is_read_by(const gg__body *b, unsigned int v) {
  for (unsigned int i = 0; i < b->n_in; i++)
    if (b->in[i] == v)
      return 1;
  return 0;
}

/* The last phase reads and writes element by element, so what it stores may
 * have the memory of an input that dies. */
static int put_element_output(gg__builder *b, const gg__step *s,
                              unsigned int v) {
  const gg__body *m = &s->map;

  if (gg__rows_store_last(b->p, s->rows, v)) {
    for (unsigned int i = 0; i < m->n_in; i++) {
      unsigned int in = m->in[i];
      if (gg__may_take_over(b, v, in) && same_item(b, in, v) &&
          gg__value_at(b, in)->space == gg__value_at(b, v)->space &&
          !is_read_by(&s->post, in)) {
        gg__take_over(b, v, in);
        return GA_NO_ERROR;
      }
    }
  }
  return gg__put_output(b, v);
}

static int put_outputs(gg__builder *b, const gg__step *s) {
  for (unsigned int i = 0; i < s->map.n_out; i++)
    GA_TRY(put_element_output(b, s, s->map.out[i]));
  for (unsigned int i = 0; i < s->post.n_out; i++)
    GA_TRY(gg__put_output(b, s->post.out[i]));
  return GA_NO_ERROR;
}

static int prepare(gg__builder *b, const gg__step *s, GpuLaunch **l) {
  const gg_dims *d = &b->sizes->dims[s->rows->from];
  const gg__body *t = &s->post;
  void **args = gg__body_arguments(b, &s->map);
  void **row_args = gg__body_arguments(b, t);
  unsigned char reduced[GG_MAX_ND];

  if (args == NULL || row_args == NULL)
    return GA_MEMORY_ERROR;
  for (unsigned int i = 0; i < d->nd; i++)
    reduced[i] = s->rows->mask >> i & 1u;
  for (unsigned int i = 0; i < t->n_in + t->n_scalars + t->n_out; i++)
    if (i < t->n_in || i >= t->n_in + t->n_scalars)
      gg__expand_array(row_args[i], d->nd, reduced);
  return GpuRows_prepare(l, s->ro, d->nd, d->dim, reduced, args, row_args);
}

static double flops_of(const gg__builder *b, const gg__step *s) {
  const double n = (double)gg__dims_size(&b->sizes->dims[s->rows->from]);
  double flops = n * s->map.flops;

  for (unsigned int i = 0; i < s->rows->n_items; i++)
    flops += s->rows->items[i].kind == GG_ROW_REDUCE ? n : 0;
  return flops;
}

int gg__plan_rows(gg__builder *b, gg__step *s) {
  const gg__body *m = &s->map, *t = &s->post;
  const unsigned int first = m->n_in + m->n_scalars + m->n_out;
  GpuLaunch *l = NULL;

  GA_TRY(gg__need_places(b, m->in, m->n_in));
  GA_TRY(gg__need_places(b, t->in, t->n_in));
  GA_TRY(put_outputs(b, s));
  GA_TRY(gg__step_kernel(b->p, s));
  GA_TRY(prepare(b, s, &l));
  GA_TRY(gg__add_launch(b, l, flops_of(b, s)));
  GA_TRY(gg__bind_values(b, m->in, m->n_in, 0));
  GA_TRY(gg__bind_values(b, m->out, m->n_out, m->n_in + m->n_scalars));
  GA_TRY(gg__bind_values(b, t->in, t->n_in, first));
  GA_TRY(gg__bind_values(b, t->out, t->n_out, first + t->n_in + t->n_scalars));
  gg__release_values(b, m->in, m->n_in);
  gg__release_values(b, t->in, t->n_in);
  return GA_NO_ERROR;
}
