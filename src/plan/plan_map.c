/* SPDX-License-Identifier: BSD-2-Clause */
/* Planning of maps. */
#include "plan/builder.h"

/* Guard the indices of a map that reads by index. Errors have the name and the
 * site of the first node that does. */
static int guard(gg__builder *b, GpuLaunch *l, const gg__body *m) {
  for (unsigned int i = 0; m->n_taken != 0 && i < m->n_nodes; i++) {
    const gg_apply *a = m->nodes[i];
    if (a->op->kind != GG_OP_KERNEL)
      continue;
    GA_TRY(GpuLaunch_label(l, a->op->name));
    return gg__guard_indices(b, l, a);
  }
  return GA_NO_ERROR;
}

static int prepare(gg__builder *b, const gg__body *m, GpuLaunch **l) {
  const size_t *answer;
  gg__kernel k;

  GA_TRY(gg__question_begin(b, GG_STEP_MAP, 0));
  GA_TRY(gg__question_body(b, m));
  *l = gg__question_ask(b, &answer);
  if (*l != NULL)
    return GA_NO_ERROR;
  GA_TRY(gg__kernel_get(&b->u->kernels, b->step, &k));
  void **args = gg__body_arguments(b, m);
  if (args == NULL)
    return GA_MEMORY_ERROR;
  GA_TRY(GpuElemwise_prepare(l, k.map, args, GE_BROADCAST));
  return gg__question_keep(b, *l, NULL, 0);
}

/* Do the inputs in the space of v lie with their channels last, all of them?
 * Then v does, too. */
static int keeps_last(const gg__builder *b, const gg__body *m, unsigned int v) {
  int n = 0;

  for (unsigned int i = 0; i < m->n_in - m->n_taken; i++) {
    if (gg__value_at(b, m->in[i])->space != gg__value_at(b, v)->space)
      continue;
    if (!gg__is_channels_last(b, m->in[i]))
      return 0;
    n++;
  }
  return n > 0;
}

int gg__plan_map(gg__builder *b, const gg__step *s) {
  const gg__body *m = &gg__map_of(s)->body;
  unsigned int slot = 0;
  GpuLaunch *l = NULL;

  for (unsigned int i = 0; i < m->n_out; i++) {
    GA_TRY(gg__put_elementwise(b, m, m->out[i]));
    if (keeps_last(b, m, m->out[i]))
      gg__turn_channels(b, m->out[i]);
  }
  GA_TRY(prepare(b, m, &l));
  GA_TRY(gg__add_launch(b, l, gg__body_flops(b, m, m->out[0])));
  GA_TRY(guard(b, l, m));
  return gg__bind_body(b, m, 1, &slot);
}
