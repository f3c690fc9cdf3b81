/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of reductions. */
#include "plan/builder.h"

static int ask(gg__builder *b, const gg__reduce_step *x, GpuLaunch **l) {
  const gg_reduce_props *r = x->step.apply->props;
  const unsigned int from = gg__in(b->p, x->step.apply, 0);
  const size_t *answer;

  GA_TRY(gg__question_begin(b, GG_STEP_REDUCE, r->axes_mask));
  GA_TRY(gg__question_array(b, from, NULL));
  GA_TRY(gg__question_body(b, &x->map));
  GA_TRY(gg__question_body(b, &x->epilogue));
  *l = gg__question_ask(b, &answer);
  return GA_NO_ERROR;
}

static int prepare(gg__builder *b, const gg__reduce_step *x, GpuLaunch **l) {
  const gg_apply *a = x->step.apply;
  const gg_reduce_props *r = a->props;
  const gg_dims *d = &b->sizes->dims[gg__in(b->p, a, 0)];
  unsigned char reduced[GG_MAX_ND];
  gg__kernel k;

  GA_TRY(ask(b, x, l));
  if (*l != NULL)
    return GA_NO_ERROR;

  for (unsigned int i = 0; i < d->nd; i++)
    reduced[i] = r->axes_mask >> i & 1u;
  GA_TRY(gg__kernel_get(&b->u->kernels, b->step, &k));
  void **in = gg__body_arguments(b, &x->map),
       **out = gg__expanded_arguments(b, &x->epilogue, d->nd, reduced);
  if (in == NULL || out == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(GpuReduction_prepare(l, k.reduction, d->nd, d->dim, reduced, in, out));
  return gg__question_keep(b, *l, NULL, 0);
}

int gg__plan_reduction(gg__builder *b, const gg__step *s) {
  const gg__reduce_step *x = gg__reduce_of(s);
  const gg__body *m = &x->map, *t = &x->epilogue;
  const unsigned int from = gg__in(b->p, s->apply, 0);
  unsigned int slot = 0;
  GpuLaunch *l = NULL;

  GA_TRY(gg__put_outputs(b, t->out, t->n_out));
  GA_TRY(prepare(b, x, &l));
  double flops = gg__body_flops(b, m, from) + gg__body_flops(b, t, t->out[0]) +
                 (double)gg__dims_size(&b->sizes->dims[from]);
  GA_TRY(gg__add_launch(b, l, flops));
  GA_TRY(gg__bind_body(b, m, 0, &slot));
  return gg__bind_body(b, t, 1, &slot);
}
